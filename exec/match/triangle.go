package match

import (
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Triangle is a second way to count a cycle of three edges of one directed label, of any directions, of which no more is asked: all triples of
// neighbours are found once, whatever the directions of the edges between them, at the edge between the least and the middle vertex by degree,
// and each is weighed by how many solutions it stands for. So an edge is looked at once, where a join looks at it for each direction, and all
// lists are cut to neighbours of more neighbours (as in mining: Chiba and Nishizeki, 1985).
type Triangle struct {
	Label pcsr.Label
	// Weights are how many solutions three vertices stand for, in 4 bits, by the edges between them, in two bits each, the first of which is set
	// where one leads from the lesser to the greater vertex, the second where one leads back: the index is those between the least and the middle
	// vertex, the place 4 times those between the middle and the greatest, and those between the least and the greatest.
	Weights [4]uint64
	// Edges are those of the pattern, by its corners: the edge i is between corners i and i+1, or 2 and 0, and leads from the former where it is true.
	Edges [3]bool
	// Loops: corners may bind one vertex, where an edge leads from it to itself.
	Loops bool
}

// mostTripleVertices bounds the graphs whose vertices' numbers leave room for two bits in a word.
const mostTripleVertices = 1 << 30

// findTriangle returns how a cycle of three edges is counted by triples of neighbours; nil where it is none, or where a look at all edges costs
// more than it may save.
func (l *Lowering) findTriangle(t Tuning) *Triangle {
	slots, ok := l.plainSlots()
	if t.NoDense || !ok || len(slots) != 3 || len(l.Plan.Query.Edges) != 3 {
		return nil
	}
	edges, semantics := l.Plan.Query.Edges, l.Plan.Query.Semantics
	if semantics != bgp.Homomorphism && semantics != bgp.Isomorphism {
		return nil
	}
	out := &Triangle{Label: edges[0].Label, Loops: semantics == bgp.Homomorphism}
	corners := [3]int{edges[0].From, edges[0].To, -1}
	for v := range slots {
		if v != corners[0] && v != corners[1] {
			corners[2] = v
		}
	}
	met := [3]bool{}
	for _, e := range edges {
		if e.LabelVertex >= 0 || e.Label != out.Label || e.From == e.To {
			return nil
		}
		for i, from := range corners {
			to := corners[(i+1)%3]
			if forth := e.From == from && e.To == to; forth || e.From == to && e.To == from {
				met[i], out.Edges[i] = true, forth
			}
		}
	}
	size := l.Graph.Outline(out.Label, pcsr.Out).Edges()
	if met != [3]bool{true, true, true} || l.Graph.Vertices() >= mostTripleVertices || size > mostListed || !t.AnyCost && l.Plan.Cost < bgp.DensePrice*float64(size) {
		return nil
	}
	out.weigh()
	return out
}

// weigh finds how many ways there are to lay the pattern on three different vertices, by the edges between them, in two bits each: one that leads
// from the lesser to the greater vertex, and one back.
func (t *Triangle) weigh() {
	orders := [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} // of corners by degree
	shifts := [...]int{1: 4, 2: 0, 3: 2}                                                 // by the sum of both ends' places
	for edges := range uint64(64) {
		n := uint64(0)
		for _, order := range orders {
			all := uint64(1)
			for i, forth := range t.Edges {
				from, to := order[i], order[(i+1)%3]
				between := edges >> shifts[from+to]
				if forth != (from < to) {
					between >>= 1
				}
				all &= between
			}
			n += all & 1
		}
		t.Weights[edges>>4] |= n << (4 * (edges & 15))
	}
}

// Add is how many solutions have a corner twice or three times, where vertices have edges to themselves: by how many such vertices there are, and
// how many others edges of theirs lead to, come from, and both.
func (t *Triangle) Add(loops, out, in, both uint64) uint64 {
	if !t.Loops {
		return 0
	}
	n := loops
	for i := range t.Edges { // corners i and i+1 are the vertex
		switch forth, back := t.Edges[(i+1)%3], t.Edges[(i+2)%3]; {
		case forth == back:
			n += both
		case forth:
			n += out
		default:
			n += in
		}
	}
	return n
}

// TriangleVariant is what traces call the steps of a plan that is counted so.
const TriangleVariant = "triples of neighbours"
