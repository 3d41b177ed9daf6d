package pcsr

import (
	"cmp"
	"slices"
)

// Outline is what can be told of a partition without merging it: the rows of one partition, or in a union of graphs of
// each that has some, merged or not, so that the same question is planned the same way before and after. The zero value
// has no rows.
type Outline struct {
	first outlinePart
	more  []outlinePart
}

// outlinePart is rows from … to-1 of a partition.
type outlinePart struct {
	*Partition
	from, to int
}

// Outline is that of Partition(l, d).
func (g *Graph) Outline(l Label, d Direction) Outline {
	if g = g.holder(l); g.over == nil {
		return outlineOf(g.Partition(l, d))
	}
	switch {
	case g.slot(l) == noSlot:
		return outlineOf(&emptyPartition)
	case g.over.hasRemoved(l):
		return outlineOf(g.Partition(l, d))
	}
	return g.over.outline(func(g *Graph) Outline { return g.Outline(l, d) })
}

// IncidentOutline is that of Incident(d).
func (g *Graph) IncidentOutline(d Direction) Outline {
	switch {
	case g.over == nil:
		return outlineOf(&g.sets[d&1].of)
	case len(g.over.removed) > 0:
		return outlineOf(g.Incident(d))
	}
	return g.over.outline(func(g *Graph) Outline { return g.IncidentOutline(d) })
}

func outlineOf(p *Partition) Outline { return Outline{first: outlinePart{p, 0, p.Rows()}} }

// bySize are the graphs of what was added, the largest first.
func (o *overlay) bySize() []*Graph {
	graphs := append([]*Graph{o.largest()}, o.others()...)
	slices.SortStableFunc(graphs, func(a, b *Graph) int { return cmp.Compare(b.edges, a.edges) })
	return graphs
}

// outline joins those of the graphs.
func (o *overlay) outline(of func(*Graph) Outline) Outline {
	var joined Outline
	for _, g := range o.bySize() {
		part := of(g)
		for _, rows := range append([]outlinePart{part.first}, part.more...) {
			if joined.first.to == joined.first.from {
				joined.first = rows
			} else if rows.to > rows.from {
				joined.more = append(joined.more, rows)
			}
		}
	}
	return joined
}

// Rows is at least the number of rows: in a union a vertex counts for each graph that has it.
func (o Outline) Rows() int {
	n := o.first.to - o.first.from
	for _, p := range o.more {
		n += p.to - p.from
	}
	return n
}

// Edges is the number of edges of the whole partition; where the graphs of a union have some in common, these count for each.
func (o Outline) Edges() int {
	n := 0
	if o.first.Partition != nil {
		n = o.first.Edges()
	}
	for _, p := range o.more {
		n += p.Edges()
	}
	return n
}

// Degree is the number of neighbours of v in the whole partition, counted as in Edges; 0 where it has no row.
func (o Outline) Degree(v Vertex) int {
	n := o.first.degree(v)
	for _, p := range o.more {
		n += p.degree(v)
	}
	return n
}

func (p outlinePart) degree(v Vertex) int {
	if p.Partition == nil {
		return 0
	}
	return p.degreeOf(v)
}

// Vertex is a row vertex, 0 ≤ i < Rows(): those of one graph after those of another, ascending in each.
func (o *Outline) Vertex(i int) Vertex {
	if n := o.first.to - o.first.from; i < n {
		return o.first.Vertex(o.first.from + i)
	} else {
		i -= n
	}
	for _, p := range o.more {
		if n := p.to - p.from; i < n {
			return p.Vertex(p.from + i)
		} else {
			i -= n
		}
	}
	return noVertex
}

// Near is a row vertex that stands near place i of Vertex, for samples: where rows came and went it is found faster. Of few rows it
// is Vertex(i).
func (o *Outline) Near(i int) Vertex {
	if p := o.first.Partition; p != nil && p.layer == Patched && i < o.first.to-o.first.from {
		return o.first.near(o.first.from + i)
	}
	return o.Vertex(i)
}

// near takes what stands in a row of the ground, where no change has touched it, and else looks for the row. Rows of the ground
// are moved by no more than those that came or went.
func (p *outlinePart) near(row int) Vertex {
	patch := p.patch
	if p.to-p.from > nearShare*patch.moved {
		at := min(max(row, p.from+patch.moved), p.to-patch.moved-1)
		if at < patch.ground.Rows() {
			if v := patch.ground.Vertex(at); patch.moved == 0 || !patch.filter.has(v) {
				return v
			}
		}
	}
	return p.Vertex(row)
}

// nearShare is how many rows there are for each that came or went before Near may be another row: so few hardly move the others.
const nearShare = 16

