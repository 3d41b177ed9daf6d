package cpu

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
)

// Matcher runs match plans on the processor. It is safe for concurrent use. A match that is small stays on the goroutine that
// called; a large one has the workers that its query gets (match.Match.Workers).
type Matcher struct {
	workers sync.Pool
	blocks  sync.Pool            // room for making weights (*block)
	hubs    atomic.Pointer[hubs] // of a run before
	tuning  tuning
	runs    atomic.Uint64 // begun so far
}

var _ match.Matcher = (*Matcher)(nil)

// New returns a matcher.
func New() *Matcher { return &Matcher{tuning: tuned} }

// block returns room for a thread that makes weights.
func (m *Matcher) block() *block {
	b, _ := m.blocks.Get().(*block)
	if b == nil {
		b = &block{}
	}
	return b
}

// Match implements [match.Matcher].
func (m *Matcher) Match(ctx context.Context, task *match.Match, emit func(*match.Batch) error) error {
	start := time.Now()
	p, err := compile(task, false, &m.tuning)
	if err != nil || p.empty() {
		p.trace(task, start)
		return err
	}
	p.weighted = task.Weighted
	p.list(task.Plan.Lists)
	p.layOut(task.Plan.Output, task.Input != nil)
	if ok, err := m.componentsExist(ctx, p); err != nil || !ok {
		p.trace(task, start)
		return err
	}
	r := newRun(m, p, task.Limit)
	r.emit, r.aside = emit, task.Aside
	if task.Plan.Once {
		r.most = 1
	}
	err = r.do(ctx)
	p.trace(task, start)
	return err
}

// Count implements [match.Matcher].
func (m *Matcher) Count(ctx context.Context, task *match.Match) (uint64, error) {
	start := time.Now()
	p, err := compile(task, true, &m.tuning)
	if err != nil || p.empty() {
		p.trace(task, start)
		return 0, err
	}
	total, ok := uint64(0), false
	name := func(*match.Trace) {} // what each step did
	if p.Triangle != nil && (p.Dense == nil || p.paysTriples()) {
		name = func(t *match.Trace) { t.Name(match.TriangleVariant) }
		total, ok, err = countTriangles(ctx, p)
	}
	switch {
	case ok || err != nil:
	case p.Dense != nil:
		name = p.Dense.Name
		if total, ok, err = countDense(ctx, p); !ok {
			stepwise := m.tuning
			stepwise.NoDense = true
			if p, err = compile(task, true, &stepwise); err != nil {
				return 0, err
			}
		}
	case p.Squares != nil:
		name = func(t *match.Trace) { t.Name(match.SquareVariant) }
		total, ok, err = countSquares(ctx, p)
	}
	if !ok {
		total, err = m.count(ctx, p)
	}
	p.trace(task, start)
	if ok && task.Trace != nil {
		name(task.Trace)
	}
	if err == nil && total == tooMany {
		return 0, match.ErrTooMany
	}
	return total, err
}

// count multiplies the counts of the independent parts of a plan without seeds and branches; with seeds each row is counted.
func (m *Matcher) count(ctx context.Context, p *join) (uint64, error) {
	if p.input != nil || len(p.Plan.Branches) > 0 {
		p.layOut(nil, false)
		return m.countPart(ctx, p)
	}
	total := p.Automorphisms
	for _, part := range p.adopt() {
		n, err := m.countPart(ctx, part)
		if err != nil || n == 0 {
			return 0, err
		}
		total = multiply(total, n)
	}
	return total, nil
}

func (m *Matcher) countPart(ctx context.Context, p *join) (uint64, error) {
	r := newRun(m, p, 0)
	err := r.do(ctx)
	return r.total.Load(), err
}

// componentsExist reports whether each of several independent parts has a solution, so that a product with an empty
// part is not enumerated.
func (m *Matcher) componentsExist(ctx context.Context, p *join) (bool, error) {
	if p.input != nil || len(p.program.parts) < 2 {
		return true, nil
	}
	for _, part := range p.adopt() {
		r := newRun(m, part, 1)
		r.most = 1
		if err := r.do(ctx); err != nil || r.total.Load() == 0 {
			return false, err
		}
	}
	return true, nil
}
