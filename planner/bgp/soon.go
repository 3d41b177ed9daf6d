package bgp

import "math"

const (
	// soonFrom, in candidates, is what a match must be expected to cost until its caller has the rows that it needs for an order that has them sooner to be looked for.
	soonFrom = 2_000.
	// soonMost is how many times what another order costs the whole of such a match may cost: there may be fewer rows than are needed.
	soonMost = 4
	// leastPart is the least part of the cost of a match, of which some rows are enough, that its planning goes by.
	leastPart = 1. / 32
)

// fewWanted reports whether some rows of a plan are enough, whichever they are.
func (b *bgp) fewWanted(plan *MatchPlan) bool {
	f := b.options.First
	return f != nil && f.Variable == "" && f.Gain > 0 && plan.Inputs == 0 && !b.options.CountOnly && !b.options.Distinct
}

// soon returns the plan, or another that has as many rows as are needed for less: where a plan begins with few vertices that have many partial matches each, a matcher may
// read much that leads nowhere before it comes to the first row.
func (b *bgp) soon(e *estimates, plan *MatchPlan) *MatchPlan {
	f := b.options.First
	always := math.IsInf(f.Gain, 1)
	plan.Part = plan.partUntil(f.Rows)
	best, least := plan, f.Gain*plan.Part*plan.Cost
	if b.over() || !always && least < f.Gain*soonFrom {
		return plan
	}
	for _, order := range e.alternatives(nil, b.read(), 0) {
		other := b.complete(e, nil, order)
		if b.over() {
			return plan
		}
		other.Part = other.partUntil(f.Rows)
		if until := other.Part * other.Cost; until < least && (always || other.Cost <= soonMost*plan.Cost) {
			best, least = other, until
		}
	}
	return best
}

// part is the part of what a plan costs that planning goes by: less than all where some rows are enough, but not so little that a pattern which has fewer is planned carelessly.
func (b *bgp) part(plan *MatchPlan) float64 {
	if !b.fewWanted(plan) {
		return 1
	}
	return max(leastPart, plan.partUntil(b.options.First.Rows))
}

// partUntil is the part of a match that is expected to be run until there are so many rows, if these are spread evenly: so much of all rows, and one vertex of the first step.
// It is 1 where the estimates are beyond all numbers.
func (p *MatchPlan) partUntil(rows uint64) float64 {
	if p.Own() == 0 {
		return 1
	}
	part := 1/max(1, p.Steps[0].EstimatedRows) + float64(rows)/max(1, p.Rows())
	if !(part < 1) {
		return 1
	}
	return part
}
