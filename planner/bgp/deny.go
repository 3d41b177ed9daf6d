package bgp

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Denying is the plan with edges that must not be there (EdgeCheck.Absent) in place of the branches that ask for no more than that: a matcher
// that can tests the edge where it binds the second of its ends, before anything else hangs on it. Inequalities that follow from such an
// edge are left out: who has it, and who must not have it, are not the same. It is the plan itself where there is no such branch.
func (p *MatchPlan) Denying() *MatchPlan {
	if len(p.Branches) == 0 {
		return p
	}
	number, left := make([]int, len(p.Branches)+1), 0 // of branches that stay
	for i := range p.Branches {
		if !p.isDenied(i + 1) {
			left++
			number[i+1] = left
		}
	}
	if left == len(p.Branches) {
		return p
	}
	out := *p
	out.Steps, out.Branches = slices.Clone(p.Steps), make([]Branch, 0, left)
	out.Unequal = true // who may be exchanged for whom was found without these edges
	for i := range p.Branches {
		b := p.Branches[i]
		if number[i+1] > 0 {
			b.Within = number[b.Within]
			out.Branches = append(out.Branches, b)
			continue
		}
		c := b.Checks[0]
		c.Absent = true
		s := &out.Steps[max(c.From.Slot, c.To.Slot)-p.Inputs]
		s.Checks = append(slices.Clip(s.Checks), c)
	}
	for k := range out.Steps {
		out.Steps[k].Branch = number[out.Steps[k].Branch]
	}
	out.dropImplied()
	return &out
}

// isDenied reports whether a branch asks for no more than that there is no edge of one label between the vertices of two slots, not both of them
// seeded.
func (p *MatchPlan) isDenied(branch int) bool {
	b := &p.Branches[branch-1]
	if b.Weight != None || b.Within != 0 || b.Weighed || len(b.Checks) != 1 || len(b.Classes)+len(b.Distinct)+len(b.EdgeDistinct) > 0 {
		return false
	}
	c := &b.Checks[0]
	if c.Absent || !c.Label.IsConstant() || c.From.IsConstant() || c.To.IsConstant() || c.From == c.To || max(c.From.Slot, c.To.Slot) < p.Inputs {
		return false
	}
	return !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Branch == branch }) &&
		!slices.ContainsFunc(p.Branches, func(other Branch) bool { return other.Within == branch })
}

// dropImplied drops what slots must differ from by an edge that one has and the other must not have.
func (p *MatchPlan) dropImplied() {
	for k := range p.Steps[:p.Own()] {
		s, own := &p.Steps[k], Bound(p.Inputs+k)
		implied := func(o Operand) bool {
			return o.Slot >= p.Inputs && (p.parted(own, o) || p.parted(o, own))
		}
		if slices.ContainsFunc(s.Distinct, implied) {
			s.Distinct = slices.DeleteFunc(slices.Clone(s.Distinct), implied)
			s.Overlaps = s.Overlaps && len(s.Distinct) > 1
		}
	}
}

// parted reports whether a has an edge that b must not have, by what the steps say that bind them or the other end.
func (p *MatchPlan) parted(a, b Operand) bool {
	for k := range p.Steps[:p.Own()] {
		for _, c := range p.Steps[k].Checks {
			if !c.Absent || !c.Label.IsConstant() {
				continue
			}
			if c.To == b && p.links(c.From, c.Label, a) || c.From == b && p.links(a, c.Label, c.To) {
				return true
			}
		}
	}
	return false
}

// links reports whether the steps ask for an edge by a link.
func (p *MatchPlan) links(from, label, to Operand) bool {
	return p.reads(to, Link{Kind: Neighbours, From: from, Label: label, Dir: pcsr.Out}) ||
		p.reads(from, Link{Kind: Neighbours, From: to, Label: label, Dir: pcsr.In})
}

// reads reports whether the step that binds a slot has a link, whatever edge of the query that is for.
func (p *MatchPlan) reads(o Operand, l Link) bool {
	return o.Slot >= p.Inputs && slices.ContainsFunc(p.Steps[o.Slot-p.Inputs].Links, func(own Link) bool {
		own.Edge = l.Edge
		return own == l
	})
}
