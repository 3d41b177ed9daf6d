package bgp

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// edgeEstimate holds what is estimated for one pattern.
type edgeEstimate struct {
	// selectivity is the share of pairs (from, to) of the two domains that the pattern links; with a predicate
	// variable, the share of triples (from, label, to).
	selectivity float64
	// fromLabel and toLabel are the shares of (from, label) and (to, label) that some triple links.
	fromLabel, toLabel float64
	// length is the mean length of the list N(from, label, Out), and of N(to, label, In).
	length [2]float64
}

// estimateEdge estimates the selectivity of pattern i once the domains of its variables are known.
func (e *estimates) estimateEdge(i int) {
	p, estimate := &e.patterns[i], &e.edges[i]
	if !p.label.isConstant() {
		e.estimateVariableEdge(p, estimate)
		return
	}
	if p.from.isConstant() || p.to.isConstant() || p.from.vertex == p.to.vertex {
		return
	}
	rows := [2]float64{float64(e.graph.Outline(p.label.id, pcsr.Out).Rows()), float64(e.graph.Outline(p.label.id, pcsr.In).Rows())}
	if rows[0] == 0 || rows[1] == 0 {
		return
	}
	if e.domain[p.from.vertex]/rows[0] <= e.domain[p.to.vertex]/rows[1] {
		estimate.selectivity = estimate.length[pcsr.Out] / rows[1]
	} else {
		estimate.selectivity = estimate.length[pcsr.In] / rows[0]
	}
	estimate.selectivity = min(1, estimate.selectivity)
	if e.isBack(i) {
		estimate.selectivity = e.leadsBack(p.label.id)
	}
}

// isBack reports whether a pattern is an earlier one in the other direction.
func (e *estimates) isBack(i int) bool {
	p := &e.patterns[i]
	return slices.ContainsFunc(e.patterns[:i], func(q pattern) bool { return q.label == p.label && q.from == p.to && q.to == p.from })
}

// leadsBack is the share of a label's edges of which another leads back, as a sample tells.
func (e *estimates) leadsBack(l pcsr.Label) float64 {
	rows := e.graph.Outline(l, pcsr.Out)
	source := domainSource{length: rows.Rows(), rows: rows}
	total, found := min(source.length, samples), 0
	for k := range total {
		v := source.sample(k, total)
		list := e.graph.Neighbours(v, l, pcsr.Out)
		if len(list) > 0 && e.graph.HasEdge(list[7919*k%len(list)], l, v) {
			found++
		}
	}
	return max(float64(found), leastKept) / float64(max(total, 1))
}

// leastKept is how many of a sample are taken to pass where none does.
const leastKept = 0.3

// estimateVariableEdge estimates for a pattern with a predicate variable, from means over the whole graph.
func (e *estimates) estimateVariableEdge(p *pattern, estimate *edgeEstimate) {
	labels := max(1, float64(len(e.graph.UsedLabels())))
	out, in := max(1, float64(e.graph.IncidentRows(pcsr.Out))), max(1, float64(e.graph.IncidentRows(pcsr.In)))
	edges := float64(e.graph.Edges())
	rows := [2]float64{e.averageRows(pcsr.Out) * labels, e.averageRows(pcsr.In) * labels}
	estimate.length = [2]float64{edges / max(1, rows[0]), edges / max(1, rows[1])}
	estimate.fromLabel, estimate.toLabel = rows[0]/out/labels, rows[1]/in/labels
	estimate.selectivity = edges / out / in / labels
	if p.from.isConstant() {
		estimate.fromLabel, estimate.selectivity = e.constantEnd(p.from.id, pcsr.Out, labels, in)
	}
	if p.to.isConstant() {
		estimate.toLabel, estimate.selectivity = e.constantEnd(p.to.id, pcsr.In, labels, out)
	}
}

// constantEnd returns the share of labels that the constant has, and of (label, other end) that it is linked with.
func (e *estimates) constantEnd(c dictionary.ID, d pcsr.Direction, labels, others float64) (label, pair float64) {
	edges := 0
	own := e.graph.EdgeLabels(c, d)
	for _, l := range own {
		edges += e.graph.Outline(l, d).Degree(c)
	}
	return float64(len(own)) / labels, float64(edges) / labels / others
}

// averageRows is the mean number of rows of a partition.
func (e *estimates) averageRows(d pcsr.Direction) float64 {
	labels := e.graph.UsedLabels()
	if len(labels) == 0 {
		return 0
	}
	rows := 0
	for _, l := range labels {
		rows += e.graph.Outline(l, d).Rows()
	}
	return float64(rows) / float64(len(labels))
}
