package pcsr

// Sizes say what the parts of a graph take, in bytes.
type Sizes struct {
	// Neighbours, Offsets and RowLayers are the arrays of all partitions; RowLayers includes their row vertices.
	Neighbours, Offsets, RowLayers int
	LabelSets, Signatures          int
	// Layers counts the partitions with each row layer; Single those where every row has exactly one neighbour.
	Layers [layers]int
	Single int
	// Merged is what a union of graphs has merged so far, which the other fields, the sums over its graphs, leave out, and
	// what a graph that was changed takes beside the graph that it was.
	Merged int
}

// Total is the sum of all parts.
func (s Sizes) Total() int {
	return s.Neighbours + s.Offsets + s.RowLayers + s.LabelSets + s.Signatures + s.Merged
}

// Sizes adds up what the graph takes.
func (g *Graph) Sizes() Sizes {
	switch {
	case g.over != nil:
		return g.over.sizes()
	case g.live != nil:
		return g.live.sizes()
	}
	var s Sizes
	for i := range g.parts {
		for d := range g.parts[i] {
			s.add(&g.parts[i][d])
		}
	}
	for d := range g.sets {
		s.LabelSets += g.sets[d].of.Bytes() + g.sets[d].labels.Bytes()
	}
	t := &g.signatures
	s.Signatures = 4 * (len(t.columns) + len(t.sideBits) + len(t.classBits) + len(t.classAt) + len(t.classSides))
	return s
}

func (s *Sizes) add(p *Partition) {
	s.Neighbours += 4 * len(p.neighbours)
	s.Offsets += 4 * len(p.offsets)
	s.RowLayers += 4 * (len(p.index) + len(p.vertices))
	s.Layers[p.layer]++
	if p.Single() {
		s.Single++
	}
}

// Bytes is the size of the whole graph: Sizes().Total().
func (g *Graph) Bytes() int { return g.Sizes().Total() }

// sizes are those of the ground and what was changed.
func (x *live) sizes() Sizes {
	s := x.line.ground.Sizes()
	s.Merged += int(x.memory()) + x.line.touched.bytes() + x.line.late.bytes()
	return s
}

// memory is about what was changed takes, with the lists and partitions that were made of it and are in use, be it by
// other graphs of the lineage.
func (x *live) memory() int64 { return int64(x.bytes) + x.line.held.Load() }
