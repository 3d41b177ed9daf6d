package mine

import "math/bits"

// kind is a predicate between vertices of two labels; without directions from is not above to.
type kind struct {
	predicate Predicate
	from, to  Label
}

// stepKey says how a vertex leads to others: along a predicate, with its direction or against it, to vertices of a label.
type stepKey struct {
	predicate Predicate
	against   bool
	to        Label
}

// step is the neighbours of vertices along one way.
type step struct {
	rows    rankedSet
	offsets []uint64
	others  []Vertex
}

// row is the neighbours of a vertex, ascending.
func (s *step) row(v Vertex) []Vertex {
	i, ok := s.rows.rank(v)
	if !ok {
		return nil
	}
	return s.others[s.offsets[i]:s.offsets[i+1]]
}

// add appends a neighbour of a vertex, which is not below any before.
func (s *step) add(v, other Vertex) {
	if s.rows.append(v) {
		s.offsets = append(s.offsets, uint64(len(s.others)))
	}
	s.others = append(s.others, other)
}

// append appends a step whose vertices are on pages behind those of all before.
func (s *step) append(part *step) {
	if len(part.others) == 0 {
		return
	}
	base := uint64(len(s.others))
	for _, offset := range part.offsets {
		s.offsets = append(s.offsets, base+offset)
	}
	s.others = append(s.others, part.others...)
	for at, p := range part.rows.pages {
		if p != nil {
			s.rows.put(at, p)
		}
	}
}

// end is called after the last add.
func (s *step) end() {
	s.rows.end()
	s.offsets = append(s.offsets, uint64(len(s.others)))
}

// rankedSet is a set of vertices, each with its place among them: pages of a bitmap, those that are empty left out.
type rankedSet struct {
	pages []*rankedPage
	size  int
}

type rankedPage struct {
	page
	before [pageVertices / 64]uint32 // how many vertices of the set are below each word
}

// append puts a vertex in that is not below any other, and reports whether it is new.
func (s *rankedSet) append(v Vertex) bool {
	at := int(v / pageVertices)
	if at >= len(s.pages) || s.pages[at] == nil {
		s.put(at, &rankedPage{})
	}
	word := &s.pages[at].page[v%pageVertices/64]
	isNew := *word>>(v%64)&1 == 0
	*word |= 1 << (v % 64)
	return isNew
}

// put makes a page that of its place.
func (s *rankedSet) put(at int, p *rankedPage) {
	for len(s.pages) <= at {
		s.pages = append(s.pages, nil)
	}
	s.pages[at] = p
}

// end is called after the last append.
func (s *rankedSet) end() {
	for _, p := range s.pages {
		if p == nil {
			continue
		}
		for i, word := range p.page {
			p.before[i] = uint32(s.size)
			s.size += bits.OnesCount64(word)
		}
	}
}

// rank is how many vertices are below one that is in the set.
func (s *rankedSet) rank(v Vertex) (int, bool) {
	at := int(v / pageVertices)
	if at >= len(s.pages) || s.pages[at] == nil {
		return 0, false
	}
	p, word := s.pages[at], v%pageVertices/64
	bit := uint64(1) << (v % 64)
	if p.page[word]&bit == 0 {
		return 0, false
	}
	return int(p.before[word]) + bits.OnesCount64(p.page[word]&(bit-1)), true
}

// domain is a set of vertices as one bitmap.
type domain []uint64

func newDomain(vertices int) domain {
	return make(domain, (vertices+pageVertices-1)/pageVertices*(pageVertices/64))
}

func (d domain) has(v Vertex) bool { return d[v/64]>>(v%64)&1 != 0 }

func (d domain) add(v Vertex) { d[v/64] |= 1 << (v % 64) }

func (d domain) remove(v Vertex) { d[v/64] &^= 1 << (v % 64) }

func (d domain) size() (n int) {
	for _, word := range d {
		n += bits.OnesCount64(word)
	}
	return n
}

// copy makes d what another is.
func (d domain) copy(s *rankedSet) {
	clear(d)
	for i, p := range s.pages {
		if p != nil {
			copy(d[i*len(p.page):], p.page[:])
		}
	}
}

// meet keeps what is in a set too.
func (d domain) meet(s *rankedSet) {
	const words = pageVertices / 64
	for i := 0; i < len(d); i += words {
		at := i / words
		if at >= len(s.pages) || s.pages[at] == nil {
			clear(d[i : i+words])
			continue
		}
		for word, bits := range s.pages[at].page {
			d[i+word] &= bits
		}
	}
}

// meets reports whether two have a vertex in common.
func (d domain) meets(o domain) bool {
	for i, word := range d {
		if word&o[i] != 0 {
			return true
		}
	}
	return false
}

// each yields the vertices, ascending, as they are when their word is come to.
func (d domain) each(yield func(Vertex) bool) {
	for i, word := range d {
		for ; word != 0; word &= word - 1 {
			if !yield(Vertex(i*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}