// Between leaves the rows whose vertices v are low ≤ v < high; high 0 means no bound.
func (o Outline) Between(low, high Vertex) Outline {
	if low == 0 && high == 0 {
		return o
	}
	o.first = o.first.between(low, high)
	o.more = slices.Clone(o.more)
	for i, p := range o.more {
		o.more[i] = p.between(low, high)
	}
	return o
}

func (p outlinePart) between(low, high Vertex) outlinePart {
	if p.Partition == nil {
		return p
	}
	if low > 0 {
		p.from = max(p.from, p.RowFrom(low))
	}
	if high > 0 {
		p.to = min(p.to, p.RowFrom(high))
	}
	p.to = max(p.from, p.to)
	return p
}

// Next returns the smallest row vertex from v on, or end where there is none below it.
func (o Outline) Next(v, end Vertex) Vertex {
	end = o.first.next(v, end)
	for _, p := range o.more {
		end = p.next(v, end)
	}
	return end
}

func (p outlinePart) next(v, end Vertex) Vertex {
	if p.from == p.to {
		return end
	}
	if row := max(p.from, p.RowFrom(v)); row < p.to {
		return min(end, p.Vertex(row))
	}
	return end
}

// Vertices returns the row vertices, ascending, each once.
func (o Outline) Vertices() []Vertex {
	vertices := make([]Vertex, 0, o.Rows())
	for _, p := range append([]outlinePart{o.first}, o.more...) {
		if p.from < p.to {
			vertices = p.AppendVertices(vertices, p.from, p.to)
		}
	}
	if len(o.more) > 0 {
		slices.Sort(vertices)
		vertices = slices.Compact(vertices)
	}
	return vertices
}

// Span returns the smallest and the largest row vertex; ok is false where there is none.
func (o Outline) Span() (first, last Vertex, ok bool) {
	if p := &o.first; len(o.more) == 0 {
		if p.from >= p.to {
			return 0, 0, false
		}
		first, last = p.ends()
		return first, last, true
	}
	for _, p := range append([]outlinePart{o.first}, o.more...) {
		if p.from >= p.to {
			continue
		}
		low, high := p.ends()
		if !ok {
			first, last, ok = low, high, true
		}
		first, last = min(first, low), max(last, high)
	}
	return first, last, ok
}

// ends are the first and the last vertex of rows.
func (p *outlinePart) ends() (first, last Vertex) {
	if p.from == 0 && p.to == p.Rows() {
		return p.Ends()
	}
	return p.Vertex(p.from), p.Vertex(p.to - 1)
}

// Neighbours is Partition(l, d).Neighbours(v). In a union of graphs it merges nothing where one graph alone has
// neighbours of v, or where the list is short.
func (g *Graph) Neighbours(v Vertex, l Label, d Direction) []Vertex {
	if g = g.holder(l); g.over == nil {
		return g.Partition(l, d).Neighbours(v)
	}
	return g.over.neighbours(g, v, l, d)
}

// Degree is len(Neighbours(v, l, d)), and merges nothing where the graphs of a union have no edges in common.
func (g *Graph) Degree(v Vertex, l Label, d Direction) int {
	if g = g.holder(l); g.over != nil && !g.over.disjoint {
		return len(g.Neighbours(v, l, d))
	}
	return g.Outline(l, d).Degree(v)
}

// LabelEdges is the number of edges of a label, without merging them unless graphs of a union may have some in common.
func (g *Graph) LabelEdges(l Label) int {
	g = g.holder(l)
	switch {
	case g.over != nil && !g.over.disjoint:
		return g.Partition(l, Out).Edges()
	case g.over != nil:
		return g.over.labelEdges(l)
	}
	return g.Partition(l, Out).Edges()
}

// Counts returns the numbers of edges, and of rows of Partition(l, Out) and Partition(l, In), of a label, without
// merging them unless graphs of a union may have edges in common.
func (g *Graph) Counts(l Label) (edges, subjects, objects int) {
	if g = g.holder(l); g.over != nil && !g.over.disjoint {
		return g.Partition(l, Out).Edges(), g.Partition(l, Out).Rows(), g.Partition(l, In).Rows()
	}
	out, in := g.Outline(l, Out), g.Outline(l, In)
	return out.Edges(), out.count(), in.count()
}

// count is the number of different row vertices.
func (o Outline) count() int {
	n := o.Rows()
	for i, p := range o.more {
		earlier := Outline{o.first, o.more[:i]}
		for v := range p.RowVertices() {
			n -= oneIf(earlier.Degree(v) > 0)
		}
	}
	return n
}
