package mine

import "slices"

// spoke is one way on from the vertices of a label: along a lane to vertices of a label, which frequent edges lead.
type spoke struct{ lane, to int }

// lane is the edges of a predicate from one of their ends.
type lane struct {
	*rows
	key     stepKey // without a label
	reverse int     // the lane of the same edges from their other ends
	bits    [][]int // label, label at the other end → which spoke of the former that is, -1 for none; nil: no spoke of it
}

// row is the neighbours of a vertex, ascending.
func (l *lane) row(v Vertex) []Vertex {
	i, ok := slices.BinarySearch(l.vertices, v)
	if !ok {
		return nil
	}
	_, others := l.at(i)
	return others
}

// spokes numbers the labels that frequent edges have, and of each the ways on: so which of them a vertex has is a few words of bits.
type spokes struct {
	graph  *Labelled
	labels []Label   // by number
	number []int     // label → number, -1: no frequent edge has it
	ways   [][]spoke // by label
	words  []int     // of bits, by label
	lanes  []lane

	plainly []int32  // vertex → its only label, if that has 64 spokes or fewer, and otherwise complicated; -1 where no frequent edge has it
	plain   []mask   // vertex → of that label
	first   []uint32 // vertex → where its entries begin, and the end: of all others
	entries []entry
	masks   []mask
}

// entry is a vertex as one of its labels, and where its masks begin.
type entry struct{ label, at uint32 }

// mask has the spokes, 64 of a label's, along which a vertex has a neighbour, and those along which it has several.
type mask struct{ once, twice uint64 }

// mostSpokes bounds what the sweeps take: tables of bits, and words of masks.
const mostSpokes = 1 << 24

// newSpokes numbers the ends of kinds of edges. It is nil where there are too many of them.
func newSpokes(g *Labelled, kinds []kind) *spokes {
	s := &spokes{graph: g, number: make([]int, g.classes+1)}
	for i := range s.number {
		s.number[i] = -1
	}
	lanes := map[stepKey]int{}
	for _, k := range kinds {
		from, to := s.label(k.from), s.label(k.to)
		there := s.lane(lanes, stepKey{predicate: k.predicate})
		back := there
		if g.directed {
			back = s.lane(lanes, stepKey{predicate: k.predicate, against: true})
		}
		s.lanes[there].reverse, s.lanes[back].reverse = back, there
		s.add(from, spoke{there, to})
		if back != there || from != to {
			s.add(to, spoke{back, from})
		}
	}
	if !s.index() || !s.enter() {
		return nil
	}
	return s
}

// label is the number of a label.
func (s *spokes) label(label Label) int {
	if s.number[label] < 0 {
		s.number[label] = len(s.labels)
		s.labels, s.ways = append(s.labels, label), append(s.ways, nil)
	}
	return s.number[label]
}

// lane is that of a predicate and direction.
func (s *spokes) lane(lanes map[stepKey]int, key stepKey) int {
	at, ok := lanes[key]
	if !ok {
		at = len(s.lanes)
		r := &s.graph.out[key.predicate]
		if key.against {
			r = &s.graph.in[key.predicate]
		}
		lanes[key], s.lanes = at, append(s.lanes, lane{rows: r, key: key})
	}
	return at
}

func (s *spokes) add(label int, way spoke) { s.ways[label] = append(s.ways[label], way) }

// index makes the tables of bits, and reports whether they are small enough.
func (s *spokes) index() bool {
	size := 0
	for label, ways := range s.ways {
		s.words = append(s.words, (len(ways)+63)/64)
		for bit, way := range ways {
			l := &s.lanes[way.lane]
			if l.bits == nil {
				l.bits = make([][]int, len(s.labels))
			}
			if l.bits[label] == nil {
				l.bits[label] = slices.Repeat([]int{-1}, len(s.labels))
				if size += len(s.labels); size > mostSpokes {
					return false
				}
			}
			l.bits[label][way.to] = bit
		}
	}
	return true
}

// complicated is what a vertex has that has entries.
const complicated = -2

// enter makes room for the masks of each vertex as each of its labels, and reports whether it is little enough.
func (s *spokes) enter() bool {
	g, at := s.graph, uint64(0)
	s.plainly, s.plain, s.first = make([]int32, g.Len()), make([]mask, g.Len()), make([]uint32, g.Len()+1)
	for v, label := range g.only {
		number := complicated
		if label != several {
			number = s.number[label]
		}
		if number >= 0 && s.words[number] > 1 {
			number = complicated
		}
		if s.plainly[v] = int32(number); number == complicated {
			for _, label := range g.Labels(Vertex(v)) {
				if number := s.number[label]; number >= 0 {
					s.entries = append(s.entries, entry{uint32(number), uint32(at)})
					at += uint64(s.words[number])
				}
			}
		}
		s.first[v+1] = uint32(len(s.entries))
	}
	if max(at, uint64(len(s.entries))) >= 1<<32 {
		return false
	}
	s.masks = make([]mask, at)
	return true
}

// role is a vertex as one of its labels.
type role struct {
	label int
	masks []mask
}

// roles are those of a vertex, in memory of the caller's.
func (s *spokes) roles(v Vertex, roles []role) []role {
	roles = roles[:0]
	if label := s.plainly[v]; label >= 0 {
		roles = append(roles, role{int(label), s.plain[v : v+1]})
	}
	for _, e := range s.entries[s.first[v]:s.first[v+1]] {
		roles = append(roles, role{int(e.label), s.masks[e.at:][:s.words[e.label]]})
	}
	return roles
}
