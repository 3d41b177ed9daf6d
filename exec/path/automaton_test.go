package path

import "testing"

// TestAnAutomatonGrowsWithItsPath, not with a power of its nesting: steps that cannot be dropped stand in each other.
func TestAnAutomatonGrowsWithItsPath(t *testing.T) {
	var step Step = &labelStep{}
	for range 60 {
		step = &closureStep{step: &sequenceStep{step, &labelStep{}}, more: true}
	}
	a := newAutomaton(step, 0)
	transitions := 0
	for _, s := range a.states {
		transitions += len(s)
	}
	if len(a.states) > 60*4 || transitions > 60*6 {
		t.Errorf("%d states and %d transitions for 60 repetitions", len(a.states), transitions)
	}
}
