package backend

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// trial is a plan that goes to the GPU because of what is expected of it.
type trial struct {
	plan *bgp.MatchPlan
	// runs is the plan as the GPU runs it; nil: none is known.
	runs *bgp.MatchPlan
	// patience is how long the GPU may take before the processor counts as well; 0: it need not.
	patience time.Duration
}

// mayTry reports whether the processor may count beside the GPU: where the count is that of the plan as a whole, is not told step by step, and nobody else asks
// for the processor's threads.
func (g gpuMatcher) mayTry(m *match.Match) bool {
	return g.trial.patience > 0 && m.Plan == g.trial.runs && m.Trace == nil && m.Input == nil && m.Limit == 0 && m.Bound == nil && len(m.Plan.Lookups) == 0 && m.Workers.Alone()
}

// counted is what one side came to.
type counted struct {
	n     uint64
	err   error
	panic any
}

// try counts on the GPU and, where that takes longer than was expected, on the processor too: who is first has counted, and the other is stopped. So an
// estimate that is wrong costs the patience that was had with it, not what the slower side takes.
func (g gpuMatcher) try(ctx context.Context, m *match.Match) (uint64, error) {
	onGPU, stopGPU := context.WithCancel(ctx)
	defer stopGPU()
	onProcessor, stopProcessor := context.WithCancel(ctx)
	defer stopProcessor()
	begun, here := time.Now(), make(chan counted, 1)
	late := time.AfterFunc(g.trial.patience, func() {
		c := counted{err: context.Canceled}
		if m.Workers.Alone() {
			c = g.countHere(onProcessor, stopProcessor, m)
		}
		if c.done() {
			stopGPU()
		}
		here <- c
	})
	there := g.countThere(onGPU, m)
	stopProcessor()
	if late.Stop() { // the processor has not begun
		return there.result()
	}
	c := <-here
	if there.done() || !c.done() {
		return there.result()
	}
	if c.panic == nil && g.watch.memory != nil {
		g.watch.memory.note(g.watch.plan, deviceSide, time.Since(begun)) // so much at least
	}
	return c.result()
}

// countThere counts on the GPU.
func (g gpuMatcher) countThere(ctx context.Context, m *match.Match) (c counted) {
	defer func() { c.panic = recover() }()
	c.n, c.err = g.count(ctx, m)
	return c
}

// countHere counts on the processor, the plan as it is there, from a goroutine of its own. Where that takes more memory than the query may have, it ends, and not
// the query.
func (g gpuMatcher) countHere(ctx context.Context, stop func(), m *match.Match) (c counted) {
	own, room := *m, &optional{m: m, full: stop}
	own.Plan = g.trial.plan.Separate()
	if m.Charge != nil {
		own.Charge = room.charge
	}
	m.Workers.Enter()
	defer m.Workers.Leave()
	defer func() { c.panic = recover() }()
	c.err = section.Guard(func() (err error) {
		c.n, err = watched{g.backends.cpu, watch{g.watch.memory, g.watch.plan, processorSide}}.Count(ctx, &own)
		return err
	})
	return c
}

// done reports whether a side has come to an end that the other would come to.
func (c counted) done() bool {
	return c.err == nil || errors.Is(c.err, match.ErrTooMany) || c.panic != nil
}

func (c counted) result() (uint64, error) {
	if c.panic != nil {
		panic(c.panic)
	}
	return c.n, c.err
}

// optional charges a match for what is done without where there is no room for it.
type optional struct {
	m    *match.Match
	full func()

	mu      sync.Mutex
	refused int64 // bytes that were not charged and are to be given back
}

func (o *optional) charge(bytes int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if bytes > 0 {
		if o.m.TryCharge == nil || o.m.TryCharge(bytes) {
			return nil
		}
		o.refused += bytes
		o.full()
		return context.Canceled
	}
	not := min(o.refused, -bytes)
	o.refused -= not
	if bytes += not; bytes == 0 {
		return nil
	}
	return o.m.Charge(bytes)
}
