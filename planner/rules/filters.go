package rules

import "github.com/rdfgpu/rdfgpu/parser"

// filters puts each conjunct of a filter as deep into a pattern as it keeps its meaning:
//
//	Filter(c && d, A)            → Filter(d, Filter(c, A))
//	Filter(c, Join(A, B))        → Join(Filter(c, A), B)         c reads only A
//	Filter(c, LeftJoin(A, B, d)) → LeftJoin(Filter(c, A), B, d)  c reads only A
//	Filter(c, Minus(A, B))       → Minus(Filter(c, A), B)
//	Filter(c, Union(A, B))       → Union(Filter(c, A), Filter(c, B))
//	Filter(c, Extend(A, v, e))   → Extend(Filter(c, A), v, e)    c does not read v
//	Filter(c, Extend(A, v, e))   → Extend(Filter(c[e/v], A), v, e)  c is small and asks for v's value only
//	Filter(c, Graph(g, A))       → Graph(g, Filter(c, A))        c does not read g and has no EXISTS
//	Filter(c, Project(A, V))     → Project(Filter(c, A), V)      c reads only V
//	Filter(c, Distinct(A))       → Distinct(Filter(c, A))
//	Filter(c, Filter(d, A))      → Filter(d, Filter(c, A))       c goes deeper than d
//
// A variable that a projection does not expose is another one below it than above: inside EXISTS the one above may be of
// the outside, whatever the projection's input binds, and substitution does not reach below (SPARQL 1.1 sections 18.2.1 and
// 18.6).
var filters = Rule{
	Name: "filters",
	at:   is[*parser.Filter],
	apply: func(r *Rewriter, n parser.Node) parser.Node {
		in := n.(*parser.Filter).Input
		for _, c := range parser.Conjuncts(nil, n.(*parser.Filter).Condition) {
			in = r.push(c, in)
		}
		return in
	},
}

// push puts a condition as deep into a pattern as it may go.
func (r *Rewriter) push(c parser.Expr, n parser.Node) parser.Node {
	if !parser.IsVolatile(c) && r.ctx.Err() == nil {
		if out := r.pushInto(c, n); out != nil {
			return out
		}
	}
	return &parser.Filter{Condition: c, Input: n}
}

// pushInto puts a condition below an operator; nil where it would mean something else there.
func (r *Rewriter) pushInto(c parser.Expr, n parser.Node) parser.Node {
	switch n := n.(type) {
	case *parser.Join:
		if r.readsOnly(c, n.Left, n.Right) && r.touches(c, n.Left) {
			return &parser.Join{Left: r.push(c, n.Left), Right: n.Right}
		}
		if r.readsOnly(c, n.Right, n.Left) && r.touches(c, n.Right) {
			return &parser.Join{Left: n.Left, Right: r.push(c, n.Right)}
		}
	case *parser.LeftJoin:
		if r.readsOnly(c, n.Left, n.Right) {
			return &parser.LeftJoin{Left: r.push(c, n.Left), Right: n.Right, Condition: n.Condition}
		}
	case *parser.Minus:
		return &parser.Minus{Left: r.push(c, n.Left), Right: n.Right}
	case *parser.Union, *parser.Distinct:
		return parser.Map(n, func(side parser.Node) parser.Node { return r.push(c, side) })
	case *parser.Extend:
		return r.pushIntoExtend(c, n)
	case *parser.Graph:
		if !parser.HasExists(c) && !(n.Name.IsVariable() && r.reads(c, n.Name.Variable)) {
			return &parser.Graph{Name: n.Name, Input: r.push(c, n.Input)}
		}
	case *parser.Project:
		if r.Scopes.Reads(c).Within(r.Scopes.Set(n.Variables...)) {
			return &parser.Project{Input: r.push(c, n.Input), Variables: n.Variables}
		}
	case *parser.Filter:
		return r.pushBelow(c, n)
	}
	return nil
}

func (r *Rewriter) reads(c parser.Expr, variable string) bool {
	return r.Scopes.Reads(c).Has(r.Scopes.Number(variable))
}

// touches reports whether side binds any variable of the condition; a filter is not worth pushing where it reads
// nothing.
func (r *Rewriter) touches(c parser.Expr, side parser.Node) bool {
	return r.Scopes.Reads(c).Meets(r.Scopes.Of(side).May)
}

func (r *Rewriter) pushIntoExtend(c parser.Expr, n *parser.Extend) parser.Node {
	if r.reads(c, n.Variable) {
		if c = inline(c, n); c == nil {
			return nil
		}
	}
	return &parser.Extend{Input: r.push(c, n.Input), Variable: n.Variable, Expr: n.Expr}
}

// pushBelow puts a filter below a chain of others.
func (r *Rewriter) pushBelow(c parser.Expr, n *parser.Filter) parser.Node {
	chain := []parser.Expr{n.Condition}
	in := n.Input
	for f, ok := in.(*parser.Filter); ok; f, ok = in.(*parser.Filter) {
		chain, in = append(chain, f.Condition), f.Input
	}
	out := r.pushInto(c, in)
	if out == nil {
		return nil
	}
	for i := len(chain) - 1; i >= 0; i-- {
		out = &parser.Filter{Condition: chain[i], Input: out}
	}
	return out
}
