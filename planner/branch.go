package planner

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
)

// tree is a basic graph pattern with what hangs on it: patterns of which nothing is asked but how many solutions, or
// whether any, agree with a solution of the basic graph pattern.
//
//	LeftJoin(T, R, c)                       → R hangs on T
//	Filter(EXISTS R, T), Filter(NOT EXISTS R, T), Minus(T, R)
//	                                        → R hangs on T
//	Filter(c, T)                            → a condition on T
//
// The branches of a union that must have no solution, in NOT EXISTS and MINUS, hang on T one by one.
type tree struct {
	pattern    *parser.BGP
	conditions []parser.Expr
	hanging    []*hanging
	// room is how many more patterns may hang in it, at any depth.
	room int
}

// hanging is what hangs on a tree.
type hanging struct {
	*tree
	weight  bgp.Weight
	pushed  *pushedFilters
	request request
	// whole is all of it, condition that of OPTIONAL.
	whole     parser.Node
	condition parser.Expr
	// inside: the pattern sees the bindings of what it hangs on wherever it names their variables (EXISTS). The others see
	// them where they are joined.
	inside bool
}

// maxBranches bounds what hangs in one pattern, at any depth: what hangs deep is planned again for each pattern that it hangs in.
const maxBranches = 16

// treeOf takes a pattern apart; nil where it is no tree, or where more patterns hang in it than there is room for.
func (p *planner) treeOf(n parser.Node, room int) *tree {
	t := &tree{room: room}
	if !p.takeApart(t, n) {
		return nil
	}
	return t
}

func (p *planner) takeApart(t *tree, n parser.Node) bool {
	switch n := n.(type) {
	case *parser.BGP:
		t.pattern = n
		return len(n.Patterns) > 0
	case *parser.Filter:
		return p.takeApart(t, n.Input) && p.takeConditions(t, n)
	case *parser.LeftJoin:
		return p.takeApart(t, n.Left) && p.take(t, n.Left, &hanging{weight: bgp.AtLeastOne, whole: n.Right, condition: n.Condition})
	case *parser.Minus:
		return p.takeApart(t, n.Left) && p.takeMinus(t, n)
	}
	return false
}

// takeMinus hangs what MINUS removes on a tree that stands for its left side: where they have variables in common, solutions of
// both must bind them, or which are removed would depend on more.
func (p *planner) takeMinus(t *tree, n *parser.Minus) bool {
	left := p.scopes.Of(n.Left)
	for _, b := range rules.Branches(nil, n.Right) {
		right := p.scopes.Of(b)
		common := left.May.And(right.May)
		switch {
		case common.Empty(): // removes nothing
		case !common.Within(left.Must) || !common.Within(right.Must) || !p.take(t, n.Left, &hanging{weight: bgp.None, whole: b}):
			return false
		}
	}
	return true
}

func (p *planner) takeConditions(t *tree, n *parser.Filter) bool {
	for _, c := range parser.Conjuncts(nil, n.Condition) {
		x, not := existsOf(c)
		if x == nil {
			if parser.HasExists(c) {
				return false
			}
			t.conditions = append(t.conditions, c)
			continue
		}
		if !p.takeExists(t, n.Input, x.Pattern, not) {
			return false
		}
	}
	return true
}

// takeExists hangs the pattern of EXISTS, or of NOT EXISTS, on a tree that stands for the pattern left.
func (p *planner) takeExists(t *tree, left, n parser.Node, not bool) bool {
	if !not {
		return p.take(t, left, &hanging{weight: bgp.Some, whole: n, inside: true})
	}
	for _, b := range rules.Branches(nil, n) {
		if !p.take(t, left, &hanging{weight: bgp.None, whole: b, inside: true}) {
			return false
		}
	}
	return true
}

// existsOf recognises EXISTS and its negations.
func existsOf(e parser.Expr) (x *parser.Exists, not bool) {
	if call, ok := e.(*parser.Call); ok && call.Function == "!" {
		x, not = existsOf(call.Args[0])
		return x, !not
	}
	if x, ok := e.(*parser.Exists); ok {
		return x, x.Not
	}
	return nil, false
}

