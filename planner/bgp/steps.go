package bgp

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// assembly writes a vertex order down as the steps of a plan.
type assembly struct {
	*bgp
	estimates *estimates
	plan      *MatchPlan
	// slotOf is the slot of each query vertex, -1 while it is unbound.
	slotOf []int
	// component numbers the connected part each slot belongs to.
	component  []int
	components int
	// optional is scratch of a step.
	optional []optionalLink
	// known marks the bound query vertices, partial is how many partial matches are expected of them, and reads how many
	// candidates the step is expected to read for these.
	known          []bool
	partial, reads float64
}

// assemble makes the plan that binds the variables in the given order after the inputs.
func (b *bgp) assemble(e *estimates, inputs, order []int) *MatchPlan {
	slots := len(b.options.Inputs) + len(order)
	a := &assembly{
		bgp: b, estimates: e, partial: 1, known: make([]bool, len(b.query.Vertices)),
		slotOf: make([]int, len(b.query.Vertices)), component: make([]int, 0, slots),
		plan: &MatchPlan{
			Query: b.query, Inputs: len(b.options.Inputs), Slots: make([]Slot, 0, slots), Steps: make([]Step, 0, len(order)),
		},
	}
	for v := range a.slotOf {
		a.slotOf[v] = -1
	}
	for i, v := range inputs {
		a.bind(b.options.Inputs[i], v)
	}
	if len(inputs) > 0 {
		a.components = 1
	}
	a.checkInputs()
	for _, v := range order {
		if b.over() {
			break
		}
		list, factor := e.extend(a.known, v)
		a.reads = a.partial * list
		step := a.step(v)
		a.partial *= factor
		a.bind(b.query.Vertices[v].Variable, v)
		a.component[len(a.component)-1] = step.Component
		a.distinct(&step, v)
		step.Checks = append(step.Checks, a.absent(len(a.plan.Slots)-1)...)
		a.edgeDistinct(&step.EdgeDistinct, len(a.plan.Slots)-1)
		a.plan.Steps = append(a.plan.Steps, step)
	}
	return a.plan
}

func (a *assembly) bind(variable string, vertex int) {
	if vertex >= 0 {
		a.slotOf[vertex] = len(a.plan.Slots)
		a.known[vertex] = true
	}
	a.plan.Slots = append(a.plan.Slots, Slot{Variable: variable, Vertex: vertex})
	a.component = append(a.component, 0)
}

// operand returns what a reference reads; false while its variable is unbound.
func (a *assembly) operand(r ref) (Operand, bool) {
	if r.isConstant() {
		return Const(r.id), true
	}
	slot := a.slotOf[r.vertex]
	return Bound(slot), slot >= 0
}

// bound reports whether every variable of the pattern is bound, and returns the pattern as a check.
func (a *assembly) bound(p *pattern) (EdgeCheck, bool) {
	from, ok1 := a.operand(p.from)
	label, ok2 := a.operand(p.label)
	to, ok3 := a.operand(p.to)
	return EdgeCheck{From: from, Label: label, To: to}, ok1 && ok2 && ok3
}

// checkInputs writes down what holds between seeded slots and constants.
func (a *assembly) checkInputs() {
	for i := range a.patterns {
		p := &a.patterns[i]
		check, ok := a.bound(p)
		switch {
		case !ok || p.from.isConstant() && p.label.isConstant() && p.to.isConstant():
		case p.class:
			a.plan.InputClasses = append(a.plan.InputClasses, ClassCheck{Of: check.From, Class: p.to.id})
		default:
			a.plan.InputChecks = append(a.plan.InputChecks, check)
		}
	}
	for slot, s := range a.plan.Slots {
		if s.Vertex < 0 || a.slotOf[s.Vertex] != slot {
			continue
		}
		for _, o := range a.different(s.Vertex, slot) {
			a.plan.InputDistinct = append(a.plan.InputDistinct, [2]Operand{Bound(slot), o})
		}
		a.edgeDistinct(&a.plan.InputEdgeDistinct, slot)
		a.plan.InputChecks = append(a.plan.InputChecks, a.absent(slot)...)
	}
	for slot := range a.plan.Inputs {
		for _, o := range a.unequal(slot) {
			a.plan.InputDistinct = append(a.plan.InputDistinct, [2]Operand{Bound(slot), o})
		}
	}
}

