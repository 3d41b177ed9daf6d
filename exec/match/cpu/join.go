package cpu

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// join is a lowered plan, or an independent part of one, with the tables that lie between its steps.
type join struct {
	*match.Lowering
	// program is what the join is of; nil of a part of one.
	program *program
	tuning  *tuning
	input   *match.Input
	// all are the steps of the plan, steps those of this part of it.
	all, steps []*step
	// charge, workers and idle are the match's.
	charge    func(bytes int64) error
	tryCharge func(bytes int64) bool
	workers   *schedule.Share
	idle      func()
	bound     *match.Bound
	tail      []*group
	// leaves is how many steps before those that are counted are not enumerated; lists are those of them whose slots are emitted, as lists.
	leaves int
	lists  []*step
	// numbered are the groups of the tail and those in them, by their numbers.
	numbered []*group
	tableSlots
	// weighted: a row is emitted once, with the number of solutions it stands for.
	weighted bool
	// once: no two rows that are emitted are equal.
	once bool
	// cuts are the parts of lists that workers keep.
	cuts []cut
	// counters holds what each step of the plan did.
	counters []counters
}

type counters struct {
	rowsIn, candidates, rowsOut atomic.Uint64
	nanoseconds                 atomic.Int64
}

// step is the join's step that a lowered one has become.
func (p *join) step(s *match.Step) *step { return p.all[s.Index] }

func (p *join) lowered(steps []*step) []*match.Step {
	out := make([]*match.Step, len(steps))
	for i, s := range steps {
		out[i] = s.Step
	}
	return out
}

// empty reports whether there is nothing to do.
func (p *join) empty() bool {
	return p == nil || p.Never || p.input != nil && p.input.N == 0
}

// layOut decides which steps are enumerated and which slots the tables keep.
func (p *join) layOut(output []int, origin bool) {
	p.output, p.origin = output, origin
	p.prefix = 0
	for i, s := range p.steps {
		if slices.Contains(output, s.Slot) {
			p.prefix = i + 1
		}
	}
	if p.leaves > 0 {
		p.prefix = p.Plan.Listable() - p.leaves
	}
	if p.tail = p.wholeTail(); p.tail == nil {
		p.widen()
		p.tail = p.groups(p.prefix)
	}
	p.tailReads, p.numbered = nil, nil
	p.number(p.tail)
	for _, g := range p.tail {
		p.tailReads = union(p.tailReads, g.Reads)
	}
	for _, s := range p.lists {
		p.tailReads = union(p.tailReads, s.Reads)
	}
	p.keepSlots()
	p.once = p.eachOnce()
}

// eachOnce reports whether no two rows that are emitted are equal: all that is enumerated is emitted, and nothing is repeated for what the tail counts.
func (p *join) eachOnce() bool {
	if p.prefix == 0 || p.input != nil || len(p.tail) > 0 && !p.weighted {
		return false
	}
	return !slices.ContainsFunc(p.steps[:p.prefix], func(s *step) bool { return !slices.Contains(p.output, s.Slot) })
}

// list has the slots of the plan's last leaves emitted as lists, up to so many.
func (p *join) list(leaves int) {
	if leaves == 0 || !p.weighted {
		return
	}
	p.leaves = min(leaves, p.Plan.Leaves())
	end := p.Plan.Listable()
	for _, s := range p.steps[end-p.leaves : end] {
		if p.Plan.IsListed(s.Index) {
			p.lists = append(p.lists, s)
		}
	}
}

// number notes groups, and those in them, by their numbers, which ascend from each to those in it and to those after it.
func (p *join) number(groups []*group) {
	for _, g := range groups {
		p.numbered = append(p.numbered, g)
		p.number(g.children)
	}
}

// wholeTail is the groups of all steps where weights count each of them; else nil.
func (p *join) wholeTail() []*group {
	if p.prefix > 0 || p.input != nil || len(p.steps) == 0 || !p.steps[0].Plan.Weighed {
		return nil
	}
	if tail := p.groups(0); !slices.ContainsFunc(tail, func(g *group) bool { return !g.Weighed }) {
		return tail
	}
	return nil
}

// widen enumerates further steps of an expensive plan until there are rows enough to share among threads. The last
// step stays, or the branches do: they are counted.
func (p *join) widen() {
	if p.leaves > 0 || p.input != nil && p.input.N >= p.tuning.manyRows || p.findsSoon() {
		return
	}
	cost := p.cost()
	last := len(p.steps) - 1
	if len(p.Plan.Branches) > 0 {
		last = p.Plan.Own() // branches are counted
	}
	for p.prefix < last && !p.steps[p.prefix].Plan.Weighed {
		if p.prefix > 0 && (cost < p.tuning.smallCost || p.steps[p.prefix-1].Plan.EstimatedRows >= float64(p.tuning.manyRows)) {
			return
		}
		if p.prefix == 0 && cost < p.tuning.smallCost && len(p.steps[0].dynamic) > 0 {
			return
		}
		if p.countsRowsFrom(p.prefix) {
			return
		}
		p.prefix++
	}
}

// findsSoon reports whether one solution is wanted of each row that is emitted, and so many are expected that the first is found soon (countFirst).
func (p *join) findsSoon() bool {
	read, each := p.Plan.Each()
	return read == p.prefix && read < p.Plan.Own() && each >= p.tuning.manyEach
}

// cost is how many members of lists the steps are expected to read, without those that weights are made of.
func (p *join) cost() (cost float64) {
	for _, s := range p.steps {
		if !s.Plan.Weighed {
			cost += s.Plan.EstimatedCandidates
		}
	}
	return cost
}

// keepSlots finds the slots that each level's tables need; most runs of a program need those of the run before.
func (p *join) keepSlots() {
	if p.program == nil {
		p.findSlots()
		return
	}
	if last := p.program.slots.Load(); last != nil && last.serve(&p.tableSlots) {
		p.tableSlots = *last
		return
	}
	p.findSlots()
	found := p.tableSlots
	found.output = slices.Clone(found.output)
	p.program.slots.Store(&found)
}

// adopt makes the independent parts of the plan ready to be counted.
func (p *join) adopt() []*join {
	laid := p.program.laid.Load()
	if laid == nil {
		made := p.program.layOutParts()
		laid = &made
		p.program.laid.Store(laid)
	}
	all, out := make([]join, len(*laid)), make([]*join, len(*laid))
	for i := range *laid {
		part := &all[i]
		*part = (*laid)[i]
		part.all, part.counters, part.charge, part.tryCharge, part.workers, part.idle = p.all, p.counters, p.charge, p.tryCharge, p.workers, p.idle
		part.steps = make([]*step, len((*laid)[i].steps))
		for j, s := range (*laid)[i].steps {
			part.steps[j] = p.step(s.Step)
		}
		part.tail, part.numbered = p.renew(part.tail), nil
		part.number(part.tail)
		out[i] = part
	}
	return out
}

// renew copies groups for another run, which makes weights of its own.
func (p *join) renew(groups []*group) []*group {
	all, out := make([]group, len(groups)), make([]*group, len(groups))
	for i, g := range groups {
		all[i] = *g
		if out[i] = &all[i]; g.step != nil {
			out[i].step = p.step(g.Step)
		}
		out[i].children = p.renew(g.children)
	}
	return out
}

// trace writes down what the steps did.
func (p *join) trace(m *match.Match, start time.Time) {
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
