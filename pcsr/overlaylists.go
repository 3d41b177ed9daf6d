package pcsr

import "iter"

// Lists yields the lists of a label in a direction like Partition(l, d).Lists(), for whoever reads them once: where the
// graph is a union and nobody has asked for the partition yet, it is not made. Vertices come in no order then, and the
// neighbours of one in several lists, each of them once.
func (g *Graph) Lists(l Label, d Direction) iter.Seq2[Vertex, []Vertex] {
	g = g.holder(l)
	if o := g.over; o != nil && o.disjoint {
		if slot := g.slot(l); slot != noSlot && o.made(slot, d) == nil {
			return o.lists(l, d)
		}
	}
	return g.Partition(l, d).Lists()
}

// lists yields, segment by segment, what later segments have not removed.
func (o *overlay) lists(l Label, d Direction) iter.Seq2[Vertex, []Vertex] {
	return func(yield func(Vertex, []Vertex) bool) {
		for i := range o.segments {
			var gone []*Partition
			for _, later := range o.segments[i+1:] {
				if later.Removed != nil && later.Removed.HasLabel(l) {
					gone = append(gone, later.Removed.Partition(l, d))
				}
			}
			for v, list := range o.segments[i].Added.Lists(l, d) {
				for _, p := range gone {
					list = withoutMembers(list, p.Neighbours(v))
				}
				if len(list) > 0 && !yield(v, list) {
					return
				}
			}
		}
	}
}
