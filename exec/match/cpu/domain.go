package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// domain is where a step's candidates are read from: the shortest list or rows, between the first and the last vertex that may be one.
type domain struct {
	step      *step
	graph     *pcsr.Graph
	list      []pcsr.Vertex
	rows      *pcsr.Partition
	first, n  int // of the list's members, or of the rows
	low, high pcsr.Vertex
	// others are the lists and rows that candidates must also be in.
	others    [][]pcsr.Vertex
	otherRows []*pcsr.Partition
}

// span is how many vertices there are from the first to the last.
func (d *domain) span() int {
	if d.n == 0 {
		return 0
	}
	return int(d.high-d.low) + 1
}

// domain finds where the candidates of a step are: among the neighbours of its list, unless that is nil.
func (w *weighing) domain(s *step, children []*weights, neighbours *pcsr.Partition) *domain {
	d := &domain{step: s, graph: w.join.Graph, n: -1, low: s.Low, high: s.High}
	if s.High < dictionary.None {
		d.high--
	}
	rows := slices.Clone(s.rows)
	if neighbours != nil {
		rows = append(rows, neighbours)
	}
	for _, c := range parts(children) {
		if c.lists != nil {
			rows = append(rows, c.lists)
		} else if c.table != nil {
			d.cut(c.first, c.first+pcsr.Vertex(c.table.n)-1)
		}
	}
	for _, p := range rows {
		d.cutRows(p)
	}
	for _, l := range s.static {
		d.cut(l.list[0], l.list[len(l.list)-1])
	}
	if d.low > d.high {
		return &domain{step: s}
	}
	d.choose(rows)
	return d
}

// parts are weights of which none may be 0: some, and those that what must exist is made of.
func parts(all []*weights) (out []*weights) {
	for _, c := range all {
		if out = append(out, c); c.branch != nil && c.branch.Branch.Weight == bgp.Some {
			out = append(out, parts(c.of)...)
		}
	}
	return out
}

func (d *domain) cut(first, last pcsr.Vertex) { d.low, d.high = max(d.low, first), min(d.high, last) }

// cutRows leaves what lies between the first and the last row of a partition.
func (d *domain) cutRows(p *pcsr.Partition) {
	if p.Rows() == 0 {
		d.low, d.high = 1, 0
		return
	}
	d.cut(p.Ends())
}

// choose takes the shortest list or rows as the source; members of the others are tested, but for the rows that children have.
func (d *domain) choose(rows []*pcsr.Partition) {
	chosen := -1
	for i, l := range d.step.static {
		list := pcsr.Between(l.list, d.low, after(d.high))
		if d.n < 0 || len(list) < d.n {
			d.list, d.n, chosen = list, len(list), i
		}
	}
	for _, p := range rows {
		first, last := p.RowFrom(d.low), p.Rows()
		if d.high < dictionary.None {
			last = p.RowFrom(d.high + 1)
		}
		if d.n < 0 || last-first < d.n {
			d.rows, d.first, d.n, chosen = p, first, last-first, -1
		}
	}
	for i, l := range d.step.static {
		if i != chosen {
			d.others = append(d.others, l.list)
		}
	}
	for _, p := range d.step.rows {
		if p != d.rows {
			d.otherRows = append(d.otherRows, p)
		}
	}
}

// offset is where the member of the source at a place lies behind the first vertex; that behind the last one is where the domain ends.
func (d *domain) offset(place int) int {
	switch {
	case place == 0:
		return 0
	case place == d.n:
		return d.span()
	case d.rows != nil:
		return int(d.rows.Vertex(d.first+place) - d.low)
	}
	return int(d.list[place] - d.low)
}

// takesAll reports whether all members of the source are candidates.
func (d *domain) takesAll() bool {
	return len(d.others)+len(d.otherRows)+len(d.step.Plan.Checks)+len(d.step.Distinct) == 0
}

// after is the bound of a range that ends with v; 0 is none.
func after(v pcsr.Vertex) pcsr.Vertex {
	if v == dictionary.None {
		return 0
	}
	return v + 1
}

// candidates are the members of the source from low to high-1 that pass the step's conditions.
func (d *domain) candidates(low, high int, room, kept []pcsr.Vertex) []pcsr.Vertex {
	vertices := append(room, d.list[min(low, len(d.list)):min(high, len(d.list))]...)
	if d.rows != nil {
		vertices = d.rows.AppendVertices(room, d.first+low, d.first+high)
	}
	for _, other := range d.others {
		if len(vertices) > 0 {
			kept = pcsr.Intersect(kept[:0], vertices, pcsr.Between(other, vertices[0], after(vertices[len(vertices)-1])))
			vertices, kept = kept, vertices
		}
	}
	for _, p := range d.otherRows {
		vertices = p.KeepRows(vertices[:0], vertices)
	}
	if s := d.step; len(s.Plan.Checks)+len(s.Distinct) > 0 {
		vertices = slices.DeleteFunc(vertices, func(v pcsr.Vertex) bool {
			return slices.ContainsFunc(s.Distinct, func(o bgp.Operand) bool { return o.Constant == v }) || !holds(d.graph, s.Step, v)
		})
	}
	return vertices
}
