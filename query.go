package rdfgpu

import (
	"context"
	"fmt"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Query parses and plans a query. It runs when the Result is read, within ctx and the options' limits; the Result
// must be closed. The error is a *SyntaxError where the text is wrong, and wraps ErrUnsupported or ErrNoDevice where
// the query asks for what is not there.
func (s *Store) Query(ctx context.Context, text string, options QueryOptions) (*Result, error) {
	began := time.Now()
	budget := s.budget.pool.Open(options.MaxMemory)
	r, err := s.query(ctx, text, options, budget, began)
	if err != nil {
		budget.Close()
	}
	return r, err
}

// query is Query with what it holds counted.
func (s *Store) query(ctx context.Context, text string, options QueryOptions, budget *exec.Budget, began time.Time) (*Result, error) {
	query, err := s.parse(text, options)
	if err != nil {
		return nil, err
	}
	if err := budget.Meter("the text of the query and its tree").Charge(treeBytes(text)); err != nil {
		return nil, err
	}
	parsed := time.Now()
	device, err := s.gpu.resolve(options.Device)
	if err != nil {
		return nil, err
	}
	run := &choice{store: s, device: device}
	data := &dataset{store: s.store}
	plan, err := exec.Prepare(ctx, query, data, s.store.Dictionary, exec.Options{
		Semantics: options.Semantics, Matcher: run.matcher, Speed: run.speed(), Budget: budget, MaxRows: options.MaxRows,
		TempDir: s.options.TempDir, Base: options.Base, CountOnly: options.CountOnly, Service: s.options.service(),
	})
	if data.err != nil {
		return nil, data.err
	}
	if err != nil {
		return nil, err
	}
	if options.Analyze {
		plan.Analyze()
	}
	r := &Result{store: s, query: query, plan: plan, data: data, device: run, budget: budget, began: began}
	r.timings.Parse = parsed.Sub(began)
	r.timings.OpenDevice = s.gpu.claimOpening()
	r.timings.Plan = time.Since(parsed) - r.timings.OpenDevice
	r.ctx, r.cancel = limited(ctx, options.Timeout)
	return r, nil
}

// limited is ctx with the query's time limit; cancel frees it.
func limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout > 0 {
		return context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%w of %v", ErrTimeout, timeout))
	}
	return context.WithCancel(ctx)
}

// parse reads the text; the data set that options name replaces the query's own.
func (s *Store) parse(text string, options QueryOptions) (*parser.Query, error) {
	query, err := s.parsed.parse(text, options.Base)
	if err != nil {
		return nil, err
	}
	if len(options.DefaultGraphs) > 0 || len(options.NamedGraphs) > 0 {
		changed := *query
		changed.From, changed.FromNamed = options.DefaultGraphs, options.NamedGraphs
		query = &changed
	}
	return query, nil
}
