package mine

import "math/bits"

// labelPair is how many vertices of a label have neighbours of another, at least one, and how many edges lead there.
type labelPair struct {
	from, to        Label
	vertices, edges uint64
}

// labelPairs counts by pair of labels: a hash table with open addressing, up to half of whose slots are taken, of which the length is a power of
// two. Those that are not taken have no vertices.
type labelPairs struct {
	slots []labelPair
	taken int
}

// leastPairs is how many slots there are at first.
const leastPairs = 1 << 8

// slot is that of a pair, or where it is to be.
func (p *labelPairs) slot(from, to Label) *labelPair {
	// Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4).
	hash := (uint64(from)<<32 | uint64(to)) * 0x9e3779b97f4a7c15
	for i := hash >> (65 - bits.Len(uint(len(p.slots)))); ; i++ {
		s := &p.slots[i&uint64(len(p.slots)-1)]
		if s.vertices == 0 || s.from == from && s.to == to {
			return s
		}
	}
}

// of is what was counted of a pair.
func (p *labelPairs) of(from, to Label) labelPair {
	if len(p.slots) == 0 {
		return labelPair{}
	}
	return *p.slot(from, to)
}

// add counts vertices, at least one, and edges of a pair.
func (p *labelPairs) add(n labelPair) {
	if 2*p.taken >= len(p.slots) {
		p.grow()
	}
	s := p.slot(n.from, n.to)
	if s.vertices == 0 {
		p.taken++
	}
	s.from, s.to, s.vertices, s.edges = n.from, n.to, s.vertices+n.vertices, s.edges+n.edges
}

// grow makes the table twice as long.
func (p *labelPairs) grow() {
	before := p.slots
	p.slots = make([]labelPair, max(leastPairs, 2*len(before)))
	for _, n := range before {
		if n.vertices > 0 {
			*p.slot(n.from, n.to) = n
		}
	}
}
