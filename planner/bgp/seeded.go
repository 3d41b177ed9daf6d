package bgp

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// ForRows returns the plan as it costs for so many rows of input: Plan prices it for one.
func (p *MatchPlan) ForRows(rows int) *MatchPlan {
	out, n := *p, float64(rows)
	out.Cost *= n
	out.Steps = slices.Clone(p.Steps)
	for i := range out.Steps {
		out.Steps[i].EstimatedRows *= n
		out.Steps[i].EstimatedCandidates *= n
	}
	return &out
}

// Relabel returns the plan with other labels for some of its edges, for a graph that has them (pcsr.Graph.Beside): edges are named by
// what the plan reads them with, their labels constants. Which edges must differ is as before; Query is nil, for it is another now. ok is false where the plan does not join one
// of them by a list or test it.
func (p *MatchPlan) Relabel(edges map[EdgeCheck]pcsr.Label) (out *MatchPlan, ok bool) {
	r := relabelling{edges: edges, met: map[EdgeCheck]pcsr.Label{}}
	plan := *p
	plan.Query = nil
	plan.InputChecks = r.checks(p.InputChecks)
	plan.Steps = slices.Clone(p.Steps)
	for k := range plan.Steps {
		s := &plan.Steps[k]
		s.Links, s.Checks = r.links(s.Links, Bound(p.Inputs+k)), r.checks(s.Checks)
	}
	return &plan, len(r.met) == len(edges)
}

// relabelling is one call of Relabel.
type relabelling struct {
	edges, met map[EdgeCheck]pcsr.Label
}

func (r *relabelling) label(e EdgeCheck) Operand {
	l, ok := r.edges[e]
	if !ok {
		return e.Label
	}
	r.met[e] = l
	return Const(l)
}

func (r *relabelling) checks(list []EdgeCheck) []EdgeCheck {
	list = slices.Clone(list)
	for i, e := range list {
		list[i].Label = r.label(e)
	}
	return list
}

// links relabels the lists of a step that binds a slot.
func (r *relabelling) links(list []Link, slot Operand) []Link {
	list = slices.Clone(list)
	for i, l := range list {
		if l.Kind != Neighbours {
			continue
		}
		e := EdgeCheck{From: l.From, Label: l.Label, To: slot}
		if l.Dir == pcsr.In {
			e.From, e.To = e.To, e.From
		}
		list[i].Label = r.label(e)
	}
	return list
}
