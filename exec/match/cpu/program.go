package cpu

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// program is a plan, or an independent part of one, made ready for a graph.
type program struct {
	tuning *tuning
	graph  *pcsr.Graph
	plan   *bgp.MatchPlan
	input  *match.Input
	steps  []*step
	// prefix is how many steps are enumerated; those after it are counted by the groups of the tail.
	prefix int
	// charge is the match's.
	charge func(bytes int64) error
	tail   []*group
	// tailReads are the slots that the tail reads.
	tailReads []int
	// carry lists, for each level 0 … prefix, the slots below that level which its tables keep.
	carry [][]int
	// keeps tells, for each level 1 … prefix, whether its tables keep the slot that the step before it bound.
	keeps []bool
	// output are the columns of the batches; origin says that they come with the seed's row.
	output []int
	origin bool
	// weighted: a row is emitted once, with the number of solutions it stands for.
	weighted bool
	// emitted are the table columns that rows are emitted from.
	emitted []int
	// never: no partial match gets through.
	never bool
	// counters holds what each step of the plan did.
	counters []counters
}

type counters struct {
	rowsIn, candidates, rowsOut atomic.Uint64
	nanoseconds                 atomic.Int64
}

// originSlot is the column of a table that holds the seed's row.
func (p *program) originSlot() int { return len(p.plan.Slots) }

// compile makes a plan ready. The caller lays it out next.
func compile(m *match.Match, t *tuning) (*program, error) {
	plan := m.Plan
	p := &program{tuning: t, graph: m.Graph, plan: plan, never: plan.Empty, charge: m.Charge}
	if plan.Inputs > 0 {
		if m.Input == nil || len(m.Input.Cols) != plan.Inputs {
			return nil, fmt.Errorf("cpu: the plan wants %d seeded columns", plan.Inputs)
		}
	}
	p.input = m.Input
	if m.Trace != nil {
		p.counters = make([]counters, len(plan.Steps))
	}
	if p.never {
		return p, nil
	}
	steps := make([]step, len(plan.Steps))
	p.steps = make([]*step, len(plan.Steps))
	for i := range plan.Steps {
		s := &steps[i]
		s.compile(m.Graph, &plan.Steps[i], i, plan.Inputs+i)
		p.steps[i] = s
		p.never = p.never || s.never
	}
	return p, nil
}

// empty reports whether there is nothing to do.
func (p *program) empty() bool {
	return p == nil || p.never || p.input != nil && p.input.N == 0
}

// layOut decides which steps are enumerated and which slots the tables keep.
func (p *program) layOut(output []int, origin bool) {
	p.output, p.origin = output, origin
	p.prefix = 0
	for i, s := range p.steps {
		if slices.Contains(output, s.slot) {
			p.prefix = i + 1
		}
	}
	p.widen()
	p.tail = makeGroups(p.steps[p.prefix:])
	p.tailReads = nil
	for _, g := range p.tail {
		p.tailReads = union(p.tailReads, g.reads)
	}
	p.keepColumns()
}

// widen enumerates further steps of an expensive plan until there are rows enough to share among threads. The last
// step stays: it is counted.
func (p *program) widen() {
	if p.input != nil && p.input.N >= p.tuning.manyRows {
		return
	}
	cost := 0.0
	for _, s := range p.steps {
		cost += s.plan.EstimatedCandidates
	}
	for p.prefix < len(p.steps)-1 {
		if p.prefix > 0 && (cost < p.tuning.smallCost || p.steps[p.prefix-1].plan.EstimatedRows >= float64(p.tuning.manyRows)) {
			return
		}
		if p.prefix == 0 && cost < p.tuning.smallCost && len(p.steps[0].dynamic) > 0 {
			return
		}
		p.prefix++
	}
}

// keepColumns finds the slots that each level's tables need.
func (p *program) keepColumns() {
	p.emitted = union(nil, p.output)
	if p.origin {
		p.emitted = append(p.emitted, p.originSlot())
	}
	needed := union(slices.Clone(p.emitted), p.tailReads)
	p.carry = make([][]int, p.prefix+1)
	p.keeps = make([]bool, p.prefix+1)
	for level := p.prefix; level > 0; level-- {
		s := p.steps[level-1]
		p.keeps[level] = slices.Contains(needed, s.slot)
		p.carry[level] = without(needed, s.slot)
		needed = union(slices.Clone(p.carry[level]), s.reads)
	}
	p.carry[0] = needed
}

// parts splits a plan without seeds into parts that share no variable and no condition, ready to be counted.
func (p *program) parts() []*program {
	var out []*program
	for _, steps := range connected(p.steps) {
		part := &program{tuning: p.tuning, graph: p.graph, plan: p.plan, steps: steps, counters: p.counters, charge: p.charge}
		part.layOut(nil, false)
		out = append(out, part)
	}
	return out
}

// trace writes down what the steps did.
func (p *program) trace(m *match.Match, start time.Time) {
	t := m.Trace
	if t == nil || p == nil {
		return
	}
	t.Backend, t.Elapsed = "cpu", time.Since(start)
	t.Steps = make([]match.StepTrace, len(m.Plan.Steps))
	for i := range p.counters {
		c := &p.counters[i]
		t.Steps[i] = match.StepTrace{
			RowsIn: c.rowsIn.Load(), Candidates: c.candidates.Load(), RowsOut: c.rowsOut.Load(), Elapsed: time.Duration(c.nanoseconds.Load()),
		}
		if i < len(p.steps) {
			t.Steps[i].Variant = p.steps[i].variant()
		}
	}
}

func union(set, more []int) []int {
	for _, x := range more {
		if !slices.Contains(set, x) {
			set = append(set, x)
		}
	}
	return set
}

func without(set []int, x int) []int {
	return slices.DeleteFunc(slices.Clone(set), func(y int) bool { return y == x })
}
