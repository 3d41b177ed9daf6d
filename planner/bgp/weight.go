package bgp

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// What hangs on one slot of a plan, and on nothing else that is bound, is counted once for each vertex that may stand there: the
// weight of a vertex is the product, over the steps and branches that hang on it, of the sums of their candidates' weights. Weights are made
// from the leaves up, as messages along a tree (Yannakakis, VLDB 1981; Abo Khamis, Ngo and Rudra, PODS 2016, for sums of products), and
// then read once for each partial match of what is left: of a pattern without cycles nothing is.

// unit is what may become weights: a step behind the last whose slot is read, or a branch.
type unit struct {
	step   *Step // nil for a branch
	branch *Branch
	// slot is what the step binds, -1 for a branch; within the branch that the unit stands in.
	slot, within int
	// reads are the slots bound outside; own: nothing but their number keeps the unit from being weights.
	reads []int
	own   bool
	// spans: what its list depends on and what is in it lie so close together that an array has not many places in vain.
	spans bool
	// fits: the unit and all that hangs on it can be weights, which takes reading so many candidates first (build).
	fits  bool
	build float64
	// parts hang on the unit.
	parts []*unit
	// values is how many vertices the unit has different numbers for, at most.
	values float64
}

// weighing decides which units of a plan become weights.
type weighing struct {
	plan  *MatchPlan
	graph *pcsr.Graph
	gain  float64
	// first is the first step that may be a unit; rows is how many partial matches there are before it.
	first int
	rows  float64
	// binds are the units by the slot that they bind; branches by their number.
	binds    map[int]*unit
	branches []*unit
	all, top []*unit
	built    float64
}

// Weigh marks what is counted by weights where that is expected to cost less than a share of counting it for each partial match:
// gain, infinite for always; the plan begins with so many partial matches. The plan's cost becomes what is left. It returns what matching is
// expected to cost with what is remembered of counts, in candidates.
func (p *MatchPlan) Weigh(graph *pcsr.Graph, gain, rows float64) float64 {
	w := &weighing{plan: p, graph: graph, gain: gain, rows: rows, binds: map[int]*unit{}}
	before := p.unweigh()
	for k := range p.Steps[:p.Own()] {
		if slices.Contains(p.Output, p.Inputs+k) {
			w.first = k + 1
		}
	}
	cost := 0.0
	for k := range p.Steps[:w.first] {
		w.rows, cost = bounded(w.rows*p.Steps[k].fan), cost+p.Steps[k].EstimatedCandidates
	}
	w.collect()
	for _, u := range w.top {
		cost += w.decide(u, w.rows)
	}
	if before || w.built > 0 || slices.ContainsFunc(p.Steps, (Step).isWeighed) {
		p.Cost = w.left()
	}
	return cost
}

func (s Step) isWeighed() bool { return s.Weighed }

// ByRows is the plan where nothing is counted by weights, as a matcher runs it that makes none: the plan itself where nothing is. Steps and
// branches stay in their order.
func (p *MatchPlan) ByRows() *MatchPlan {
	isWeighed := func(b Branch) bool { return b.Weighed }
	if !slices.ContainsFunc(p.Steps, (Step).isWeighed) && !slices.ContainsFunc(p.Branches, isWeighed) {
		return p
	}
	out := *p
	out.Steps, out.Branches = slices.Clone(p.Steps), slices.Clone(p.Branches)
	out.unweigh()
	out.Cost = bounded((&weighing{plan: &out}).left())
	return &out
}

// unweigh takes all marks away, and reports whether there were any.
func (p *MatchPlan) unweigh() (any bool) {
	for i := range p.Steps {
		any = any || p.Steps[i].Weighed
		p.Steps[i].Weighed = false
	}
	for i := range p.Branches {
		p.Branches[i].Weighed = false
	}
	return any
}

// left is the sum of the candidates of what is no weights, and of what making those takes.
func (w *weighing) left() float64 {
	cost := w.built
	for i := range w.plan.Steps {
		if s := &w.plan.Steps[i]; !s.Weighed {
			cost += s.EstimatedCandidates
		}
	}
	for i := range w.plan.Branches {
		cost += w.plan.Branches[i].rows
	}
	return cost
}

// collect makes the units, from the innermost and last to the first, and hangs each on what binds what it reads last.
func (w *weighing) collect() {
	p := w.plan
	for k := w.first; k < len(p.Steps); k++ {
		u := w.stepUnit(&p.Steps[k], p.Inputs+k)
		w.binds[u.slot], w.all = u, append(w.all, u)
	}
	for i := range p.Branches {
		b := &p.Branches[i]
		u := &unit{branch: b, slot: -1, within: b.Within, own: true}
		b.eachOperand(func(o Operand) { u.read(o.Slot) })
		w.branches, w.all = append(w.branches, u), append(w.all, u)
	}
	for i := len(w.branches) - 1; i >= 0; i-- {
		w.readOutside(i)
	}
	for _, u := range w.all {
		w.hang(u)
	}
	for _, u := range w.top {
		w.fit(u)
	}
}

func (u *unit) read(slot int) {
	if slot != u.slot && !slices.Contains(u.reads, slot) {
		u.reads = append(u.reads, slot)
	}
}

