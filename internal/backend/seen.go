package backend

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// memory is what plans took on each side when they were run before, of those that took longer than a GPU takes for the least. Plans of queries that are asked again
// are kept (planCache in the root package), and known by their address; the memory does not keep them. What was seen is forgotten after a while, since other queries and what is
// on the GPU change it. Safe for concurrent use.
type memory struct {
	plans sync.Map // weak.Pointer[bgp.MatchPlan] → *past
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
	if m.count.Load() == 0 {
		return gpu.Seen{}
	}
	key := weak.Make(plan)
	found, _ := m.plans.Load(key)
	p, ok := found.(*past)
	if !ok {
		return gpu.Seen{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.time().After(p.until) {
		m.forget(key)
		return gpu.Seen{}
	}
	return p.seen
}

func (m *memory) forget(key any) {
	if _, was := m.plans.LoadAndDelete(key); was {
		m.count.Add(-1)
	}
}

// note remembers what a plan took on one side: the last time, or half as much more than the time before, whichever is less, since the first time brings what is not
// there and others run beside it.
func (m *memory) note(plan *bgp.MatchPlan, on side, took time.Duration) {
	key := weak.Make(plan)
	found, known := m.plans.Load(key)
	if !known {
		if took < leastSeen {
			return
		}
		if m.count.Load() >= mostSeen {
			m.plans.Range(func(key, _ any) bool { m.forget(key); return true })
		}
		if found, known = m.plans.LoadOrStore(key, &past{until: m.time().Add(seenLasts)}); !known {
			m.count.Add(1)
		}
	}
	p := found.(*past)
	p.mu.Lock()
	defer p.mu.Unlock()
	if of := on.of(&p.seen); *of == 0 {
		*of = took
	} else {
		*of = min(took, *of*3/2)
	}
}

// side is where a plan runs.
type side uint8

const (
	processorSide side = iota
	deviceSide
)

func (s side) of(seen *gpu.Seen) *time.Duration {
	if s == deviceSide {
		return &seen.Device
	}
	return &seen.Processor
}

// watch remembers what the runs of a plan take on one side; the zero value does not. It can be compared, as matchers are.
type watch struct {
	memory *memory
	plan   *bgp.MatchPlan
	on     side
}

// run does a run. What it takes tells what others will take where it begins from nothing and has all rows; where its time is over, that they take as much at least.
// do also returns how long it waited for what will be there the next time.
func (w watch) run(m *match.Match, do func() (waited time.Duration, err error)) error {
	begun := time.Now()
	waited, err := do()
	if w.memory != nil && m.Input == nil && m.Limit == 0 && (err == nil || errors.Is(err, context.DeadlineExceeded)) {
		w.memory.note(w.plan, w.on, time.Since(begun)-waited)
	}
	return err
}

// watched is a matcher of one plan whose runs are remembered.
type watched struct {
	match.Matcher
	watch
}

func (w watched) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	return w.run(m, func() (time.Duration, error) { return 0, w.Matcher.Match(ctx, m, emit) })
}

func (w watched) Count(ctx context.Context, m *match.Match) (n uint64, err error) {
	err = w.run(m, func() (_ time.Duration, err error) {
		n, err = w.Matcher.Count(ctx, m)
		return 0, err
	})
	return n, err
}
