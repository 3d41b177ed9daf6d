package bgp

import "sync/atomic"

// kept is what has been made of a plan. Copies of the plan have it too, and are other plans.
type kept struct {
	of   *MatchPlan
	made [keptThings]atomic.Pointer[any]
}

// KeptThing is a thing that is made of a plan.
type KeptThing uint8

const (
	// KeptProgram is what the processor's matcher runs.
	KeptProgram KeptThing = iota
	// KeptSymmetry is which slots of the plan may be exchanged.
	KeptSymmetry
	// KeptOutlook is what the plan is expected to cost on each device.
	KeptOutlook
	keptThings
)

// ForManyRuns lets matchers keep what they make of the plan with it, for it is run again and again and changed no more.
func (p *MatchPlan) ForManyRuns() { p.kept = &kept{of: p} }

// Kept is what was kept with this plan, nil where there is nothing.
func (p *MatchPlan) Kept(thing KeptThing) any {
	if p.kept == nil || p.kept.of != p {
		return nil
	}
	if made := p.kept.made[thing].Load(); made != nil {
		return *made
	}
	return nil
}

// Keep keeps what was made, where the plan is for many runs and nothing is kept in its place yet. It must not be changed.
func (p *MatchPlan) Keep(thing KeptThing, made any) {
	if p.kept != nil && p.kept.of == p {
		p.kept.made[thing].CompareAndSwap(nil, &made)
	}
}
