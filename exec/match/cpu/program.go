package cpu

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// program is a plan that has been made ready for a graph, which any number of runs can have at the same time: nothing of it is written once it
// is made, but for the parts of a count, laid out, and the slots of the last run, each as a whole.
type program struct {
	lowering *match.Lowering
	steps    []*step
	// cuts are the parts of lists that workers keep.
	cuts []cut
	// parts are those of the steps that multiply, where they are matched as a whole.
	parts [][]*match.Step
	laid  atomic.Pointer[[]join]     // the parts as they are counted, without what is a run's
	slots atomic.Pointer[tableSlots] // of the last run
	// What it was made for, besides the plan.
	graph    *pcsr.Graph
	counting bool
	tuning   *tuning
}

// compile makes a match's plan ready; counting says that only the number of solutions is asked for. The caller lays it
// out next.
func compile(m *match.Match, counting bool, t *tuning) (*join, error) {
	if m.Plan.Inputs > 0 && (m.Input == nil || len(m.Input.Cols) != m.Plan.Inputs) {
		return nil, fmt.Errorf("cpu: the plan wants %d seeded columns", m.Plan.Inputs)
	}
	made, ok := m.Plan.Kept(bgp.KeptProgram).(*program)
	if !ok || made.graph != m.Graph || made.counting != counting || made.tuning != t {
		if made = newProgram(m, counting, t); made.isStepwise() {
			m.Plan.Keep(bgp.KeptProgram, made)
		}
	}
	steps := made.unread()
	p := &join{Lowering: made.lowering, program: made, tuning: t, input: m.Input, charge: m.Charge, tryCharge: m.TryCharge, workers: m.Workers, idle: m.Idle, bound: m.Bound, all: steps, steps: steps, cuts: made.cuts}
	if m.Trace != nil {
		p.counters = make([]counters, len(m.Plan.Steps))
	}
	return p, nil
}

func newProgram(m *match.Match, counting bool, t *tuning) *program {
	if plan := m.Plan.Denying(); plan != m.Plan {
		denying := *m
		denying.Plan = plan
		m = &denying
	}
	p := &program{lowering: match.Lower(m, counting, t.Tuning), graph: m.Graph, counting: counting, tuning: t}
	steps := make([]step, len(p.lowering.Steps))
	p.steps = make([]*step, len(steps))
	for i := range steps {
		steps[i].prepare(m.Graph, p.lowering.Steps[i])
		p.steps[i] = &steps[i]
	}
	p.findCuts()
	if len(p.lowering.Plan.Branches) == 0 && len(p.steps) > 0 {
		p.parts = match.Parts(p.lowering.Steps)
	}
	for k, sharing := range p.lowering.Sharing(t.Tuning, func(_, k int) bool { return p.steps[k].levels != nil }) {
		if sharing != nil {
			p.steps[k].shareWith(p.steps[sharing.From], sharing.OwnLists)
		}
	}
	return p
}

// layOutParts makes the independent parts of the plan ready to be counted, but for what each run has of its own.
func (p *program) layOutParts() []join {
	out := make([]join, len(p.parts))
	for i, steps := range p.parts {
		part := &out[i]
		*part = join{Lowering: p.lowering, tuning: p.tuning, all: p.steps, cuts: p.cuts, steps: make([]*step, len(steps))}
		for j, s := range steps {
			part.steps[j] = part.step(s)
		}
		part.layOut(nil, false)
	}
	return out
}

// isStepwise reports whether a match is done step by step, not counted otherwise, which takes long and memory.
func (p *program) isStepwise() bool {
	l := p.lowering
	return l.Dense == nil && l.Squares == nil && l.Triangle == nil
}

// unread are the steps for one run, with static lists of its own: the bitmaps that it makes of them are not for the next.
func (p *program) unread() []*step {
	steps, copied := p.steps, false
	for i, s := range p.steps {
		if len(s.static) == 0 {
			continue
		}
		if !copied {
			steps, copied = slices.Clone(steps), true
		}
		unread := *s
		lists := make([]staticList, len(s.static))
		unread.static = make([]*staticList, len(lists))
		for k, l := range s.static {
			lists[k].list, unread.static[k] = l.list, &lists[k]
		}
		steps[i] = &unread
	}
	return steps
}
