package bgp

import "github.com/rdfgpu/rdfgpu/pcsr"

// price writes the estimates for the steps of a plan, for one seeded partial match. A step that is counted leaves the
// number of partial matches as it was.
func (e *estimates) price(p *MatchPlan, inputs, order []int) {
	bound := make([]bool, len(e.query.Vertices))
	for _, v := range inputs {
		if v >= 0 {
			bound[v] = true
		}
	}
	rows := 1.0
	for k, v := range order {
		step := &p.Steps[k]
		list, factor := e.extend(bound, v)
		step.list, step.fan = bounded(list), bounded(factor)
		if step.isLength() {
			list = 1
		}
		step.EstimatedCandidates, step.EstimatedRows = bounded(rows*list), bounded(rows*factor)
		p.Cost += step.EstimatedCandidates
		if !step.Counted {
			rows = step.EstimatedRows
		}
		bound[v] = true
	}
}

// beyond is the largest estimate: more than anything could be enumerated in, and still a number after some sums and
// products of it.
const beyond = 1e60

// bounded keeps an estimate a number.
func bounded(x float64) float64 {
	if x < beyond {
		return x
	}
	return beyond
}

// isLength reports whether the candidates of a step are counted by the length of one list, without reading it.
func (s *Step) isLength() bool {
	return s.Counted && s.isList()
}

// isList reports whether the candidates of a step are one list.
func (s *Step) isList() bool { return s.isMeet() && len(s.Links)+len(s.Classes) == 1 }

// isMeet reports whether a step's candidates are what a few lists have in common.
func (s *Step) isMeet() bool {
	n := len(s.Links) + len(s.Classes)
	return n >= 1 && n <= mostMet && len(s.Checks)+len(s.EdgeDistinct) == 0 && s.Candidates == nil
}

// mostMet is how many lists a GPU finds the common members of where they hang on a row (kernels.MostOthers).
const mostMet = 4

// extend estimates, for one partial match of the bound vertices, the length of the list that a step for v reads and
// the number of candidates that pass.
func (e *estimates) extend(bound []bool, v int) (list, factor float64) {
	list, factor = e.source[v], e.domain[v]
	for _, i := range e.byVertex[v] {
		p, estimate := &e.patterns[i], &e.edges[i]
		from, to := p.from.isConstant() || bound[p.from.vertex], p.to.isConstant() || bound[p.to.vertex]
		if p.label.isConstant() {
			switch {
			case p.from.vertex == p.to.vertex:
			case from:
				list, factor = min(list, estimate.length[pcsr.Out]), factor*estimate.selectivity
			case to:
				list, factor = min(list, estimate.length[pcsr.In]), factor*estimate.selectivity
			}
			continue
		}
		label := bound[p.label.vertex]
		factor *= estimate.share(from || p.from.vertex == v, label || p.label.vertex == v, to || p.to.vertex == v) /
			estimate.share(from, label, to)
		switch {
		case v == p.label.vertex && from:
			list = min(list, estimate.fromLabel*e.domain[v])
		case v == p.label.vertex && to:
			list = min(list, estimate.toLabel*e.domain[v])
		case label && from:
			list = min(list, estimate.length[pcsr.Out])
		case label && to:
			list = min(list, estimate.length[pcsr.In])
		}
	}
	return max(list, factor), factor
}

// share is the share of the bound part's values that the pattern links.
func (g *edgeEstimate) share(from, label, to bool) float64 {
	const least = 1e-12
	switch {
	case from && label && to:
		return max(least, g.selectivity)
	case from && label:
		return max(least, g.fromLabel)
	case label && to:
		return max(least, g.toLabel)
	}
	return 1
}

// length estimates the length of a link's list.
func (e *estimates) length(l Link) float64 {
	switch l.Kind {
	case Neighbours:
		if l.From.IsConstant() && l.Label.IsConstant() {
			return float64(e.graph.Outline(l.Label.Constant, l.Dir).Degree(l.From.Constant))
		}
		for i := range e.patterns {
			if e.patterns[i].edge == l.Edge {
				return e.edges[i].length[l.Dir]
			}
		}
	case Rows:
		if l.Label.IsConstant() {
			return float64(e.graph.Outline(l.Label.Constant, l.Dir).Rows())
		}
		return e.averageRows(l.Dir)
	case EdgeLabels:
		if l.From.IsConstant() {
			return float64(len(e.graph.EdgeLabels(l.From.Constant, l.Dir)))
		}
		return e.averageRows(l.Dir) * float64(len(e.graph.UsedLabels())) / max(1, float64(e.graph.IncidentRows(l.Dir)))
	case AllEdgeLabels:
		return float64(len(e.graph.UsedLabels()))
	}
	return float64(e.graph.IncidentRows(l.Dir))
}

// disjoint reports whether two query vertices can never bind the same data vertex.
func (e *estimates) disjoint(v, w int) bool {
	n := len(e.query.Vertices)
	if e.apart == nil {
		e.apart = make([]int8, n*n)
	}
	known := &e.apart[min(v, w)*n+max(v, w)]
	if *known == 0 {
		*known = -1
		if e.findDisjoint(v, w) {
			*known = 1
		}
	}
	return *known > 0
}

func (e *estimates) findDisjoint(v, w int) bool {
	if e.options.Lasting {
		return false
	}
	longest := whole(e.affordable/comparedShare, shortCompared, longestCompared)
	a, b := e.interval[v], e.interval[w]
	if a.High != 0 && a.High <= b.Low || b.High != 0 && b.High <= a.Low {
		return true
	}
	for _, x := range e.lists[v] {
		for _, y := range e.lists[w] {
			if len(x)+len(y) <= longest && !meet(x, y) {
				return true
			}
		}
	}
	return false
}

// longestCompared bounds the lists that are compared to find two query vertices disjoint; so does the query's cost by
// comparedShare, but not below shortCompared.
const longestCompared, shortCompared, comparedShare = 1 << 14, 256, 64

// meet reports whether two sorted lists have a common member.
func meet(x, y []pcsr.Vertex) bool {
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] == y[0]:
			return true
		case x[0] < y[0]:
			x = x[pcsr.Gallop(x, y[0]):]
		default:
			y = y[pcsr.Gallop(y, x[0]):]
		}
	}
	return false
}
