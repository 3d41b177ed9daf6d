package gpu

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
)

// Match implements match.Matcher.
func (d *Device) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	if countsAlone(m) {
		n, err := d.Count(ctx, m)
		if err != nil {
			return err
		}
		return emitMany(n, emit)
	}
	if len(m.Plan.Lookups) > 0 {
		return d.lookUp(ctx, m, emit)
	}
	return d.matchRows(ctx, m, nil, emit)
}

// matchRows is Match of a plan whose rows are looked up in some tables, or none.
func (d *Device) matchRows(ctx context.Context, m *match.Match, tables []*table, emit func(*match.Batch) error) error {
	if m.Plan.Fold != nil && !(d.folds(m) && d.numbers.hasCode(m.Plan, m.Dictionary)) {
		m = unfolded(m)
	}
	if t := m.Plan.Top; t != nil && t.Of != nil && (m.Dictionary == nil || !d.numbers.hasCode(m.Plan, m.Dictionary)) {
		whole := *m
		whole.Plan, m = m.Plan.Unordered(), &whole
	}
	_, err := d.run(ctx, m, emits{emit: emit, tables: tables})
	if errors.Is(err, errUnfolded) {
		_, err = d.run(ctx, unfolded(m), emits{emit: emit, tables: tables})
	}
	return err
}

// emits is what becomes of the solutions of a match: they are counted, or emitted, those that tables leave. Where keep is not nil it takes the groups that rows became
// in place of emit, which has what is no group of these.
type emits struct {
	count  bool
	emit   func(*match.Batch) error
	tables []*table
	keep   func(*combination)
}

// unfolded is a match of which the rows themselves are asked for.
func unfolded(m *match.Match) *match.Match {
	rows := *m
	rows.Plan = m.Plan.Unfolded()
	return &rows
}

// countsAlone reports whether nothing but the number of a match's rows is asked for.
func countsAlone(m *match.Match) bool {
	return len(m.Plan.Output) == 0 && m.Plan.Inputs == 0 && m.Limit == 0
}

// emitMany emits n rows of no columns.
func emitMany(n uint64, emit func(*match.Batch) error) error {
	for n > 0 {
		part := min(n, math.MaxInt32)
		if err := emit(&match.Batch{N: int(part)}); err != nil {
			return err
		}
		n -= part
	}
	return nil
}

// Count implements match.Matcher.
func (d *Device) Count(ctx context.Context, m *match.Match) (uint64, error) {
	return d.run(ctx, m, emits{count: true})
}

// run carries a match out and returns how many solutions it counted or emitted.
func (d *Device) run(ctx context.Context, m *match.Match, to emits) (n uint64, err error) {
	begun := time.Now()
	if m.Plan.Empty || m.Plan.Inputs > 0 && (m.Input == nil || m.Input.N == 0) {
		return 0, ctx.Err()
	}
	err = d.use(func() (err error) {
		options := d.options
		s := newShape(m, to.count, &options)
		if m.Trace != nil {
			*m.Trace = match.Trace{Backend: d.Name(), Steps: make([]match.StepTrace, len(m.Plan.Steps))}
		}
		if s.Never {
			return ctx.Err()
		}
		if n, s, err = d.countWhole(ctx, m, s, &options); !errors.Is(err, errNotDense) {
			return err
		}
		n, err = d.join(ctx, m, s, to)
		return err
	})
	if m.Trace != nil {
		m.Trace.Elapsed = time.Since(begun)
	}
	return n, err
}

// countWhole counts a match by triples, in neighbourhoods or by paths of two edges; errNotDense where nothing of that is done, with the shape of the steps that are joined
// then.
func (d *Device) countWhole(ctx context.Context, m *match.Match, s *shape, options *Options) (n uint64, joined *shape, err error) {
	if s.Triangle != nil && d.paysTriples(m, s, options) {
		if n, err = d.countTriangles(ctx, m, s.Triangle); !errors.Is(err, errNotDense) {
			return n, s, err
		}
	}
	if s.Dense != nil {
		if n, err = d.countDense(ctx, m, s.Dense); !errors.Is(err, errNotDense) {
			return n, s, err
		}
		options.NoDense = true
		s = newShape(m, s.count, options)
	}
	if s.Squares != nil {
		if n, err = d.countSquares(ctx, m, s.Squares); !errors.Is(err, errNotDense) {
			return n, s, err
		}
	}
	return 0, s, errNotDense
}

// join carries a match out step by step.
func (d *Device) join(ctx context.Context, m *match.Match, s *shape, to emits) (n uint64, err error) {
	weights, s, err := d.weights(m, to.count, s)
	if err != nil {
		return 0, err
	}
	defer func() {
		if failed := weights.give(); err == nil {
			err = failed
		}
	}()
	r, err := d.read(m.Graph)
	if err != nil {
		return 0, err
	}
	defer func() {
		if failed := r.end(); err == nil {
			err = failed
		}
	}()
	if there, err := r.pinReach(ctx, m, s); err != nil {
		return 0, err
	} else if !there {
		if s, err = r.joinLeaves(ctx, m, to.count, s); err != nil {
			return 0, err
		}
	}
	q := &query{task: m, emit: d.lanes.handsOut(to.emit), lookups: to.tables, keep: to.keep, trace: m.Trace, permit: permit{permits: d.permits}}
	defer func() {
		if failed := q.close(); err == nil {
			err = failed
		}
	}()
	return q.in(ctx, d, r, s, weights)
}
