package bgp

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// recall is the share of a plan's measured cost that is left where a matcher remembers counts by the vertex that they depend on: what hangs on one
// vertex is counted once for each, however many partial matches bind it.
func (p *MatchPlan) recall(graph *pcsr.Graph) float64 {
	first := 0 // of the steps that are counted
	for k := range p.Steps[:p.Own()] {
		if slices.Contains(p.Output, p.Inputs+k) {
			first = k + 1
		}
	}
	rows, all, left := 1.0, 0.0, 0.0
	for k := range p.Steps[:p.Own()] {
		s := &p.Steps[k]
		cost := s.EstimatedCandidates
		all += cost
		if different := p.sources(graph, s); k >= first && different < rows {
			cost *= different / rows
		}
		if left += cost; !s.Counted {
			rows = s.EstimatedRows
		}
	}
	if left < all {
		return left / all
	}
	return 1
}

// sources is how many vertices a step has different candidates for, before Distinct, where these come from the list of one vertex; else infinite.
func (p *MatchPlan) sources(graph *pcsr.Graph, s *Step) float64 {
	var list *Link
	for i := range s.Links {
		switch l := &s.Links[i]; {
		case l.Kind == Rows || l.Kind == AllVertices:
		case l.Kind != Neighbours || !l.Label.IsConstant() || l.From.Slot < p.Inputs || list != nil:
			return math.Inf(1)
		default:
			list = l
		}
	}
	if list == nil || len(s.Checks)+len(s.EdgeDistinct) > 0 {
		return math.Inf(1)
	}
	n := graph.Outline(list.Label.Constant, list.Dir).Rows()
	for _, c := range p.Steps[list.From.Slot-p.Inputs].Classes {
		n = min(n, len(graph.Members(c)))
	}
	return float64(n)
}
