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
	if g = g.holder(l); g.live != nil {
		return g.live.label(l).isUndirected()
	}
	return g.facts.find(g.facts.undirected, l, func() bool {
		return g.Partition(l, Out).sameLists(g.Partition(l, In))
	})
}

// HasLoop reports whether a vertex has an edge of the label to itself. The first call for a label searches the list of
// every row.
func (g *Graph) HasLoop(l Label) bool {
	if g = g.holder(l); g.live != nil {
		return g.live.label(l).hasLoop()
	}
	return g.facts.find(g.facts.loops, l, g.Partition(l, Out).hasLoop)
}

// hasLoop reports whether a vertex is its own neighbour.
func (p *Partition) hasLoop() bool {
	for v, list := range p.Lists() {
		if Contains(list, v) {
			return true
		}
	}
	return false
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

// known is what was found out of a label.
func (f *facts) known(facts map[Label]bool, l Label) int32 {
	if f == nil {
		return unknown
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	is, ok := facts[l]
	if !ok {
		return unknown
	}
	return known(is)
}

// isUndirected is Graph.Undirected.
func (c *changedLabel) isUndirected() bool {
	return c.undirected.find(func() bool { return c.parts[Out] == c.parts[In] || c.parts[Out].sameLists(c.parts[In]) })
}

// hasLoop is Graph.HasLoop.
func (c *changedLabel) hasLoop() bool { return c.loops.find(c.parts[Out].hasLoop) }

// follow takes over what is known of the label as it was and still so when some edges came and others went, which are given in both directions.
// Where every edge had one that leads back, so have all now just where so have those that came, and those that went. loopless: none of them is known to lead
// from a vertex to itself.
func (c *changedLabel) follow(was *changedLabel, came, went [2][]uint64, loopless bool, by *keySorter) {
	switch loops := was.loops.is.Load(); {
	case !loopless && by.hasLoop(came[Out]):
		c.loops.is.Store(yes)
	case loops == no || loops == yes && (loopless || !by.hasLoop(went[Out])):
		c.loops.is.Store(loops)
	}
	if was.undirected.is.Load() == yes {
		c.undirected.is.Store(known(sameKeys(came) && sameKeys(went)))
	}
}

// sameKeys reports whether two lists are the same.
func sameKeys(lists [2][]uint64) bool {
	a, b := lists[Out], lists[In]
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// sameRows is sameLists, of partitions that may be Patched: it compares list by list.
func (p *Partition) sameRows(other *Partition) bool {
	if p.rows != other.rows || p.Edges() != other.Edges() {
		return false
	}
	for v, list := range p.Lists() {
		if !slices.Equal(list, other.Neighbours(v)) {
			return false
		}
	}
	return true
}

// sameLists reports whether two partitions of one graph have the same rows and lists. One label's partitions in the two
// directions mostly have the same row layer where they have the same rows, as it is chosen by these.
func (p *Partition) sameLists(other *Partition) bool {
	if p.layer == Patched || p.layer != other.layer {
		return p.sameRows(other)
	}
	if p.rows != other.rows || p.base != other.base || len(p.neighbours) != len(other.neighbours) {
		return false
	}
	a, b := p.Arrays(), other.Arrays()
	return slices.Equal(a.Index, b.Index) && slices.Equal(a.Vertices, b.Vertices) &&
		slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Neighbours, b.Neighbours)
}