// optionalLink is a list that the candidates lie in anyway, by an edge that a later step joins.
type optionalLink struct {
	link   Link
	length float64
	rows   pcsr.Outline // of a constant label, or all with an edge in the direction; none otherwise
}

// step makes the step that binds vertex v to the next slot.
func (a *assembly) step(v int) Step {
	s := Step{Component: -1}
	optional := a.optional[:0]
	for i := range a.patterns {
		if p := &a.patterns[i]; p.mentions(v) {
			optional = a.constrain(&s, v, p, optional)
		}
	}
	a.optional = optional
	name := a.query.Vertices[v].Variable
	if r, ok := a.options.Ranges[name]; ok {
		s.Low, s.High = r.Low, r.High
	}
	s.Candidates = a.estimates.candidates[v]
	if a.query.Vertices[v].EdgeLabel && (s.High == 0 || s.High > a.labels()) {
		s.High = a.labels()
	}
	a.addOptional(&s, v, optional)
	if r := a.estimates.interval[v]; a.estimates.cuts(r, &s, v) {
		s.Low, s.High = max(s.Low, r.Low), r.High
		if a.query.Vertices[v].EdgeLabel {
			s.High = min(s.High, a.labels())
		}
	}
	slices.SortStableFunc(s.Links, func(x, y Link) int { return compareFloat(a.estimates.length(x), a.estimates.length(y)) })
	if s.Component < 0 {
		s.Component = a.components
		a.components++
	}
	return s
}

// constrain adds what pattern p asks of the vertex v that the step binds.
func (a *assembly) constrain(s *Step, v int, p *pattern, optional []optionalLink) []optionalLink {
	next := Bound(len(a.plan.Slots))
	isFrom, isLabel, isTo := p.from.vertex == v, p.label.vertex == v, p.to.vertex == v
	if p.class {
		s.Classes = append(s.Classes, p.to.id)
		return optional
	}
	from, hasFrom := a.operand(p.from)
	label, hasLabel := a.operand(p.label)
	to, hasTo := a.operand(p.to)
	if isLabel {
		optional = a.constrainLabel(s, p, optional)
	}
	switch {
	case isFrom && isTo && hasLabel:
		optional = append(optional, a.rows(v, p, label, pcsr.Out), a.rows(v, p, label, pcsr.In))
	case isFrom && hasLabel && hasTo:
		a.link(s, Link{Kind: Neighbours, From: to, Label: label, Dir: pcsr.In, Edge: p.edge})
		return optional
	case isTo && hasLabel && hasFrom:
		a.link(s, Link{Kind: Neighbours, From: from, Label: label, Dir: pcsr.Out, Edge: p.edge})
		return optional
	case isFrom && hasLabel:
		optional = append(optional, a.rows(v, p, label, pcsr.Out))
	case isTo && hasLabel:
		optional = append(optional, a.rows(v, p, label, pcsr.In))
	case isFrom:
		optional = append(optional, a.all(p, AllVertices, pcsr.Out))
	case isTo:
		optional = append(optional, a.all(p, AllVertices, pcsr.In))
	}
	if isFrom {
		from, hasFrom = next, true
	}
	if isLabel {
		label, hasLabel = next, true
	}
	if isTo {
		to, hasTo = next, true
	}
	if hasFrom && hasLabel && hasTo {
		s.Checks = append(s.Checks, EdgeCheck{From: from, Label: label, To: to})
		a.joinComponent(s, from, label, to)
	}
	return optional
}

// constrainLabel adds the lists of the step that binds p's predicate variable.
func (a *assembly) constrainLabel(s *Step, p *pattern, optional []optionalLink) []optionalLink {
	from, hasFrom := a.operand(p.from)
	to, hasTo := a.operand(p.to)
	if hasFrom {
		a.link(s, Link{Kind: EdgeLabels, From: from, Dir: pcsr.Out, Edge: p.edge})
	}
	if hasTo {
		a.link(s, Link{Kind: EdgeLabels, From: to, Dir: pcsr.In, Edge: p.edge})
	}
	if !hasFrom && !hasTo {
		optional = append(optional, a.all(p, AllEdgeLabels, pcsr.Out))
	}
	return optional
}

