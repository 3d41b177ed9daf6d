package source

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Match matches a basic graph pattern.
type Match struct {
	operator.Base
	Plan    *bgp.MatchPlan
	Graph   *pcsr.Graph
	Matcher match.Matcher
	Limit   uint64
	// Bound is match.Match.Bound of the next run.
	Bound *match.Bound
	// aside is match.Match.Aside of the next run.
	aside func(*match.Batch) (bool, error)
	// Weighted: the consumer reads Batch.Weights.
	Weighted bool
	rows     []uint32
	// tables are those of Plan.Lookups.
	tables []*match.Table
	// Tests are conditions of which all values are tested before the first run.
	Tests []planner.Test
}

func (m *Match) match(x *operator.Execution) *match.Match {
	run := &match.Match{Graph: m.Graph, Plan: m.Plan, Limit: m.Limit, Weighted: m.Weighted, Tables: m.tables, Bound: m.Bound, Aside: m.aside, Dictionary: x.Env.Dictionary, Charge: x.Matches.Charge, TryCharge: x.Matches.TryCharge, Workers: x.Workers}
	if x.Analyze {
		m.Measured.Trace = &match.Trace{}
		run.Trace = m.Measured.Trace
	}
	return run
}

// Aside implements operator.Aside.
func (m *Match) Aside(take func(*vector.Batch) (bool, error)) { m.aside = take }

func (m *Match) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if err := m.ready(x); err != nil {
		return err
	}
	if m.Plan.Empty {
		return nil
	}
	run := m.match(x)
	if seed == nil {
		return m.Matcher.Match(x.Ctx, run, emit)
	}
	run.Aside = nil // who takes batches aside knows nothing of seeds
	if seed.N == 0 {
		return nil
	}
	m.rows = m.inGraph(m.rows[:0], seed)
	if len(m.rows) == seed.N {
		run.Input = &match.Input{Cols: seed.Cols, N: seed.N}
		return m.Matcher.Match(x.Ctx, run, emit)
	}
	if len(m.rows) == 0 {
		return nil
	}
	some := vector.Select(&vector.Batch{}, &vector.Batch{Cols: seed.Cols, N: seed.N}, m.rows)
	run.Input = &match.Input{Cols: some.Cols, N: some.N}
	rows := m.rows
	var origin []uint32
	return m.Matcher.Match(x.Ctx, run, func(b *vector.Batch) error {
		origin = vector.Gather(origin[:0], rows, b.Origin)
		return emit(&vector.Batch{Cols: b.Cols, N: b.N, Origin: origin, Weights: b.Weights})
	})
}

// inGraph appends the rows of a seed whose terms the graph can have: not those that the query computed.
func (m *Match) inGraph(dst []uint32, seed *vector.Batch) []uint32 {
	vertices := dictionary.ID(m.Graph.Vertices())
next:
	for r := range seed.N {
		for _, col := range seed.Cols {
			if col[r] >= vertices {
				continue next
			}
		}
		dst = append(dst, uint32(r))
	}
	return dst
}

// Count returns the number of solutions without writing them.
func (m *Match) Count(x *operator.Execution) (uint64, error) { return m.count(x, nil) }

// count is Count; idle is match.Match.Idle.
func (m *Match) count(x *operator.Execution, idle func()) (uint64, error) {
	if err := m.ready(x); err != nil {
		return 0, err
	}
	if m.Plan.Empty {
		return 0, nil
	}
	run := m.match(x)
	run.Idle = idle
	n, err := m.Matcher.Count(x.Ctx, run)
	if x.Analyze {
		m.Measured.Rows, m.Measured.Runs = n, 1
	}
	return n, err
}

// ready tests the values that are left to be tested: those that pass are the candidates of their variables.
func (m *Match) ready(x *operator.Execution) error {
	if len(m.Tests) == 0 {
		return nil
	}
	plan := *m.Plan
	plan.Steps = slices.Clone(plan.Steps)
	for _, t := range m.Tests {
		slot := slices.IndexFunc(plan.Slots, func(s bgp.Slot) bool { return s.Variable == t.Variable })
		step := &plan.Steps[slot-plan.Inputs]
		var failed error
		step.Candidates = t.Values.Among(step.Candidates, func() bool { failed = x.Ended(); return failed != nil })
		if failed == nil {
			failed = x.Matches.Charge(4 * int64(cap(step.Candidates)))
		}
		if failed != nil {
			return failed
		}
	}
	m.Plan, m.Tests = &plan, nil
	m.Measured.Match = m.Plan
	return nil
}
