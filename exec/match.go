package exec

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// matchOp matches a basic graph pattern.
type matchOp struct {
	base
	plan    *bgp.MatchPlan
	graph   *pcsr.Graph
	matcher Matcher
	limit   uint64
	// weighted: the consumer reads Batch.Weights.
	weighted bool
	rows     []uint32
	// tests are conditions of which all values are tested before the first run.
	tests []planner.Test
}

func (m *matchOp) match(x *execution) *Match {
	match := &Match{Graph: m.graph, Plan: m.plan, Limit: m.limit, Weighted: m.weighted, Charge: x.matches.Charge, Workers: x.options.Workers}
	if x.analyze {
		m.measured.Trace = &Trace{}
		match.Trace = m.measured.Trace
	}
	return match
}

func (m *matchOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	if err := m.ready(x); err != nil {
		return err
	}
	if m.plan.Empty {
		return nil
	}
	match := m.match(x)
	if seed == nil {
		return m.matcher.Match(x.ctx, match, emit)
	}
	if seed.N == 0 {
		return nil
	}
	m.rows = m.inGraph(m.rows[:0], seed)
	if len(m.rows) == seed.N {
		match.Input = &Input{Cols: seed.Cols, N: seed.N}
		return m.matcher.Match(x.ctx, match, emit)
	}
	if len(m.rows) == 0 {
		return nil
	}
	some := selectRows(&Batch{}, &Batch{Cols: seed.Cols, N: seed.N}, m.rows)
	match.Input = &Input{Cols: some.Cols, N: some.N}
	rows := m.rows
	var origin []uint32
	return m.matcher.Match(x.ctx, match, func(b *Batch) error {
		origin = gather(origin[:0], rows, b.Origin)
		return emit(&Batch{Cols: b.Cols, N: b.N, Origin: origin, Weights: b.Weights})
	})
}

// inGraph appends the rows of a seed whose terms the graph can have: not those that the query computed.
func (m *matchOp) inGraph(dst []uint32, seed *Batch) []uint32 {
	vertices := dictionary.ID(m.graph.Vertices())
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

// count returns the number of solutions without writing them.
func (m *matchOp) count(x *execution) (uint64, error) {
	if err := m.ready(x); err != nil {
		return 0, err
	}
	if m.plan.Empty {
		return 0, nil
	}
	n, err := m.matcher.Count(x.ctx, m.match(x))
	if x.analyze {
		m.measured.Rows, m.measured.Runs = n, 1
	}
	return n, err
}

// ready tests the values that are left to be tested: those that pass are the candidates of their variables.
func (m *matchOp) ready(x *execution) error {
	if len(m.tests) == 0 {
		return nil
	}
	plan := *m.plan
	plan.Steps = slices.Clone(plan.Steps)
	for _, t := range m.tests {
		var failed error
		t.Values.Test(func() bool { failed = x.alive(); return failed != nil })
		if failed != nil {
			return failed
		}
		slot := slices.IndexFunc(plan.Slots, func(s bgp.Slot) bool { return s.Variable == t.Variable })
		step, passed := &plan.Steps[slot-plan.Inputs], t.Values.Values()
		if step.Candidates != nil {
			passed = pcsr.Intersect([]dictionary.ID{}, step.Candidates, passed)
		}
		step.Candidates = passed
	}
	m.plan, m.tests = &plan, nil
	m.measured.match = m.plan
	return nil
}
