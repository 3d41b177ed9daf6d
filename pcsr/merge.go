package pcsr

// Merge returns the union of graphs over one ID space, which may have edges in common: those are there once. Like an
// Overlay it is made when it is read, a partition at a time, so that it is valid as long as the graphs are open; they
// stay their owner's. The type label is that of the first graph that has one.
func Merge(graphs ...*Graph) *Graph {
	segments := make([]Segment, len(graphs))
	for i, g := range graphs {
		segments[i].Added = g
	}
	return unite(0, false, segments)
}

// alias returns the graph in a larger ID space; its Close does nothing.
func (g *Graph) alias(vertices, labels int) *Graph {
	alias := *g
	alias.vertices, alias.labels, alias.file, alias.owned = vertices, labels, nil, nil
	alias.signatures.g = &alias
	return &alias
}