func (a *assembly) rows(v int, p *pattern, label Operand, d pcsr.Direction) optionalLink {
	o := optionalLink{link: Link{Kind: Rows, Label: label, Dir: d, Edge: p.edge}}
	if label.IsConstant() {
		o.rows = a.graph.Outline(label.Constant, d)
		o.length = float64(a.estimates.rowSource(v, &o.rows).length)
	} else {
		o.length = a.estimates.averageRows(d)
	}
	return o
}

func (a *assembly) all(p *pattern, kind LinkKind, d pcsr.Direction) optionalLink {
	o := optionalLink{link: Link{Kind: kind, Dir: d, Edge: p.edge}}
	if kind == AllVertices {
		o.rows = a.graph.IncidentOutline(d)
		o.length = float64(o.rows.Rows())
	} else {
		o.length = float64(len(a.graph.UsedLabels()))
	}
	return o
}

// link adds a list that the candidates must lie in.
func (a *assembly) link(s *Step, l Link) {
	s.Links = append(s.Links, l)
	a.joinComponent(s, l.From, l.Label)
}

// joinComponent puts the step into the component of the earlier slots that it reads.
func (a *assembly) joinComponent(s *Step, operands ...Operand) {
	for _, o := range operands {
		if !o.IsConstant() && o.Slot < len(a.component) && s.Component < 0 {
			s.Component = a.component[o.Slot]
		}
	}
}

// addOptional adds the shortest optional list where the step has no list yet or only much longer ones, and those that drop
// many candidates before they become rows.
func (a *assembly) addOptional(s *Step, v int, optional []optionalLink) {
	if len(optional) == 0 {
		return
	}
	slices.SortStableFunc(optional, func(x, y optionalLink) int { return compareFloat(x.length, y.length) })
	source, length := a.estimates.read(s, v)
	for i := range optional {
		o := &optional[i]
		if slices.ContainsFunc(s.Links, o.link.follows) {
			continue
		}
		shorter := o.length < semiJoinShare*length
		if !shorter && (o.link.Kind != Rows || !a.drops(v, &source, &o.rows)) {
			continue
		}
		if shorter {
			source, length = a.estimates.optionalSource(v, o), o.length
		}
		s.Links = append(s.Links, o.link)
		a.joinComponent(s, o.link.Label)
	}
}

// follows reports whether a link of the same step is the same, or asks for more: neighbours by a label have edges of that label, back to where they are neighbours of.
func (l Link) follows(other Link) bool {
	return other == l || l.Kind == Rows && other.Kind == Neighbours && other.Label == l.Label && other.Dir == l.Dir.Reverse()
}

// drops reports whether a semi-join with the rows of a partition drops many of the candidates of v. Where few are read,
// finding out costs more than it can save.
func (a *assembly) drops(v int, source *domainSource, rows *pcsr.Outline) bool {
	if a.plan.Inputs == 0 && a.reads < fewReads && !a.options.Thorough {
		return false
	}
	return a.estimates.keeps(v, source, rows) < semiJoinShare
}

// fewReads is how many candidates a step without inputs has to be expected to read for semi-joins to be looked at.
const fewReads = 24

func compareFloat(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// markCounted marks the steps at the end whose slots nobody reads.
func markCounted(p *MatchPlan) {
	read := make([]bool, len(p.Slots))
	for _, slot := range p.Output {
		read[slot] = true
	}
	for k := len(p.Steps) - 1; k >= 0 && !read[p.Inputs+k]; k-- {
		s := &p.Steps[k]
		s.Counted = true
		s.EachSlot(func(slot int) {
			if slot < p.Inputs+k {
				read[slot] = true
			}
		})
	}
}

// EachSlot calls visit for every slot that the step's conditions read; its own slot may be among them.
func (s *Step) EachSlot(visit func(slot int)) {
	operand := func(o Operand) {
		if !o.IsConstant() {
			visit(o.Slot)
		}
	}
	check := func(c EdgeCheck) {
		operand(c.From)
		operand(c.Label)
		operand(c.To)
	}
	for i := range s.Links {
		l := &s.Links[i]
		if l.Kind == Neighbours || l.Kind == EdgeLabels {
			operand(l.From)
		}
		if l.Kind == Neighbours || l.Kind == Rows {
			operand(l.Label)
		}
	}
	for _, c := range s.Checks {
		check(c)
	}
	for _, o := range s.Distinct {
		operand(o)
	}
	for _, pair := range s.EdgeDistinct {
		check(pair[0])
		check(pair[1])
	}
}
