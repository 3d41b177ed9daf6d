package pcsr

import "errors"

// Overlay returns the union of graphs over one growing ID space of the given size: a large graph and small ones that
// were added to it later. No edge is in two of them, each graph's own ID space is at most as large, and a label that one
// of them uses may be any vertex: Labels is an upper bound, UsedLabels the list. The union takes the graphs over: its
// Close closes them.
func Overlay(vertices int, graphs ...*Graph) *Graph {
	union := Merge(graphs...)
	if len(graphs) == 1 {
		union = graphs[0].alias(vertices, graphs[0].labels)
	}
	union.vertices = max(union.vertices, vertices)
	union.owned = graphs
	return union
}

// closeOwned closes the graphs that a union took over.
func (g *Graph) closeOwned() error {
	var errs []error
	for _, part := range g.owned {
		errs = append(errs, part.Close())
	}
	return errors.Join(errs...)
}
