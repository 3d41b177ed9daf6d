package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// countsRows reports whether a group's candidates are rows of one partition between two vertices, all that hangs on each is its list there, and nothing else
// is asked: edges with an end in a range, which the partition knows from where lists begin.
//
//	SELECT (COUNT(*) AS ?n) { ?x ?p ?y FILTER isLiteral(?y) }
func (g *group) countsRows() bool {
	s := g.step
	if len(g.children) != 1 || !s.hasRowsOfOne() {
		return false
	}
	c := g.children[0]
	if c.step == nil || len(c.children) > 0 || c.step.asksMore() || c.step.Low != 0 || c.step.High != dictionary.None || len(c.step.static)+len(c.step.rows) > 0 || len(c.step.dynamic) != 1 {
		return false
	}
	list := &c.step.dynamic[0]
	if list.kind != bgp.Neighbours || list.from != bgp.Bound(s.Slot) {
		return false
	}
	if len(s.rows) == 1 {
		return list.partition == s.rows[0]
	}
	rows := &s.dynamic[0]
	return rows.label == list.label && rows.dir == list.dir
}

// hasRowsOfOne reports whether the step's candidates are rows of one partition in a range.
func (s *step) hasRowsOfOne() bool {
	return !s.asksMore() && len(s.static) == 0 && (len(s.rows) == 1 && len(s.dynamic) == 0 || len(s.rows) == 0 && len(s.dynamic) == 1 && s.dynamic[0].kind == bgp.Rows)
}

// countsRowsFrom reports whether what a step and those after it count is known without going through the step's candidates.
func (p *join) countsRowsFrom(step int) bool {
	if !p.steps[step].hasRowsOfOne() {
		return false
	}
	return slices.ContainsFunc(p.groups(step), func(g *group) bool { return g.step == p.steps[step] && g.byRows })
}

// asksMore reports whether a step asks more of its candidates than lists, rows and a range.
func (s *step) asksMore() bool {
	return s.IsOrdered() || s.signatures != nil || len(s.apart)+len(s.checks)+len(s.Plan.Checks)+len(s.Distinct)+len(s.Plan.EdgeDistinct) > 0
}

// countRows counts the edges of a group that countsRows; false where the partition would have to be read for that.
func (w *worker) countRows(s *step) (edges uint64, ok bool) {
	var p *pcsr.Partition
	if len(s.rows) == 1 {
		p = s.rows[0]
	} else {
		p = w.graph.Partition(w.value(s.dynamic[0].label), s.dynamic[0].dir)
	}
	rows, edges, ok := p.Within(s.Low, s.High)
	if ok {
		c := &w.scratch[s.Index]
		c.rowsIn++
		c.rowsOut += uint64(rows)
		w.work += memoWork
	}
	return edges, ok
}
