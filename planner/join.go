package planner

import (
	"math"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/rules"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// joined plans a join: of its operands one after the other, or as the patterns that it is distributed into. What is counted is distributed with what stands on it
// (group).
func (p *planner) joined(n *parser.Join, r request) (Node, error) {
	in, err := p.joinChain(rules.Members(nil, n), n, r)
	if err != nil || r.seeded() || r.counted {
		return in, err
	}
	_, in, err = p.distributed(n, r, in)
	return in, err
}

// joinChain joins patterns, the seed first when there is one, in an order that keeps intermediate results small.
func (p *planner) joinChain(parts []parser.Node, whole parser.Node, r request) (Node, error) {
	parts = slices.Clone(parts)
	p.order(parts, r.inputs)
	needAfter := make([]scope.Set, len(parts)+1)
	needAfter[len(parts)] = p.outputColumns(whole, r)
	for i := len(parts) - 1; i >= 0; i-- {
		needAfter[i] = needAfter[i+1].Or(p.reads(parts[i], r.outer))
	}
	s := joinSpec{kind: Inner, request: r}
	if len(r.inputs) > 0 {
		s.left, s.certain = p.seed(r.inputs), p.scopes.Set(r.inputs...)
	} else {
		first, err := p.lower(parts[0], r.with(needAfter[1]))
		if err != nil {
			return nil, err
		}
		s.left, s.certain, s.bound = first, p.scopes.Of(parts[0]).Must, parts[0]
		parts, needAfter = parts[1:], needAfter[1:]
	}
	for i, part := range parts {
		s.right, s.need = part, needAfter[i+1]
		joined, err := p.join(s)
		if err != nil {
			return nil, err
		}
		s.left, s.certain, s.bound = joined, s.certain.Or(p.scopes.Of(part).Must), both(s.bound, part)
	}
	return s.left, nil
}

// both is the join of two patterns, of which the first may be missing.
func both(left, right parser.Node) parser.Node {
	if left == nil {
		return right
	}
	return &parser.Join{Left: left, Right: right}
}

func (p *planner) seed(inputs []string) Node {
	return &Seed{leaf{Properties{Columns: inputs, Seeds: inputs, set: p.scopes.Set(inputs...)}}}
}

// reads are the variables of other operands that joining with a pattern looks at.
func (p *planner) reads(n parser.Node, outer scope.Set) scope.Set {
	if outer.Empty() {
		return p.scopes.Of(n).May
	}
	return p.scopes.Of(n).May.Or(outer.And(p.scopes.Used(n)))
}

// order sorts the operands of a join: the one with the fewest solutions first, then always the smallest of those that
// are connected with what is there.
func (p *planner) order(parts []parser.Node, inputs []string) {
	if p.options.Unoptimised || len(parts) < 2 {
		return
	}
	bound := p.scopes.Set(inputs...)
	for i := range parts {
		if p.ended() != nil {
			return
		}
		best, rows, joined := i, math.Inf(1), false
		for j := i; j < len(parts); j++ {
			n, connects := p.estimate(parts[j]), p.scopes.Of(parts[j]).May.Meets(bound)
			if connects && !joined || connects == joined && n < rows {
				best, rows, joined = j, n, connects
			}
		}
		part := parts[best]
		copy(parts[i+1:best+1], parts[i:best])
		parts[i] = part
		bound = bound.Or(p.scopes.Of(part).May)
	}
}

// estimate is the number of solutions of a pattern by itself.
func (p *planner) estimate(n parser.Node) float64 {
	switch n := n.(type) {
	case *parser.Values:
		return float64(len(n.Rows))
	case *parser.Service:
		return endless
	}
	node, err := p.lower(n, request{need: p.scopes.Of(n).May})
	if err != nil {
		return endless
	}
	return node.Props().Rows
}

// joinSpec describes a join to be planned.
type joinSpec struct {
	kind JoinKind
	left Node
	// certain is what every left solution binds; bound is the pattern that the left solutions are of, nil for seeds.
	certain   scope.Set
	bound     parser.Node
	right     parser.Node
	condition parser.Expr
	request
}

// join plans a join whose left side is planned already.
func (p *planner) join(s joinSpec) (Node, error) {
	if s.condition != nil {
		s.left = p.recall(s.left, s.condition)
	}
	left := s.left.Props().set
	bound := left.Or(p.scopes.Of(s.right).May)
	out := bound.And(s.need)
	if s.kind == Minus {
		out = left.And(s.need)
	}
	j := &Join{Properties: p.made(out, s.inputs), Kind: s.kind, Left: s.left}
	if p.options.Charge != nil {
		p.options.Charge(int64(len(s.left.Props().Columns)+len(j.Columns)) * columnBytes)
	}
	j.Merged = j.Columns
	all := out
	if s.condition != nil {
		extra := p.scopes.Reads(s.condition).And(bound).Without(out)
		all = out.Or(extra)
		j.Merged = slices.Concat(j.Columns, p.scopes.Names(extra))
		if p.applied {
			j.Merged = append(j.Merged, scope.Parameters(s.condition)...)
		}
		var err error
		if j.Condition, err = p.expression(s.condition, j.Merged, both(s.bound, s.right)); err != nil {
			return nil, err
		}
	}
	if err := p.sides(j, s, all); err != nil {
		return nil, err
	}
	if err := p.price(j, s); err != nil {
		return nil, err
	}
	return p.looked(j, s)
}

// sides makes the variants of a join's right side.
func (p *planner) sides(j *Join, s joinSpec, all scope.Set) error {
	right := p.scopes.Of(s.right)
	left := s.left.Props().set
	common := left.And(right.May)
	need := all.Or(common).And(right.May)
	if s.kind == Minus {
		need = common
	}
	distinct := s.distinct || s.kind == Minus
	_, remote := s.right.(*parser.Service)
	remote = remote && !p.isTable(s.right)
	outer := s.outer.And(p.reads(s.right, s.outer))
	open := !outer.Empty() && !p.closed(s.right, common) || remote
	vars := p.passed(s, common, outer)
	if !vars.Empty() && vars.Len() < maxShared && (!p.options.Unoptimised || open) {
		plan := func(inputs []string) (Node, error) {
			bound := p.scopes.Set(inputs...)
			return p.lower(s.right, request{need: need.Without(bound), inputs: inputs, outer: outer.And(bound), distinct: distinct})
		}
		var err error
		if j.Seeded, err = p.seeded(vars, s.certain, s.bound, !open, plan); err != nil {
			return err
		}
	}
	if open && j.Seeded != nil {
		return nil
	}
	return p.hashed(j, s, common, request{need: need, distinct: distinct})
}

// passed are the variables of the left side whose bindings the right side is matched for.
func (p *planner) passed(s joinSpec, common, outer scope.Set) scope.Set {
	switch s.right.(type) {
	case *parser.Values:
		return nil
	case *parser.Service: // a row without a binding is asked about without it
		if s.kind == Minus || p.isTable(s.right) {
			return nil // an answer that binds none of them removes nothing
		}
		return common
	}
	vars := common.And(p.scopes.Of(s.right).Must).And(p.seedable(s.right))
	if s.kind == Minus {
		vars = vars.And(s.certain)
	}
	if vars = vars.Or(outer); vars.Len() >= maxShared {
		return outer
	}
	return vars
}

// seeded plans a pattern for rows that bind some variables, of which certain are always bound; bound is the pattern that
// the rows are of. Where it is not known to be needed for rows that bind fewer (optional), and there are too many
// combinations, only those that are certain are passed.
func (p *planner) seeded(vars, certain scope.Set, bound parser.Node, optional bool, plan func([]string) (Node, error)) (*Seeded, error) {
	combinations := []scope.Set{vars}
	if !vars.Within(certain) && bound != nil {
		var few bool
		if combinations, few = p.scopes.Bound(bound, vars.Without(certain), maxVariants); !few {
			if combinations = nil; optional {
				vars = vars.And(certain)
			}
		}
	}
	if vars.Empty() && optional {
		return nil, nil
	}
	s := &Seeded{Variables: p.scopes.Names(vars), Fixed: vars.Within(certain), variants: map[uint64]*Subplan{}, plan: plan, planner: p}
	p.patterns, p.later = append(p.patterns, s), p.later || !s.Fixed
	masks := []uint64{s.All()}
	for _, c := range combinations {
		masks = append(masks, s.mask(p.scopes.Names(c.Or(certain).And(vars))))
	}
	s.Shared = true
	for _, mask := range masks {
		if s.variants[mask] != nil {
			continue
		}
		v, err := p.subplan(true, func() (Node, error) { return plan(s.bound(mask)) })
		if err != nil {
			return nil, err
		}
		s.variants[mask], s.Shared = v, s.Shared && shares(v.Made())
	}
	return s, nil
}

// mask marks some of the variables.
func (s *Seeded) mask(bound []string) (mask uint64) {
	for i, v := range s.Variables {
		if slices.Contains(bound, v) {
			mask |= 1 << i
		}
	}
	return mask
}

// hashed plans the right side of a join as a table: at once where it is the only way, where the plan is for many runs, or where so many
// rows are expected on the left that planning it takes less than a tenth of what matching it for them does.
func (p *planner) hashed(j *Join, s joinSpec, common scope.Set, r request) error {
	shared := p.scopes.Names(common)
	j.Hashed = &Hashed{Shared: shared[:min(len(shared), maxShared)], Varies: p.varies(s.right)}
	sure := s.certain.And(p.scopes.Of(s.right).Must)
	for i, v := range j.Hashed.Shared {
		if sure.Has(p.scopes.Number(v)) {
			j.Hashed.Key = append(j.Hashed.Key, i)
		}
	}
	j.Hashed.First = j.Seeded == nil && s.left.Props().Rows >= p.options.Tuning.ManyLeft
	atOnce := j.Seeded == nil || p.options.Lasting || s.left.Props().Rows*seedCost > planPrice
	var err error
	j.Hashed.Plan, err = p.subplan(atOnce, func() (Node, error) { return p.lower(s.right, r) })
	return err
}

// varies reports whether a pattern reads parameters.
func (p *planner) varies(n parser.Node) bool {
	return p.hasParameters(&parser.Exists{Pattern: n})
}

func (p *planner) hasParameters(e parser.Expr) bool {
	return p.applied && len(scope.Parameters(e)) > 0
}

// closed reports whether a correlated pattern means the same when it is matched by itself and then joined: nothing
// in it reads a variable of the outside that it does not always bind.
func (p *planner) closed(n parser.Node, common scope.Set) bool {
	_, simple := n.(*parser.BGP)
	return simple && common.Within(p.scopes.Of(n).Must)
}

// price sums up what a join costs, and describes it.
func (p *planner) price(j *Join, s joinSpec) error {
	var right Node
	if j.Seeded != nil {
		right = j.Seeded.Variant(j.Seeded.All()).Made()
		j.text = "by ?" + strings.Join(j.Seeded.Variables, " ?") + ", seeded"
	} else {
		right = j.Hashed.Plan.Made()
		j.text = "hashed"
		if len(j.Hashed.Shared) > 0 {
			j.text = "by ?" + strings.Join(j.Hashed.Shared, " ?") + ", hashed"
		}
	}
	if s.condition != nil {
		j.text += " if " + p.exprText(s.condition)
	}
	l, r := s.left.Props(), right.Props()
	j.Cost, j.Rows = l.Cost+r.Cost, max(l.Rows, r.Rows)
	return nil
}

func (p *planner) leftJoin(n *parser.LeftJoin, r request) (Node, error) {
	if r.distinct && !p.options.Unoptimised && rules.OnlyRepeats(p.scopes, n, r.need) {
		return p.lower(n.Left, r)
	}
	if m, err := p.branched(n, r); m != nil || err != nil {
		return m, err
	}
	out := p.outputColumns(n, r)
	need := out.Or(p.reads(n.Right, r.outer))
	if n.Condition != nil {
		need = need.Or(p.scopes.Reads(n.Condition))
	}
	if n.Condition != nil {
		r = r.each(n.Condition)
	}
	left, err := p.lower(n.Left, r.with(need))
	if err != nil {
		return nil, err
	}
	certain := p.scopes.Of(n.Left).Must.Or(r.outer)
	return p.join(joinSpec{kind: Left, left: left, certain: certain, bound: n.Left, right: n.Right, condition: n.Condition, request: r.with(out)})
}

// minus plans MINUS; without a common variable it removes nothing.
func (p *planner) minus(n *parser.Minus, r request) (Node, error) {
	l, right := p.scopes.Of(n.Left), p.scopes.Of(n.Right)
	common := l.May.And(right.May)
	if common.Empty() {
		return p.lower(n.Left, r)
	}
	if m, err := p.branched(n, r); m != nil || err != nil {
		return m, err
	}
	r.first.rows *= firstTested
	left, err := p.lower(n.Left, r.with(r.need.Or(common)))
	if err != nil {
		return nil, err
	}
	return p.join(joinSpec{kind: Minus, left: left, certain: l.Must, bound: n.Left, right: n.Right, request: r})
}

// seedable are the variables by whose bindings a pattern can be narrowed while it is matched.
func (p *planner) seedable(n parser.Node) scope.Set {
	var in, right scope.Set
	switch n.(type) {
	case *parser.BGP, *parser.PathPattern:
		return p.scopes.Of(n).May
	case *parser.Filter, *parser.Extend: // what differs each time is the same for all that a solution is joined with
		if slices.ContainsFunc(parser.Expressions(n), parser.IsVolatile) {
			return nil
		}
		in = p.seedable(parser.Children(n)[0])
	case *parser.Join, *parser.Union:
		c := parser.Children(n)
		in, right = p.seedable(c[0]), p.seedable(c[1])
	case *parser.LeftJoin, *parser.Minus, *parser.Graph, *parser.Project, *parser.Reduced:
		in = p.seedable(parser.Children(n)[0])
	}
	switch n := n.(type) {
	case *parser.Join:
		return in.Or(right)
	case *parser.Union:
		return in.And(right)
	case *parser.LeftJoin:
		return in.And(p.scopes.Of(n.Left).Must)
	case *parser.Minus:
		return in.And(p.scopes.Of(n.Left).Must)
	case *parser.Graph:
		if !n.Name.IsVariable() || scope.IsParameter(n.Name.Variable) {
			return in
		}
		name := p.scopes.Set(n.Name.Variable)
		if len(p.catalog.NamedGraphs()) > fewGraphs && !p.findsGraphs(n) {
			return name
		}
		return in.Or(name)
	case *parser.Project:
		return in.And(p.scopes.Set(n.Variables...))
	}
	return in
}
