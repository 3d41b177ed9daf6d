package pcsr

import "slices"

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

// mergePartitions returns the union of partitions: an edge that several have is there once. It copies the stretches of
// rows that only one of them has as they are, so that little added to much takes the time of a copy.
func mergePartitions(parts []*Partition) *Partition {
	if len(parts) == 0 {
		return &emptyPartition
	}
	parts = slices.Clone(parts)
	for len(parts) > 1 {
		slices.SortFunc(parts, func(a, b *Partition) int { return b.Edges() - a.Edges() })
		n := len(parts)
		parts[n-2] = spliceInto(parts[n-2], parts[n-1])
		parts = parts[:n-1]
	}
	return parts[0]
}

// mergeSegments returns the union of segments, the lowest first.
func mergeSegments(segments []segmentPart) *Partition {
	var parts []*Partition
	for _, s := range segments {
		if s.removed != nil {
			parts = []*Partition{without(mergePartitions(parts), s.removed)}
		}
		parts = append(parts, s.added)
	}
	return mergePartitions(parts)
}

// without returns a partition without the edges of another.
func without(p, removed *Partition) *Partition {
	over := &Partition{layer: List, offsets: []uint32{0}}
	for v, gone := range removed.Lists() {
		if list := p.Neighbours(v); len(list) > 0 {
			over.vertices = append(over.vertices, v)
			over.neighbours = append(over.neighbours, withoutMembers(list, gone)...)
			over.offsets = append(over.offsets, uint32(len(over.neighbours)))
		}
	}
	if len(over.vertices) == 0 {
		return p // a damaged file
	}
	over.base, over.rows = over.vertices[0], uint32(len(over.vertices))
	return overwrite(p, over)
}
