package backend

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestAutoTriesTheOtherSideWhereOneTookLonger: longer than what the other is expected to take. Once both were seen the quicker one is taken, until that is forgotten.
func TestAutoTriesTheOtherSideWhereOneTookLonger(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	now := time.Now()
	b.seen.now = func() time.Time { return now }
	choice := &Choice{backends: b, device: Auto}
	plan := func(cost float64) *bgp.MatchPlan {
		return &bgp.MatchPlan{Steps: []bgp.Step{{EstimatedCandidates: cost}}, Cost: cost}
	}
	there := func(p *bgp.MatchPlan) bool {
		_, ok := choice.Matcher(p, nil).(gpuMatcher)
		return ok
	}
	cheap, dear := plan(1000), plan(1e6) // 5 µs and 5 ms of one thread
	if there(cheap) || !there(dear) {
		t.Fatal("the prices are not what the test is about")
	}
	b.seen.note(cheap, processorSide, 200*time.Microsecond)
	if there(cheap) || b.seen.count.Load() != 0 {
		t.Error("what takes less than a GPU is remembered")
	}
	b.seen.note(cheap, processorSide, 20*time.Millisecond)
	if !there(cheap) {
		t.Error("a plan that took 20 ms is not tried on the GPU")
	}
	b.seen.note(cheap, deviceSide, time.Second)
	if there(cheap) {
		t.Error("the GPU took longer, and is taken")
	}
	b.seen.note(cheap, deviceSide, time.Millisecond)
	if !there(cheap) {
		t.Error("the GPU took less at last, and is not taken")
	}
	b.seen.note(dear, deviceSide, 9*time.Millisecond)
	if !there(dear) {
		t.Error("9 ms are less than twice 5, and the processor is tried")
	}
	b.seen.note(dear, deviceSide, 20*time.Millisecond)
	b.seen.note(dear, deviceSide, 20*time.Millisecond)
	if there(dear) {
		t.Error("20 ms on the GPU where 5 are expected of the processor, which is not tried")
	}
	b.seen.note(dear, processorSide, 30*time.Millisecond)
	if !there(dear) {
		t.Error("the processor took longer, and is taken")
	}
	now = now.Add(seenLasts + 1)
	if there(cheap) || !there(dear) || b.seen.count.Load() != 0 {
		t.Error("what was seen is not forgotten")
	}
	for range mostSeen + 1 {
		b.seen.note(plan(1), processorSide, time.Second)
	}
	if n := b.seen.count.Load(); n != 1 {
		t.Errorf("%d plans are remembered", n)
	}
}

// slow is a matcher that takes a while.
type slow struct{ match.Matcher }

func (slow) Count(context.Context, *match.Match) (uint64, error) {
	time.Sleep(time.Millisecond)
	return 0, nil
}

func (slow) Match(context.Context, *match.Match, func(*match.Batch) error) error {
	time.Sleep(time.Millisecond)
	return errors.New("it failed")
}

// TestWholeRunsAreRemembered: not those that fail, have a limit or go on from rows.
func TestWholeRunsAreRemembered(t *testing.T) {
	m := &memory{}
	plan := &bgp.MatchPlan{}
	w := watched{slow{}, watch{m, plan, processorSide}}
	for _, one := range []match.Matcher{w, gpuMatcher{nil, w.watch, trial{}}} {
		if one == match.Matcher(slow{}) { // comparing is no panic
			t.Errorf("%v is another", one)
		}
		_ = map[match.Matcher]bool{one: true}
	}
	_ = w.Match(t.Context(), &match.Match{Plan: plan}, nil)
	_, _ = w.Count(t.Context(), &match.Match{Plan: plan, Limit: 1})
	_, _ = w.Count(t.Context(), &match.Match{Plan: plan, Input: &match.Input{}})
	if seen := m.of(plan); seen != (gpu.Seen{}) {
		t.Errorf("%+v is remembered", seen)
	}
	_, _ = w.Count(t.Context(), &match.Match{Plan: plan})
	if seen := m.of(plan); seen.Processor < time.Millisecond || seen.Device != 0 {
		t.Errorf("%+v is remembered", seen)
	}
}
