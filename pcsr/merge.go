package pcsr

import "slices"

// Merge returns the union of graphs over one ID space: an edge that several graphs have is there once. It is built in
// memory, but for the partitions of labels that only one graph has, so that it is valid as long as the graphs are open.
// The type label is that of the first graph that has one.
func Merge(graphs ...*Graph) *Graph {
	var s settings
	var vertices, labels int
	var filled []*Graph
	for _, g := range graphs {
		vertices, labels = max(vertices, g.vertices), max(labels, g.labels)
		if g.edges > 0 {
			filled = append(filled, g)
		}
		if g.hasType && !s.hasType {
			s.hasType, s.typeLabel = true, g.typeLabel
		}
	}
	if len(filled) == 1 && filled[0].hasType == s.hasType && filled[0].typeLabel == s.typeLabel {
		return filled[0].alias(vertices, labels)
	}
	graphs = filled
	merged, err := newGraph(vertices, labels, s)
	if err != nil {
		return &Graph{} // the graphs would not exist either
	}
	used := usedBy(graphs)
	made := make([][2]Partition, len(used))
	parallel(2*len(used), func(i int) {
		l, d := used[i/2], Direction(i%2)
		made[i/2][d] = *mergePartitions(s, l, d, graphs)
	})
	merged.setParts(used, made)
	merged.derive(s)
	return merged
}

// alias returns the graph in a larger ID space; its Close does nothing.
func (g *Graph) alias(vertices, labels int) *Graph {
	alias := *g
	alias.vertices, alias.labels, alias.file, alias.owned = vertices, labels, nil, nil
	alias.signatures.g = &alias
	return &alias
}

// usedBy returns the labels with edges in any of the graphs, ascending.
func usedBy(graphs []*Graph) []Label {
	var used []Label
	for _, g := range graphs {
		used = append(used, g.used...)
	}
	slices.Sort(used)
	return slices.Compact(used)
}

func mergePartitions(s settings, l Label, d Direction, graphs []*Graph) *Partition {
	var parts []*Partition
	for _, g := range graphs {
		if p := g.Partition(l, d); p.rows > 0 {
			parts = append(parts, p)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	runs := make([][]uint64, len(parts))
	for i, p := range parts {
		runs[i] = p.keys()
	}
	for len(runs) > 1 {
		half := runs[:0]
		for i := 0; i < len(runs); i += 2 {
			if i+1 < len(runs) {
				half = append(half, mergeKeys(runs[i], runs[i+1]))
			} else {
				half = append(half, runs[i])
			}
		}
		runs = half
	}
	return s.partition(runs[0])
}

// keys are the edges of a partition as row vertex<<32 | neighbour.
func (p *Partition) keys() []uint64 {
	keys := make([]uint64, 0, p.Edges())
	for v, list := range p.Lists() {
		for _, w := range list {
			keys = append(keys, edgeKey(v, w))
		}
	}
	if !slices.IsSorted(keys) { // a damaged file
		slices.Sort(keys)
	}
	return slices.Compact(keys)
}

// mergeKeys merges two ascending runs into one without repeats.
func mergeKeys(a, b []uint64) []uint64 {
	dst := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		dst = append(dst, min(x, y))
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	return append(append(dst, a...), b...)
}
