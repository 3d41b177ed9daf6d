package planner

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// unified writes a filter on a basic graph pattern that wants two of its variables to be the same term as a pattern with one variable for
// both; nil where there is no such condition, or it means something else.
//
//	FILTER(sameTerm(?a, ?b)), FILTER(?a = ?b) where one of them is no literal:
//	Filter(?a = ?b && c, BGP) → Extend(?b := ?a, Filter(c, BGP with ?a for ?b))
//
// It holds under homomorphism alone: a pattern with one variable less is another one for the others.
func (p *planner) unified(n *parser.Filter, r request) parser.Node {
	if p.options.Semantics != bgp.Homomorphism || p.options.Unoptimised || p.applied || r.seeded() {
		return nil
	}
	pattern, conditions := filteredPattern(n)
	if pattern == nil {
		return nil
	}
	at := slices.IndexFunc(conditions, func(e parser.Expr) bool { return p.wantsSame(pattern, e) })
	if at < 0 || slices.ContainsFunc(conditions, parser.HasExists) {
		return nil
	}
	same := conditions[at].(*parser.Call)
	a, b := same.Args[0].(*parser.Var), same.Args[1].(*parser.Var)
	name := func(v string) string {
		if v == b.Name {
			return a.Name
		}
		return v
	}
	var out parser.Node = renamedPattern(pattern, name)
	for i, e := range conditions {
		if i != at {
			out = &parser.Filter{Condition: renamed(e, name), Input: out}
		}
	}
	return &parser.Extend{Input: out, Variable: b.Name, Expr: a}
}

// filteredPattern takes a chain of filters on a basic graph pattern apart; nil where it is something else.
func filteredPattern(n *parser.Filter) (pattern *parser.BGP, conditions []parser.Expr) {
	var in parser.Node = n
	for f, ok := in.(*parser.Filter); ok; f, ok = in.(*parser.Filter) {
		conditions, in = parser.Conjuncts(conditions, f.Condition), f.Input
	}
	pattern, _ = in.(*parser.BGP)
	return pattern, conditions
}

// wantsSame reports whether a condition is true exactly when two variables of a pattern are the same term.
func (p *planner) wantsSame(n *parser.BGP, e parser.Expr) bool {
	call, ok := e.(*parser.Call)
	if !ok || len(call.Args) != 2 || call.Function != "=" && call.Function != "SAMETERM" {
		return false
	}
	a, ok1 := call.Args[0].(*parser.Var)
	b, ok2 := call.Args[1].(*parser.Var)
	if !ok1 || !ok2 || a.Name == b.Name || !p.inPattern(n, a.Name) || !p.inPattern(n, b.Name) {
		return false
	}
	return call.Function == "SAMETERM" || p.isResource(n, a.Name) || p.isResource(n, b.Name)
}

// renamedPattern gives the variables of a basic graph pattern other names.
func renamedPattern(n *parser.BGP, name func(string) string) *parser.BGP {
	out := &parser.BGP{}
	for _, t := range n.Patterns {
		for _, term := range []*parser.PatternTerm{&t.Subject, &t.Predicate, &t.Object} {
			if term.IsVariable() {
				term.Variable = name(term.Variable)
			}
		}
		if !slices.Contains(out.Patterns, t) {
			out.Patterns = append(out.Patterns, t)
		}
	}
	return out
}
