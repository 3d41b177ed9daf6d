package backend

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// memory is what plans took on each side when they were run before, of those that took longer than a GPU takes for the least. Plans of queries that are asked again
// are kept (planCache in the root package), and known by their address. What was seen is forgotten after a while, since other queries and what is on the GPU change it. Safe for
// concurrent use.
type memory struct {
	plans sync.Map // *bgp.MatchPlan → *past
	count atomic.Int64
	now   func() time.Time // nil: time.Now
}

// past is what a plan took, and until when that is believed.
type past struct {
	mu    sync.Mutex
	seen  gpu.Seen
	until time.Time
}

const (
	// seenLasts is how long what was seen is believed; mostSeen how many plans are remembered, of which none is when there are more.
	seenLasts = time.Minute
	mostSeen  = 1024
	// leastSeen is what a plan takes that is remembered: a GPU needs about half of it for the smallest.
	leastSeen = 300 * time.Microsecond
)

func (m *memory) time() time.Time {
	if m.now != nil {
		return m.now()
	}
	return time.Now()
}

// of is what is remembered of a plan.
func (m *memory) of(plan *bgp.MatchPlan) gpu.Seen {
	found, _ := m.plans.Load(plan)
	p, ok := found.(*past)
	if !ok {
		return gpu.Seen{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.time().After(p.until) {
		m.forget(plan)
		return gpu.Seen{}
	}
	return p.seen
}

func (m *memory) forget(plan *bgp.MatchPlan) {
	if _, was := m.plans.LoadAndDelete(plan); was {
		m.count.Add(-1)
	}
}

// note remembers what a plan took on one side: the last time, or half as much more than the time before, whichever is less, since the first time brings what is not
// there and others run beside it.
func (m *memory) note(plan *bgp.MatchPlan, side func(*gpu.Seen) *time.Duration, took time.Duration) {
	found, known := m.plans.Load(plan)
	if !known {
		if took < leastSeen {
			return
		}
		if m.count.Load() >= mostSeen {
			m.plans.Range(func(plan, _ any) bool { m.forget(plan.(*bgp.MatchPlan)); return true })
		}
		if found, known = m.plans.LoadOrStore(plan, &past{until: m.time().Add(seenLasts)}); !known {
			m.count.Add(1)
		}
	}
	p := found.(*past)
	p.mu.Lock()
	defer p.mu.Unlock()
	if of := side(&p.seen); *of == 0 {
		*of = took
	} else {
		*of = min(took, *of*3/2)
	}
}

func processorSide(s *gpu.Seen) *time.Duration { return &s.Processor }
func deviceSide(s *gpu.Seen) *time.Duration    { return &s.Device }

// watch remembers what the runs of a plan take on one side; the zero value does not.
type watch struct {
	memory *memory
	plan   *bgp.MatchPlan
	side   func(*gpu.Seen) *time.Duration
}

// run does a run. What it takes tells what others will take where it begins from nothing and has all rows; where its time is over, that they take as much at least.
func (w watch) run(m *match.Match, do func() error) error {
	if w.memory == nil || m.Input != nil || m.Limit > 0 {
		return do()
	}
	begun := time.Now()
	err := do()
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		w.memory.note(w.plan, w.side, time.Since(begun))
	}
	return err
}

// watched is a matcher of one plan whose runs are remembered.
type watched struct {
	match.Matcher
	watch
}

func (w watched) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	return w.run(m, func() error { return w.Matcher.Match(ctx, m, emit) })
}

func (w watched) Count(ctx context.Context, m *match.Match) (n uint64, err error) {
	err = w.run(m, func() (err error) {
		n, err = w.Matcher.Count(ctx, m)
		return err
	})
	return n, err
}