// stepUnit is a step with the vertices that it has different numbers for: the rows of the one list that depends on a slot.
func (w *weighing) stepUnit(s *Step, slot int) *unit {
	u := &unit{step: s, slot: slot, within: s.Branch, own: len(s.EdgeDistinct) == 0, values: 1}
	s.EachSlot(u.read)
	lists := 0
	for i := range s.Links {
		l := &s.Links[i]
		switch {
		case l.Kind == Neighbours && l.Label.IsConstant() && !l.From.IsConstant():
			lists++
			rows, neighbours := w.graph.Outline(l.Label.Constant, l.Dir), w.graph.Outline(l.Label.Constant, l.Dir.Reverse())
			u.spans = isDense(rows) && isDense(neighbours)
			u.values, u.build = float64(rows.Rows()), weighPrice*float64(rows.Rows()+rows.Edges()+neighbours.Rows())
		case l.Kind == Rows && l.Label.IsConstant(), l.Kind == AllVertices, l.Kind == AllEdgeLabels,
			l.Kind == Neighbours && l.Label.IsConstant(), l.Kind == EdgeLabels && l.From.IsConstant():
		default:
			u.own = false
		}
	}
	conditions := Step{Checks: s.Checks, Distinct: s.Distinct}
	conditions.EachSlot(func(read int) { u.own = u.own && read == slot })
	u.own = u.own && lists <= 1 && lists == len(u.reads)
	if lists == 0 {
		u.build = weighPrice * s.list
	}
	if !u.own {
		u.values = math.Inf(1)
	}
	return u
}

// isDense reports whether an array with a place for each vertex between the first and the last row has not many places in vain.
func isDense(rows pcsr.Outline) bool {
	first, last, ok := rows.Span()
	return ok && float64(last-first) <= sparseShare*float64(rows.Rows())+smallSpan
}

// sparseShare and smallSpan bound the arrays of weights: so many places for each row, beside what is small anyway.
const sparseShare, smallSpan = 16, 1 << 17

// readOutside collects what a branch reads of outside.
func (w *weighing) readOutside(branch int) {
	b := w.branches[branch]
	for _, u := range w.all {
		if u.within != branch+1 {
			continue
		}
		for _, slot := range u.reads {
			if by := w.binds[slot]; by == nil || !w.isIn(by, branch+1) {
				b.read(slot)
			}
		}
	}
}

// isIn reports whether a unit stands in a branch or in one of those that hang in it.
func (w *weighing) isIn(u *unit, branch int) bool {
	for at := u.within; at != 0; at = w.branches[at-1].within {
		if at == branch {
			return true
		}
	}
	return false
}

// hang makes a unit a part of the one beside it that binds what it reads last, else of the branch that it stands in.
func (w *weighing) hang(u *unit) {
	var on *unit
	for _, slot := range u.reads {
		if by := w.binds[slot]; by != nil && by.within == u.within {
			if on == nil || by.slot > on.slot {
				on = by
			}
			by.own = by.own && len(u.reads) == 1
		}
	}
	switch {
	case on != nil:
		on.parts = append(on.parts, u)
	case u.within > 0:
		b := w.branches[u.within-1]
		b.parts = append(b.parts, u)
	default:
		w.top = append(w.top, u)
	}
}

// fit finds what can be weights, and what making them costs.
func (w *weighing) fit(u *unit) {
	u.fits = u.own && len(u.reads) <= 1
	whole := u.step == nil
	for _, part := range u.parts {
		w.fit(part)
		u.fits = u.fits && part.fits
		whole = true
	}
	switch {
	case !whole && u.isLength():
		u.build = 0
	case u.step != nil && len(u.reads) > 0:
		u.fits = u.fits && u.spans
	}
	for _, part := range u.parts {
		u.build += part.build
	}
}

// isLength: the number of candidates of a unit on which nothing hangs is the length of a list.
func (u *unit) isLength() bool {
	s := u.step
	return len(u.reads) == 1 && len(s.Links)+len(s.Classes) == 1 && s.Candidates == nil && len(s.Checks)+len(s.Distinct) == 0 && s.Low == 0 && s.High == 0
}

// decide marks a unit, or units that hang on it, and returns what counting them for so many partial matches costs.
func (w *weighing) decide(u *unit, visits float64) float64 {
	rows := w.byRows(u, visits)
	if weights := u.build + weighPrice*visits; u.fits && w.gain > 0 && (weights < w.gain*rows || math.IsInf(w.gain, 1)) {
		w.mark(u)
		w.built += u.build
		return weights
	}
	cost, inside := u.alone(visits)
	for _, part := range u.parts {
		cost += w.decide(part, inside)
	}
	return bounded(cost)
}

func (w *weighing) mark(u *unit) {
	if u.step != nil {
		u.step.Weighed = true
	} else {
		u.branch.Weighed = true
	}
	for _, part := range u.parts {
		w.mark(part)
	}
}

// byRows is what counting a unit for each of so many partial matches costs, what hangs on it by weights or not.
func (w *weighing) byRows(u *unit, visits float64) float64 {
	cost, inside := u.alone(visits)
	for _, part := range u.parts {
		rows := w.byRows(part, inside)
		if part.fits {
			rows = min(rows, part.build+weighPrice*inside)
		}
		cost += rows
	}
	return bounded(cost)
}

// alone is what a unit costs for so many partial matches without what hangs on it, and for how many that is counted. A count that
// depends on one slot is remembered.
func (u *unit) alone(visits float64) (cost, inside float64) {
	if u.step == nil {
		return visits, visits
	}
	different := min(visits, u.values)
	return bounded(visits*SearchPrice/2 + different*(1+u.step.list)), bounded(different * u.step.fan)
}
