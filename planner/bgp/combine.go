package bgp

import "slices"

// Repeats reports whether rows that come out may be equal: a step that is enumerated binds what nobody reads.
func (p *MatchPlan) Repeats() bool {
	for k, s := range p.Steps[:p.Own()] {
		if (p.Once || !s.Counted) && !slices.Contains(p.Output, p.Inputs+k) {
			return true
		}
	}
	return false
}

// Separate returns a plan that does not ask for equal rows to be combined: the plan itself where it does not.
func (p *MatchPlan) Separate() *MatchPlan {
	if !p.Combine {
		return p
	}
	out := *p
	out.Combine = false
	return &out
}

// Rows is how many rows are expected to come out, each maybe with a weight.
func (p *MatchPlan) Rows() float64 {
	rows := 1.0
	for _, s := range p.Steps[:p.Own()] {
		if !s.Counted {
			rows = s.EstimatedRows
		}
	}
	return rows
}

// CombineCost is what it costs a processor to combine the rows that a matcher hands on one by one.
func (p *MatchPlan) CombineCost() float64 { return CombinePrice * p.Rows() }

// GPUCombineCost is what that costs where a GPU matches: there, with a copy of the groups, or a copy of the rows and the processor's work.
func (p *MatchPlan) GPUCombineCost() float64 {
	rows, cost, bytes := p.Rows(), p.CombineCost(), float64(4*len(p.Output))
	if !p.Combine {
		return cost + rows*bytes/GPUCopyBytes
	}
	groups := rows / CombineShare
	if p.Tally > 0 {
		groups /= CombineShare
	}
	return cost/GPUCombineShare + groups*(CombinePrice+(bytes+8)/GPUCopyBytes)
}
