package blanks

import (
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// trials bounds the refinements that a pair of components may take.
const trials = 1 << 12

// Match pairs blank nodes of a with those of b, each at most once. Where the two are the same up to labels, all are paired so that
// the quads become equal; unless exact is false: then components in which too many nodes look alike were given up, and may be equal
// though they are not paired so. Quads without blank nodes do not count.
func Match(a, b []rdf.Quad) (pairs map[string]string, exact bool) {
	m := &matching{pairs: map[string]string{}, exact: true}
	candidates := map[uint64][]*component{}
	for _, g := range split(b) {
		c := newComponent(g)
		candidates[c.signature] = append(candidates[c.signature], c)
	}
	var left []*component
	for _, g := range split(a) {
		c := newComponent(g)
		list := candidates[c.signature]
		i := slices.IndexFunc(list, func(other *component) bool { return m.whole(c, other) })
		if i < 0 {
			left = append(left, c)
			continue
		}
		candidates[c.signature] = slices.Delete(list, i, i+1)
	}
	var other []*component
	for _, signature := range slices.Sorted(maps.Keys(candidates)) {
		other = append(other, candidates[signature]...)
	}
	m.nearly(left, other)
	return m.pairs, m.exact
}

// component is a graph and its colours.
type component struct {
	*graph
	colours   []uint64
	signature uint64
}

func newComponent(g *graph) *component {
	colours := g.refine(make([]uint64, len(g.labels)))
	return &component{g, colours, g.signature(colours)}
}

// matching is what Match has found.
type matching struct {
	pairs map[string]string
	exact bool
	left  int // trials of the components that are being compared
}

// whole pairs all nodes of two components, if they are the same.
func (m *matching) whole(a, b *component) bool {
	if len(a.labels) != len(b.labels) || len(a.quads) != len(b.quads) {
		return false
	}
	m.left = trials
	found := m.search(a.graph, b.graph, a.colours, b.colours)
	if found == nil {
		m.exact = m.exact && m.left > 0
		return false
	}
	for from, to := range found {
		m.pairs[a.labels[from]] = b.labels[to]
	}
	return true
}

// search finds, for each node of a, the node of b that it is; nil where there is no such way, or it takes too long to find. Of
// nodes that look alike, one is told from the others on both sides, and the colours are refined again.
func (m *matching) search(a, b *graph, coloursA, coloursB []uint64) []int {
	classes := map[uint64][]int{}
	for n, c := range coloursB {
		classes[c] = append(classes[c], n)
	}
	counts := map[uint64]int{}
	for _, c := range coloursA {
		counts[c]++
	}
	chosen, size := -1, 0
	for n, c := range coloursA {
		if counts[c] != len(classes[c]) {
			return nil
		}
		if counts[c] > 1 && (chosen < 0 || counts[c] < size) {
			chosen, size = n, counts[c]
		}
	}
	if chosen < 0 {
		return a.mapped(b, coloursA, classes)
	}
	for _, candidate := range classes[coloursA[chosen]] {
		if m.left--; m.left <= 0 {
			return nil
		}
		nextA, nextB := a.refine(toldApart(coloursA, chosen)), b.refine(toldApart(coloursB, candidate))
		if found := m.search(a, b, nextA, nextB); found != nil {
			return found
		}
	}
	return nil
}

func toldApart(colours []uint64, n int) []uint64 {
	colours = slices.Clone(colours)
	colours[n] = mix(colours[n], 3)
	return colours
}

// mapped pairs nodes of equal colours, of which there is one each, if that makes the quads equal.
func (g *graph) mapped(other *graph, colours []uint64, classes map[uint64][]int) []int {
	to := make([]int, len(colours))
	for n, c := range colours {
		to[n] = classes[c][0]
	}
	there := map[quad]bool{}
	for _, q := range other.quads {
		there[q] = true
	}
	for _, q := range g.quads {
		for i, n := range q.node {
			if n >= 0 {
				q.node[i] = to[n]
			}
		}
		if !there[q] {
			return nil
		}
	}
	return to
}

// rounds is how far around a node nearly looks.
const rounds = 6

// nearly pairs nodes of components that differ: those with the same surroundings, the widest first, then those that the same things
// without blank nodes lead to.
func (m *matching) nearly(a, b []*component) {
	views := func(list []*component) (views [rounds + 1][]uint64, labels []string) {
		for _, c := range list {
			colours := make([]uint64, len(c.labels))
			views[0] = append(views[0], c.anchors()...)
			for r := 1; r <= rounds; r++ {
				colours = c.step(colours)
				views[r] = append(views[r], colours...)
			}
			labels = append(labels, c.labels...)
		}
		return views, labels
	}
	viewsA, labelsA := views(a)
	viewsB, labelsB := views(b)
	takenA, takenB := make([]bool, len(labelsA)), make([]bool, len(labelsB))
	for r := rounds; r >= 0; r-- {
		free := map[uint64][]int{}
		for n, c := range viewsB[r] {
			if !takenB[n] && c != 0 {
				free[c] = append(free[c], n)
			}
		}
		for n, c := range viewsA[r] {
			if takenA[n] || len(free[c]) == 0 {
				continue
			}
			other := free[c][0]
			free[c] = free[c][1:]
			takenA[n], takenB[other] = true, true
			m.pairs[labelsA[n]] = labelsB[other]
		}
	}
}

// anchors is, for each node, what leads to it and has no other blank node; 0 where nothing does.
func (g *graph) anchors() []uint64 {
	seen := make([]uint64, len(g.labels))
	for i := range g.quads {
		q := &g.quads[i]
		if n := q.node[2]; n >= 0 && q.node[0] < 0 && q.node[3] < 0 {
			seen[n] += q.seen(nil, n) | 1 // a sum: in any order
		}
	}
	return seen
}
