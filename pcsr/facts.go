package pcsr

import (
	"slices"
	"sync"
)

// facts are what was found out about labels by reading all their lists, kept so that it is done once.
type facts struct {
	mu                sync.Mutex
	undirected, loops map[Label]bool
}

func newFacts() *facts {
	return &facts{undirected: map[Label]bool{}, loops: map[Label]bool{}}
}

// Undirected reports whether every edge of the label has one that leads back. The first call for a label compares its
// lists in the two directions; they are read to the end only where they are the same.
func (g *Graph) Undirected(l Label) bool {
	return g.facts.find(g.facts.undirected, l, func() bool {
		return g.Partition(l, Out).sameLists(g.Partition(l, In))
	})
}

// HasLoop reports whether a vertex has an edge of the label to itself. The first call for a label searches the list of
// every row.
func (g *Graph) HasLoop(l Label) bool {
	return g.facts.find(g.facts.loops, l, func() bool {
		for v, list := range g.Partition(l, Out).Lists() {
			if Contains(list, v) {
				return true
			}
		}
		return false
	})
}

func (f *facts) find(known map[Label]bool, l Label, look func() bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	is, ok := known[l]
	if !ok {
		is = look()
		known[l] = is
	}
	return is
}

// sameLists reports whether two partitions of one graph have the same rows and lists. One label's partitions in the two
// directions have the same row layer where they have the same rows, as it is chosen by these.
func (p *Partition) sameLists(other *Partition) bool {
	if p.rows != other.rows || p.base != other.base || len(p.neighbours) != len(other.neighbours) {
		return false
	}
	a, b := p.Arrays(), other.Arrays()
	return a.Layer == b.Layer && slices.Equal(a.Index, b.Index) && slices.Equal(a.Vertices, b.Vertices) &&
		slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Neighbours, b.Neighbours)
}
