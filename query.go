package rdfgpu

import (
	"context"
	"fmt"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/federation"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Query parses and plans a query, within ctx and the options' limits; the time limit begins now. It runs when the Result
// is read, which must be closed. The error is a *SyntaxError where the text is wrong, and wraps ErrUnsupported or
// ErrNoDevice where the query asks for what is not there.
func (s *Store) Query(ctx context.Context, text string, options QueryOptions) (*Result, error) {
	return s.query(ctx, text, options, s.live.Snapshot)
}

// query asks a state that it takes once it may.
func (s *Store) query(ctx context.Context, text string, options QueryOptions, state func() *live.Snapshot) (*Result, error) {
	r := &Result{store: s, budget: s.budget.pool.Open(options.MaxMemory), began: time.Now()}
	r.ctx, r.cancel = limited(ctx, options.Timeout)
	if err := s.live.WaitFor(r.ctx, options.MinSequence); err != nil {
		r.cancel()
		r.budget.Close()
		return nil, err
	}
	r.data = &dataset{Snapshot: state()}
	s.countMerged(r.data.Default().MergedBytes())
	r.workers = s.pool.Open(r.ctx, s.options.Threads)
	r.watch = newWatch(r.ctx, s, text, options.Overdue)
	if err := r.prepare(text, options); err != nil {
		r.Close()
		return nil, err
	}
	r.watch.enter(idle)
	return r, nil
}

// prepare parses and plans the query.
func (r *Result) prepare(text string, options QueryOptions) (err error) {
	s := r.store
	var before bool
	if r.query, before, err = s.parse(r.ctx, text, options); err != nil {
		return err
	}
	if err := r.budget.Meter("the text of the query and its tree").Charge(treeBytes(text)); err != nil {
		return err
	}
	parsed := time.Now()
	r.watch.enter(planning)
	if r.device, err = s.backends.Choose(options.Device); err != nil {
		return err
	}
	plans := r.plans(before)
	key := planKey{r.query, options.Semantics, options.CountOnly, r.device.Speed(), r.device.ShallowBranches()}
	planned, wanted := plans.find(key)
	s.plans.count(planned != nil)
	r.plan, err = exec.Prepare(r.ctx, r.query, r.data, r.data.Dictionary(), exec.Options{
		Planned: planned, Lasting: wanted, Semantics: options.Semantics, Matcher: r.device.Matcher, Searchers: r.device.Searcher, Speed: r.device.Speed(), ShallowBranches: r.device.ShallowBranches(), LooksUp: r.device.Speed() > 1, Budget: r.budget, MaxRows: options.MaxRows,
		TempDir: s.options.TempDir, Base: options.Base, Shown: true, CountOnly: options.CountOnly, Service: s.options.service(), IsTable: isTable, Table: s.table(r.data.Snapshot),
		Workers: r.workers,
	})
	if r.data.err != nil {
		return r.data.err
	}
	if err != nil {
		return err
	}
	if wanted {
		plans.keep(key, r.plan.Physical())
	}
	if options.Analyze {
		r.plan.Analyze()
	}
	r.timings.Parse = parsed.Sub(r.began)
	r.timings.OpenDevice = s.backends.ClaimOpening()
	r.timings.Plan = time.Since(parsed) - r.timings.OpenDevice
	return nil
}

// limited is ctx with the query's time limit; cancel frees it.
func limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout > 0 {
		return context.WithTimeoutCause(ctx, timeout, limitPassed(timeout))
	}
	return context.WithCancel(ctx)
}

// limitPassed is the cause of a context whose query took longer than its limit. Most contexts end without anybody reading it.
type limitPassed time.Duration

// Error says which limit.
func (e limitPassed) Error() string { return fmt.Sprintf("%v of %v", ErrTimeout, time.Duration(e)) }

// Unwrap is what callers test for.
func (limitPassed) Unwrap() error { return ErrTimeout }

// parse reads the text; the data set that options name replaces the query's own. It tells whether the text was read before.
func (s *Store) parse(ctx context.Context, text string, options QueryOptions) (query *parser.Query, before bool, err error) {
	if query, before, err = s.parsed.parse(ctx, text, options.Base); err != nil {
		return nil, false, err
	}
	if len(options.DefaultGraphs) > 0 || len(options.NamedGraphs) > 0 {
		changed := *query
		changed.From, changed.FromNamed = options.DefaultGraphs, options.NamedGraphs
		query = &changed
	}
	return query, before, nil
}

// service asks the endpoints that SERVICE may ask; nil when there are none.
func (o Options) service() exec.Service {
	if len(o.Services) == 0 {
		return nil
	}
	return federation.New(o.Services).Ask
}