// take hangs a pattern on a tree that stands for the pattern left; false where it is no tree itself, or names what only
// another hanging pattern binds.
func (p *planner) take(t *tree, left parser.Node, h *hanging) bool {
	used := p.scopes.Used(h.whole)
	if h.condition != nil {
		used = used.Or(p.scopes.Reads(h.condition))
	}
	if t.room == 0 || used.Meets(p.scopes.Of(left).May.Without(p.scopes.Of(t.pattern).May)) {
		return false
	}
	if h.tree = p.treeOf(h.whole, t.room-1); h.tree == nil {
		return false
	}
	t.room = h.tree.room
	t.hanging = append(t.hanging, h)
	return true
}

// settle finds what each hanging pattern is given and which conditions its match takes over; false where it cannot be a
// branch. seen are the patterns that bind what EXISTS may name there: the tree's own, and inside EXISTS those that it is in.
func (p *planner) settle(t *tree, seen *parser.BGP, inside bool) bool {
	for _, h := range t.hanging {
		own, outside := p.scopes.Of(h.pattern).May, p.scopes.Of(seen).May
		bound, conditions := own, h.conditions
		if h.inside {
			bound = own.Or(outside)
		}
		if !p.scopes.Of(h.whole).May.And(outside).Within(own) || inside && !h.inside || h.condition != nil && parser.HasExists(h.condition) {
			return false
		}
		if !p.scopes.Reads(conditions...).Within(bound) {
			return false
		}
		inputs := own.And(outside)
		if h.inside {
			inputs = p.scopes.Used(h.whole).And(outside)
		}
		if h.condition != nil {
			read := p.scopes.Reads(h.condition)
			if !read.Within(own.Or(outside)) {
				return false
			}
			conditions, inputs = parser.Conjuncts(slices.Clone(conditions), h.condition), inputs.Or(read.And(outside))
		}
		h.request = request{inputs: p.scopes.Names(inputs)}
		known := &parser.BGP{Patterns: slices.Concat(h.pattern.Patterns, seen.Patterns)}
		if !p.pushAll(h, known, conditions) {
			return false
		}
		below := h.pattern
		if h.inside {
			below = known
		}
		if !p.settle(h.tree, below, h.inside) {
			return false
		}
	}
	return true
}

// pushAll hands all conditions to the match of a hanging pattern; false where it cannot apply one.
func (p *planner) pushAll(h *hanging, known *parser.BGP, conditions []parser.Expr) bool {
	h.pushed = &pushedFilters{}
	free := p.free(h.pattern, h.request)
	for _, e := range conditions {
		if !p.pushTerms(h.pushed, free, e) && !p.pushRange(h.pushed, h.pattern, free, e, conditions) && !p.pushUnequal(h.pushed, h.pattern, known, e) {
			return false
		}
	}
	return true
}

// branched plans a tree as one match with branches; nil where it is none, where somebody reads what hangs on it, or where
// that is expected to cost more than joining.
func (p *planner) branched(n parser.Node, r request) (Node, error) {
	if p.options.Unoptimised || p.applied {
		return nil, nil
	}
	t := p.treeOf(n, maxBranches)
	if t == nil || len(t.hanging) == 0 {
		return nil, nil
	}
	core, out := p.scopes.Of(t.pattern).May, p.outputColumns(n, r)
	given := p.scopes.Set(r.inputs...).Or(r.outer)
	if !out.Or(given).Or(p.scopes.Reads(t.conditions...)).Within(core) || !p.settle(t, t.pattern, !r.outer.Empty()) {
		return nil, nil
	}
	pushed, rest := p.pushFilters(t.pattern, t.conditions, r)
	asked := r.with(out.Or(p.scopes.Reads(rest...)))
	m, err := p.hung(t, pushed, asked)
	if m == nil || err != nil {
		return nil, err
	}
	gain := p.weightGain(r)
	if asked.root = t.anchor(m); asked.root != "" && (m.Cost >= anchorCost && gain > 0 || math.IsInf(gain, 1)) {
		if other, err := p.hung(t, pushed, asked); err != nil {
			return nil, err
		} else if other != nil && other.Cost < m.Cost {
			m = other
		}
	}
	return p.filtered(n, m, rest, t.pattern, r)
}

