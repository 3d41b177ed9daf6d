package pcsr

import "iter"

// Changed and Changes tell how a graph differs from the one that it was changed from; graphs cannot be changed yet.

// Changed returns how many edges were added and removed.
func (g *Graph) Changed() (added, removed uint64) { return 0, 0 }

// Changes returns the edges that were added and removed, by label, from and to.
func (g *Graph) Changes() (added, removed iter.Seq[Edge]) {
	none := func(func(Edge) bool) {}
	return none, none
}
