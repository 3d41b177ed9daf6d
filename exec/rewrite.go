package exec

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// rewriter turns the algebra of a query into an equivalent one that is cheaper to run. Each rule says what it makes
// of what; none depends on the data.
type rewriter struct {
	scopes    scopes
	semantics bgp.Semantics
	invented  int
	// off leaves everything as the query has it, except for what operators cannot run (tests compare the two).
	off bool
}

// rewrite returns the rewritten node.
func (w *rewriter) rewrite(n parser.Node) parser.Node {
	switch n := n.(type) {
	case *parser.PathPattern:
		return w.path(n)
	case *parser.Join:
		return w.join(w.rewrite(n.Left), w.rewrite(n.Right))
	case *parser.LeftJoin:
		return w.leftJoin(w.rewrite(n.Left), w.rewrite(n.Right), n.Condition)
	case *parser.Union:
		return &parser.Union{Left: w.rewrite(n.Left), Right: w.rewrite(n.Right)}
	case *parser.Minus:
		return &parser.Minus{Left: w.rewrite(n.Left), Right: w.rewrite(n.Right)}
	case *parser.Filter:
		in := w.rewrite(n.Input)
		for _, c := range parser.Conjuncts(nil, n.Condition) {
			in = w.push(c, in)
		}
		return in
	case *parser.Graph:
		return &parser.Graph{Name: n.Name, Input: w.rewrite(n.Input)}
	case *parser.Extend:
		return &parser.Extend{Input: w.rewrite(n.Input), Variable: n.Variable, Expr: n.Expr}
	case *parser.Group:
		return &parser.Group{Input: w.rewrite(n.Input), Keys: n.Keys, Aggregates: n.Aggregates}
	case *parser.OrderBy:
		return &parser.OrderBy{Input: w.rewrite(n.Input), Keys: n.Keys}
	case *parser.Project:
		return &parser.Project{Input: w.rewrite(n.Input), Variables: n.Variables}
	case *parser.Distinct:
		return w.distinct(w.rewrite(n.Input))
	case *parser.Reduced:
		return &parser.Reduced{Input: w.rewrite(n.Input)}
	case *parser.Slice:
		return &parser.Slice{Input: w.rewrite(n.Input), Offset: n.Offset, Limit: n.Limit}
	}
	return n
}

// distinct: Distinct(Project(OrderBy(A, K), V)) → OrderBy(Distinct(Project(A, V)), K) when K reads only V: fewer rows
// are sorted, and either may go on from disk.
func (w *rewriter) distinct(n parser.Node) parser.Node {
	project, ok := n.(*parser.Project)
	if !ok || w.off {
		return &parser.Distinct{Input: n}
	}
	order, ok := project.Input.(*parser.OrderBy)
	if !ok {
		return &parser.Distinct{Input: n}
	}
	read := names{}
	for _, k := range order.Keys {
		if parser.IsVolatile(k.Expr) || parser.HasExists(k.Expr) {
			return &parser.Distinct{Input: n}
		}
		w.scopes.mentions(read, k.Expr)
	}
	if len(without(read, setOf(project.Variables...))) > 0 {
		return &parser.Distinct{Input: n}
	}
	inner := &parser.Distinct{Input: &parser.Project{Input: order.Input, Variables: project.Variables}}
	return &parser.OrderBy{Input: inner, Keys: order.Keys}
}

// sorted reports whether a pattern's solutions come in an order that DISTINCT has to keep.
func sorted(n parser.Node) bool {
	switch n := n.(type) {
	case *parser.OrderBy:
		return true
	case *parser.Project:
		return sorted(n.Input)
	case *parser.Slice:
		return sorted(n.Input)
	case *parser.Distinct:
		return sorted(n.Input)
	case *parser.Reduced:
		return sorted(n.Input)
	}
	return false
}

