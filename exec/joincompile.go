package exec

import (
	"math"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// joinChain joins patterns, the seed first when there is one, in an order that keeps intermediate results small.
func (c *compiler) joinChain(parts []parser.Node, whole parser.Node, r request) (operator, error) {
	c.order(parts, r.inputs)
	needAfter := make([]names, len(parts)+1)
	needAfter[len(parts)] = setOf(c.outputColumns(whole, r)...)
	for i := len(parts) - 1; i >= 0; i-- {
		needAfter[i] = union(needAfter[i+1], c.reads(parts[i], r.correlated))
	}
	var left operator
	var certain names
	if len(r.inputs) > 0 {
		left, certain = newSeed(r.inputs), setOf(r.inputs...)
	} else {
		first, err := c.compile(parts[0], r.with(needAfter[1]))
		if err != nil {
			return nil, err
		}
		left, certain = first, c.scopes.of(parts[0]).certain
		parts, needAfter = parts[1:], needAfter[1:]
	}
	for i, part := range parts {
		var err error
		left, err = c.join(joinSpec{kind: innerJoin, left: left, certain: certain, right: part, request: r.with(needAfter[i+1])})
		if err != nil {
			return nil, err
		}
		certain = union(certain, c.scopes.of(part).certain)
	}
	return left, nil
}

// reads are the variables of other operands that joining with a pattern looks at.
func (c *compiler) reads(n parser.Node, correlated bool) names {
	if correlated {
		return c.scopes.used(names{}, n)
	}
	return c.scopes.of(n).vars
}

// order sorts the operands of a join: the one with the fewest solutions first, then always the smallest of those that
// are connected with what is there.
func (c *compiler) order(parts []parser.Node, inputs []string) {
	if c.plan.options.Unoptimised || len(parts) < 2 {
		return
	}
	bound := setOf(inputs...)
	for i := range parts {
		best, rows, joined := i, math.Inf(1), false
		for j := i; j < len(parts); j++ {
			n, connects := c.estimate(parts[j]), len(intersection(c.scopes.of(parts[j]).vars, bound)) > 0
			if connects && !joined || connects == joined && n < rows {
				best, rows, joined = j, n, connects
			}
		}
		part := parts[best]
		copy(parts[i+1:best+1], parts[i:best])
		parts[i] = part
		bound.addAll(c.scopes.of(part).vars)
	}
}

// estimateKey is a pattern in a graph.
type estimateKey struct {
	node  parser.Node
	graph *pcsr.Graph
}

// estimate guesses the number of solutions of a pattern by itself.
func (c *compiler) estimate(n parser.Node) float64 {
	switch n := n.(type) {
	case *parser.Values:
		return float64(len(n.Rows))
	case *parser.Service:
		return math.MaxFloat64
	}
	key := estimateKey{n, c.graph}
	if rows, ok := c.estimates[key]; ok {
		return rows
	}
	rows := math.MaxFloat64
	if op, err := c.compile(n, request{need: c.scopes.of(n).vars}); err == nil {
		rows = op.node().EstimatedRows
	}
	c.estimates[key] = rows
	return rows
}

// joinSpec describes a join to be compiled.
type joinSpec struct {
	kind      joinKind
	left      operator
	certain   names // what every left solution binds
	right     parser.Node
	condition parser.Expr
	request
}

// join compiles a join whose left side is compiled already.
func (c *compiler) join(s joinSpec) (operator, error) {
	leftVars := setOf(s.left.columns()...)
	right := c.scopes.of(s.right)
	bound := union(leftVars, right.vars)
	j := &joinOp{kind: s.kind, left: s.left, out: intersection(bound, s.need).sorted(), seeded: len(s.inputs) > 0}
	if s.kind == minusJoin {
		j.out = intersection(leftVars, s.need).sorted()
	}
	all := j.out
	if s.condition != nil {
		extra := without(intersection(c.scopes.mentions(names{}, s.condition), bound), setOf(j.out...)).sorted()
		all, j.extra = append(slices.Clone(j.out), extra...), len(extra)
		var err error
		if j.condition, err = c.predicate(s.condition, all); err != nil {
			return nil, err
		}
	}
	c.sides(j, s, all)
	return j, c.explainJoin(j, s)
}

// sides makes the variants of a join's right side.
func (c *compiler) sides(j *joinOp, s joinSpec, all []string) {
	right := c.scopes.of(s.right)
	leftColumns := s.left.columns()
	common := intersection(setOf(leftColumns...), right.vars)
	need := intersection(union(setOf(all...), common), right.vars)
	if s.kind == minusJoin {
		need = common
	}
	distinct := s.distinct || s.kind == minusJoin
	sure := func(v string) bool { return s.certain[v] && right.certain[v] }
	specOf := func(op operator, agreed names) mergeSpec {
		return newMergeSpec(leftColumns, op.columns(), all, agreed)
	}

	vars := intersection(intersection(common, right.certain), c.seedable(s.right))
	if s.kind == minusJoin {
		vars = intersection(vars, s.certain)
	}
	if s.correlated {
		vars = intersection(setOf(leftColumns...), c.scopes.used(names{}, s.right))
	}
	switch s.right.(type) {
	case *parser.Values:
		vars = nil
	case *parser.Service:
		vars = common // a row without a binding is asked about without it
		if s.kind == minusJoin {
			vars = intersection(common, s.certain)
		}
	}
	open := s.correlated && !c.closed(s.right, common) || c.openService(s.right)
	if len(vars) > 0 && len(vars) < maxShared && (!c.plan.options.Unoptimised || open) {
		list := vars.sorted()
		j.seeds = &seededSide{
			vars: list, from: indexes(leftColumns, list), fixed: len(without(vars, s.certain)) == 0,
			compile: func(inputs []string) (operator, error) {
				return c.compile(s.right, request{need: without(need, setOf(inputs...)), inputs: inputs, correlated: s.correlated && len(inputs) > 0, distinct: distinct})
			},
			spec: func(op operator, inputs []string) mergeSpec { return specOf(op, setOf(inputs...)) },
		}
	}
	if open && j.seeds != nil {
		return
	}
	shared := common.sorted()
	shared = shared[:min(len(shared), maxShared)]
	h := &hashedSide{
		shared: shared, leftShared: indexes(leftColumns, shared),
		compile: func() (operator, error) { return c.compile(s.right, request{need: need, distinct: distinct}) },
		specOf:  func(op operator) mergeSpec { return specOf(op, setOf(shared...)) },
	}
	for i, v := range shared {
		if sure(v) {
			h.key = append(h.key, i)
		}
	}
	j.hashed = h
}

// openService reports whether a pattern is a SERVICE: it is always asked about the bindings there are.
func (c *compiler) openService(n parser.Node) bool {
	_, ok := n.(*parser.Service)
	return ok
}

// closed reports whether a correlated pattern means the same when it is matched by itself and then joined: nothing
// in it reads a variable of the outside that it does not always bind.
func (c *compiler) closed(n parser.Node, common names) bool {
	certain := c.scopes.of(n).certain
	for v := range common {
		if !certain[v] {
			return false
		}
	}
	_, simple := n.(*parser.BGP)
	return simple
}

// newMergeSpec lines up the columns of a join: all wants names, agreed are shared variables known to agree.
func newMergeSpec(left, right, all []string, agreed names) mergeSpec {
	var s mergeSpec
	fromLeft, fromRight := indexes(left, all), indexes(right, all)
	for i := range all {
		s.merge = append(s.merge, columnPair{fromLeft[i], fromRight[i]})
	}
	for i, k := range indexes(right, left) {
		if k >= 0 && !agreed[left[i]] {
			s.checks = append(s.checks, columnPair{i, k})
		}
	}
	return s
}

// explainJoin compiles one variant of the right side and describes the join.
func (c *compiler) explainJoin(j *joinOp, s joinSpec) error {
	j.explain = &Explain{Operator: j.kind.String(), Columns: j.out}
	var right operator
	if j.seeds != nil {
		v, err := j.seeds.variant(j.seeds.all())
		if err != nil {
			return err
		}
		right = v.op
		j.explain.Detail = "by ?" + strings.Join(j.seeds.vars, " ?") + ", seeded"
	} else {
		if err := j.hashed.prepare(); err != nil {
			return err
		}
		right = j.hashed.op
		j.explain.Detail = "hashed"
		if len(j.hashed.shared) > 0 {
			j.explain.Detail = "by ?" + strings.Join(j.hashed.shared, " ?") + ", hashed"
		}
	}
	if s.condition != nil {
		j.explain.Detail += " if " + exprText(s.condition)
	}
	l, r := s.left.node(), right.node()
	j.explain.cost = l.cost + r.cost
	j.explain.EstimatedRows = max(l.EstimatedRows, r.EstimatedRows)
	j.explain.Children = []*Explain{l, r}
	return nil
}

func (c *compiler) leftJoin(n *parser.LeftJoin, r request) (operator, error) {
	extra := without(c.scopes.of(n.Right).vars, c.scopes.of(n.Left).vars)
	if r.distinct && len(intersection(extra, r.need)) == 0 && len(intersection(c.scopes.of(n.Right).vars, without(r.need, c.scopes.of(n.Left).certain))) == 0 && !c.plan.options.Unoptimised {
		return c.compile(n.Left, r) // it can only repeat solutions
	}
	need := union(setOf(c.outputColumns(n, r)...), c.reads(n.Right, r.correlated))
	if n.Condition != nil {
		need = c.scopes.mentions(need, n.Condition)
	}
	left, err := c.compile(n.Left, r.with(need))
	if err != nil {
		return nil, err
	}
	certain := c.scopes.of(n.Left).certain
	if r.correlated {
		certain = union(certain, setOf(r.inputs...))
	}
	r.need = setOf(c.outputColumns(n, r)...)
	return c.join(joinSpec{kind: leftJoin, left: left, certain: certain, right: n.Right, condition: n.Condition, request: r})
}

// minus compiles MINUS; without a common variable it removes nothing.
func (c *compiler) minus(n *parser.Minus, r request) (operator, error) {
	l, right := c.scopes.of(n.Left), c.scopes.of(n.Right)
	common := intersection(l.vars, right.vars)
	if len(common) == 0 {
		return c.compile(n.Left, r)
	}
	left, err := c.compile(n.Left, r.with(union(r.need, common)))
	if err != nil {
		return nil, err
	}
	return c.join(joinSpec{kind: minusJoin, left: left, certain: l.certain, right: n.Right, request: r})
}
