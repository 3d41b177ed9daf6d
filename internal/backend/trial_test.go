package backend

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// alone is a share of all threads that its query has entered, and nobody else wants.
func alone(t *testing.T) *schedule.Share {
	s := schedule.New(4).Open(t.Context(), 0)
	s.Enter()
	return s
}

// chains is a count of chains of edges, of which there are very many.
func chains(t *testing.T, edges int) *match.Match {
	c := &matchtest.Case{Vertices: 50, Labels: 1, TypeLabel: -1, Options: bgp.Options{CountOnly: true, WeightGain: math.Inf(1)}}
	for v := range 2500 {
		c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(v / 50), To: pcsr.Vertex(v % 50)})
	}
	for i := range edges {
		c.Patterns = append(c.Patterns, matchtest.Edge(i, i+1, 0))
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTheProcessorCountsWhatTheGPUIsLateWith: the GPU joins what the processor weighs, and would not end.
func TestTheProcessorCountsWhatTheGPUIsLateWith(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	b.cpu = cpu.New()
	m := chains(t, 8)
	plan := m.Plan
	g := gpuMatcher{&Choice{backends: b, device: Auto}, watch{&b.seen, plan, deviceSide}, trial{plan, plan.ByRows(), time.Millisecond}}
	m.Plan, m.Workers = g.Runs(plan, m.Graph), alone(t)
	for range 3 {
		if n, err := g.Count(t.Context(), m); err != nil || n != 1953125000000000 {
			t.Fatalf("counted %d (error %v)", n, err)
		}
	}
	if seen := b.seen.of(plan); seen.Device < time.Millisecond {
		t.Errorf("%+v is remembered", seen)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	b.cpu = endless{}
	if n, err := g.Count(ctx, m); err == nil {
		t.Errorf("counted %d in no time", n)
	}
}

// endless is a matcher that does not end by itself.
type endless struct{ match.Matcher }

func (endless) Count(ctx context.Context, _ *match.Match) (uint64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

// broken is a matcher that does not work.
type broken struct{ match.Matcher }

func (broken) Count(context.Context, *match.Match) (uint64, error) { panic("it is broken") }

// TestTheGPUCountsWhatTheProcessorIsSlowerWith: also late.
func TestTheGPUCountsWhatTheProcessorIsSlowerWith(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	b.cpu = endless{}
	m := chains(t, 2)
	plan := m.Plan
	g := gpuMatcher{&Choice{backends: b, device: Auto}, watch{&b.seen, plan, deviceSide}, trial{plan, plan, 1}}
	m.Workers = alone(t)
	if n, err := g.Count(t.Context(), m); err != nil || n != 125000 {
		t.Fatalf("counted %d (error %v)", n, err)
	}
	other := schedule.New(4)
	m.Workers = other.Open(t.Context(), 0)
	m.Workers.Enter()
	other.Open(t.Context(), 0).Enter()
	b.cpu = broken{} // nobody asks it where another query wants its threads
	if n, err := g.Count(t.Context(), m); err != nil || n != 125000 {
		t.Fatalf("counted %d (error %v)", n, err)
	}
	m = chains(t, 8)
	g.trial = trial{m.Plan, m.Plan.ByRows(), 1}
	m.Plan, m.Workers = g.trial.runs, alone(t)
	defer func() {
		if recover() == nil {
			t.Error("what panics on the processor does not panic")
		}
	}()
	_, _ = g.Count(t.Context(), m)
}

// TestTrialsCountAsByBruteForce: whichever side is first, and also where the processor may not have the memory that it asks for.
func TestTrialsCountAsByBruteForce(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	b.cpu = cpu.New()
	workers := alone(t)
	rapid.Check(t, func(rt *rapid.T) {
		draw := rapid.SampledFrom([]func(*rapid.T) *matchtest.Case{matchtest.DrawTree, matchtest.DrawDense, matchtest.DrawClasses, matchtest.DrawSymmetric}).Draw(rt, "kind")
		c := draw(rt)
		c.Options.CountOnly = true
		m, err := c.Match()
		if err != nil {
			rt.Fatal(err)
		}
		if m.Plan.Inputs > 0 || m.Plan.Empty {
			return
		}
		var mu sync.Mutex
		left, full := int64(0), rapid.Bool().Draw(rt, "full")
		m.Charge = func(bytes int64) error {
			mu.Lock()
			defer mu.Unlock()
			left += bytes
			return nil
		}
		m.TryCharge = func(bytes int64) bool { return !full && m.Charge(bytes) == nil }
		plan := m.Plan
		g := gpuMatcher{&Choice{backends: b, device: Auto}, watch{&b.seen, plan, deviceSide}, trial{plan, plan.ByRows(), 1}}
		m.Plan, m.Workers = g.trial.runs, workers
		if n, err := g.Count(t.Context(), m); err != nil || n != uint64(len(c.Solutions())) {
			rt.Fatalf("counted %d (error %v), want %d\n%v", n, err, len(c.Solutions()), c)
		}
		if left != 0 {
			rt.Fatalf("%d bytes stay charged", left)
		}
		if err := b.opened.Forget(m.Graph); err != nil {
			rt.Fatal(err)
		}
	})
}