// join: Join(Z, P) → P; and, under homomorphism, Join(BGP, BGP) → BGP, also across other members of a join:
// joins commute. The other semantics hold per basic graph pattern, so there the patterns stay apart.
func (w *rewriter) join(l, r parser.Node) parser.Node {
	if isUnit(l) {
		return r
	}
	if isUnit(r) {
		return l
	}
	if w.off || w.semantics != bgp.Homomorphism {
		return &parser.Join{Left: l, Right: r}
	}
	parts := members(members(nil, l), r)
	bgp := &parser.BGP{}
	var others []parser.Node
	for _, p := range parts {
		if b, ok := p.(*parser.BGP); ok {
			bgp.Patterns = append(bgp.Patterns, b.Patterns...)
		} else {
			others = append(others, p)
		}
	}
	var out parser.Node = bgp
	if isUnit(out) {
		out, others = others[0], others[1:]
	}
	for _, p := range others {
		out = &parser.Join{Left: out, Right: p}
	}
	return out
}

func isUnit(n parser.Node) bool {
	b, ok := n.(*parser.BGP)
	return ok && len(b.Patterns) == 0
}

// members appends the operands of a tree of joins.
func members(dst []parser.Node, n parser.Node) []parser.Node {
	if j, ok := n.(*parser.Join); ok {
		return members(members(dst, j.Left), j.Right)
	}
	return append(dst, n)
}

// leftJoin: LeftJoin(L, R, c && d) → LeftJoin(L, Filter(c, R), d) when c reads the same values in R alone.
func (w *rewriter) leftJoin(l, r parser.Node, condition parser.Expr) parser.Node {
	var rest parser.Expr
	for _, c := range parser.Conjuncts(nil, condition) {
		if !w.off && !parser.HasExists(c) && !parser.IsVolatile(c) && w.readsOnly(c, r, l) {
			r = w.push(c, r)
		} else {
			rest = conjunction(rest, c)
		}
	}
	return &parser.LeftJoin{Left: l, Right: r, Condition: rest}
}

func conjunction(a, b parser.Expr) parser.Expr {
	if a == nil {
		return b
	}
	return &parser.Call{Function: "&&", Args: []parser.Expr{a, b}}
}

// readsOnly reports whether every variable of an expression has, in the join of side and other, the value it has
// in side: side always binds it, or other never does.
func (w *rewriter) readsOnly(e parser.Expr, side, other parser.Node) bool {
	s, o := w.scopes.of(side), w.scopes.of(other)
	for v := range w.scopes.mentions(names{}, e) {
		if !s.certain[v] && o.vars[v] {
			return false
		}
	}
	return true
}

// touches reports whether side binds any variable of the expression; a filter is not worth pushing where it reads
// nothing.
func (w *rewriter) touches(e parser.Expr, side parser.Node) bool {
	return len(intersection(w.scopes.mentions(names{}, e), w.scopes.of(side).vars)) > 0
}

// push puts a filter as deep into a pattern as it keeps its meaning:
//
//	Filter(c, Join(A, B))        → Join(Filter(c, A), B)         c reads only A
//	Filter(c, LeftJoin(A, B, d)) → LeftJoin(Filter(c, A), B, d)  c reads only A
//	Filter(c, Minus(A, B))       → Minus(Filter(c, A), B)
//	Filter(c, Union(A, B))       → Union(Filter(c, A), Filter(c, B))
//	Filter(c, Extend(A, v, e))   → Extend(Filter(c, A), v, e)    c does not read v
//	Filter(c, Extend(A, v, e))   → Extend(Filter(c[e/v], A), v, e)  c is small and asks for v's value only
//	Filter(c, Graph(g, A))       → Graph(g, Filter(c, A))        c does not read g and has no EXISTS
//	Filter(c, Project(A, V))     → Project(Filter(c, A), V)      c reads no variable that V hides
//	Filter(c, Distinct(A))       → Distinct(Filter(c, A))
//	Filter(c, Filter(d, A))      → Filter(d, Filter(c, A))       c goes deeper than d
func (w *rewriter) push(c parser.Expr, n parser.Node) parser.Node {
	if !w.off && !parser.IsVolatile(c) {
		if out := w.pushInto(c, n); out != nil {
			return out
		}
	}
	return &parser.Filter{Condition: c, Input: n}
}

