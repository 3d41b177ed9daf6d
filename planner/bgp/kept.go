package bgp

import "sync/atomic"

// kept is what a matcher has made of a plan. Copies of the plan have it too, and are other plans.
type kept struct {
	of   *MatchPlan
	made atomic.Pointer[any]
}

// ForManyRuns lets matchers keep what they make of the plan with it, for it is run again and again and changed no more.
func (p *MatchPlan) ForManyRuns() { p.kept = &kept{of: p} }

// Kept is what a matcher has kept with this plan, nil where there is nothing.
func (p *MatchPlan) Kept() any {
	if p.kept == nil || p.kept.of != p {
		return nil
	}
	if made := p.kept.made.Load(); made != nil {
		return *made
	}
	return nil
}

// Keep keeps what a matcher has made, where the plan is for many runs and nothing is kept with it yet. It must not be changed.
func (p *MatchPlan) Keep(made any) {
	if p.kept != nil && p.kept.of == p {
		p.kept.made.CompareAndSwap(nil, &made)
	}
}