// anchorCost is the cost, in candidates, from which a vertex order is looked for that begins with what patterns hang on.
const anchorCost = 10_000

// anchor is the one variable that all hangs on, where nothing of the match is read and it begins with another one; else "".
func (t *tree) anchor(m *Match) string {
	if len(m.Plan.Output)+m.Plan.Inputs > 0 || len(t.hanging[0].request.inputs) != 1 {
		return ""
	}
	v := t.hanging[0].request.inputs[0]
	if len(m.Plan.Slots) == 0 || m.Plan.Slots[0].Variable == v ||
		slices.ContainsFunc(t.hanging, func(h *hanging) bool { return !slices.Equal(h.request.inputs, []string{v}) }) {
		return ""
	}
	return v
}

// hung plans a tree's own pattern and hangs on it what hangs there; nil where that has no solution or costs too much.
func (p *planner) hung(t *tree, pushed *pushedFilters, r request) (*Match, error) {
	m, err := p.match(t.pattern, pushed, r)
	if err != nil || m.Plan.Empty {
		return nil, err
	}
	gain := p.weightGain(r)
	if len(r.inputs) > 0 {
		gain = 0
	}
	if ok, err := p.hang(m, t, gain); err != nil || !ok {
		return nil, err
	}
	if gain > 0 {
		m.Plan.Weigh(p.graph, gain, 1)
		m.Cost = m.Plan.Cost
	}
	return m, nil
}

// hang makes branches of what hangs on the pattern of a match; false where they cost too much. gain is bgp.Options.WeightGain.
func (p *planner) hang(m *Match, t *tree, gain float64) (bool, error) {
	rows := m.Rows
	for _, h := range t.hanging {
		if err := p.ended(); err != nil {
			return false, err
		}
		inner, err := p.match(h.pattern, h.pushed, h.request)
		if err != nil {
			return false, err
		}
		if inner.Plan.Empty {
			if h.weight == bgp.Some {
				return false, nil
			}
			continue // and weighs nothing
		}
		if p.options.ShallowBranches && !(len(h.tree.hanging) == 0 && inner.Plan.IsShallow()) {
			return false, nil
		}
		if ok, err := p.hang(inner, h.tree, gain); err != nil || !ok {
			return false, err
		}
		cost := rows * inner.Plan.Cost
		if gain > 0 {
			cost = min(cost, inner.Plan.Weigh(p.graph, gain, rows))
		}
		if cheap, err := p.hangsCheaply(h, rows, cost); err != nil || !cheap {
			return false, err
		}
		var slots []int
		for _, v := range h.request.inputs {
			slots = append(slots, slices.IndexFunc(m.Plan.Slots[:m.Plan.Inputs+m.Plan.Own()], func(s bgp.Slot) bool { return s.Variable == v }))
		}
		m.Plan.Hang(h.weight, inner.Plan, slots, rows)
		text := inner.text.String()
		if len(inner.Plan.Branches) > 0 {
			text = "(" + text + ")"
		}
		m.text.branches += " " + h.weight.String() + " " + text
		if m.Cost = m.Plan.Cost; h.weight == bgp.AtLeastOne {
			m.Rows *= max(1, inner.Rows)
		}
	}
	return true, nil
}

// hangsCheaply reports whether looking at a hanging pattern for so many rows, at a cost for all, costs no more than matching it
// by itself into a table.
func (p *planner) hangsCheaply(h *hanging, rows, cost float64) (bool, error) {
	if cost < planPrice || cost < rows*rowCost {
		return true, nil
	}
	table, err := p.lower(h.whole, request{need: p.scopes.Set(h.request.inputs...).And(p.scopes.Of(h.whole).May)})
	if err != nil {
		return false, err
	}
	e := table.Props()
	return cost <= e.Cost+(e.Rows+rows)*rowCost, nil
}