func (w *rewriter) pushInto(c parser.Expr, n parser.Node) parser.Node {
	switch n := n.(type) {
	case *parser.Join:
		if w.readsOnly(c, n.Left, n.Right) && w.touches(c, n.Left) {
			return &parser.Join{Left: w.push(c, n.Left), Right: n.Right}
		}
		if w.readsOnly(c, n.Right, n.Left) && w.touches(c, n.Right) {
			return &parser.Join{Left: n.Left, Right: w.push(c, n.Right)}
		}
	case *parser.LeftJoin:
		if w.readsOnly(c, n.Left, n.Right) {
			return &parser.LeftJoin{Left: w.push(c, n.Left), Right: n.Right, Condition: n.Condition}
		}
	case *parser.Minus:
		return &parser.Minus{Left: w.push(c, n.Left), Right: n.Right}
	case *parser.Union:
		return &parser.Union{Left: w.push(c, n.Left), Right: w.push(c, n.Right)}
	case *parser.Extend:
		if !w.scopes.mentions(names{}, c)[n.Variable] {
			return &parser.Extend{Input: w.push(c, n.Input), Variable: n.Variable, Expr: n.Expr}
		}
		if inlined := inline(c, n); inlined != nil {
			return &parser.Extend{Input: w.push(inlined, n.Input), Variable: n.Variable, Expr: n.Expr}
		}
	case *parser.Graph:
		if !parser.HasExists(c) && !w.scopes.mentions(names{}, c)[n.Name.Variable] {
			return &parser.Graph{Name: n.Name, Input: w.push(c, n.Input)}
		}
	case *parser.Project:
		hidden := without(w.scopes.of(n.Input).vars, setOf(n.Variables...))
		if len(intersection(hidden, w.scopes.mentions(names{}, c))) == 0 {
			return &parser.Project{Input: w.push(c, n.Input), Variables: n.Variables}
		}
	case *parser.Distinct:
		return &parser.Distinct{Input: w.push(c, n.Input)}
	case *parser.Filter:
		return w.pushBelow(c, n)
	}
	return nil
}

// pushBelow puts a filter below a chain of others.
func (w *rewriter) pushBelow(c parser.Expr, n *parser.Filter) parser.Node {
	chain := []parser.Expr{n.Condition}
	in := n.Input
	for f, ok := in.(*parser.Filter); ok; f, ok = in.(*parser.Filter) {
		chain, in = append(chain, f.Condition), f.Input
	}
	out := w.pushInto(c, in)
	if out == nil {
		return nil
	}
	for i := len(chain) - 1; i >= 0; i-- {
		out = &parser.Filter{Condition: chain[i], Input: out}
	}
	return out
}

// path takes a path apart (SPARQL 1.1 section 18.2.2.4) until what is left is walked by the path operator:
//
//	X ^P Y     → Y P X
//	X P/Q Y    → Join(X P ?new, ?new Q Y)
//	X P|Q Y    → Union(X P Y, X Q Y)
//	X iri Y    → a triple pattern
func (w *rewriter) path(n *parser.PathPattern) parser.Node {
	switch p := n.Path.(type) {
	case *parser.PathIRI:
		return &parser.BGP{Patterns: []parser.TriplePattern{{Subject: n.Subject, Predicate: iriTerm(p.IRI), Object: n.Object}}}
	case *parser.PathInverse:
		return w.path(&parser.PathPattern{Subject: n.Object, Path: p.Path, Object: n.Subject})
	case *parser.PathSequence:
		w.invented++
		mid := parser.PatternTerm{Variable: fmt.Sprintf("%spath%d", parser.BlankPrefix, w.invented)}
		return w.join(
			w.path(&parser.PathPattern{Subject: n.Subject, Path: p.Left, Object: mid}),
			w.path(&parser.PathPattern{Subject: mid, Path: p.Right, Object: n.Object}))
	case *parser.PathAlternative:
		return &parser.Union{
			Left:  w.path(&parser.PathPattern{Subject: n.Subject, Path: p.Left, Object: n.Object}),
			Right: w.path(&parser.PathPattern{Subject: n.Subject, Path: p.Right, Object: n.Object}),
		}
	}
	return n
}

func iriTerm(iri string) parser.PatternTerm { return parser.PatternTerm{Term: rdf.NewIRI(iri)} }
