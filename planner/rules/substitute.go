package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// Substitute puts parameters in place of variables, everywhere in a pattern where they are in scope (SPARQL 1.1 section
// 18.6): what EXISTS does to its pattern. What would bind such a variable anew is asked to agree with it instead:
//
//	X p ?v                     → X p $v
//	BIND(e AS ?v)              → FILTER(sameTerm(e, $v))
//	VALUES (?v ?w) { … }       → the rows that agree with $v, without it
//	SELECT ?v ?w { P }         → SELECT ?w { P with $v }; where ?v is not exposed, P stays as it is
//	P with GROUP BY, LIMIT, …  → P joined with BIND($v AS ?v), without ?v: it looks at all its solutions at once
//	FILTER(BOUND(?v))          → FILTER(true)
func Substitute(s *scope.Scopes, n parser.Node, given ...string) parser.Node {
	return substitution{s, given}.node(n)
}

// substitution puts parameters in place of the given variables.
type substitution struct {
	scopes *scope.Scopes
	given  []string
}

func (s substitution) has(variable string) bool { return slices.Contains(s.given, variable) }

func (s substitution) node(n parser.Node) parser.Node {
	switch n := n.(type) {
	case *parser.BGP:
		out := &parser.BGP{Patterns: slices.Clone(n.Patterns)}
		for i, t := range n.Patterns {
			out.Patterns[i] = parser.TriplePattern{Subject: s.term(t.Subject), Predicate: s.term(t.Predicate), Object: s.term(t.Object)}
		}
		return out
	case *parser.PathPattern:
		return &parser.PathPattern{Subject: s.term(n.Subject), Path: n.Path, Object: s.term(n.Object)}
	case *parser.Graph:
		return &parser.Graph{Name: s.term(n.Name), Input: s.node(n.Input)}
	case *parser.Extend:
		return s.extend(n)
	case *parser.Values:
		return s.values(n)
	case *parser.Project:
		return s.project(n)
	case *parser.Join, *parser.LeftJoin, *parser.Union, *parser.Minus, *parser.Filter, *parser.OrderBy, *parser.Distinct, *parser.Reduced:
		return parser.MapExpressions(parser.Map(n, s.node), s.expr)
	}
	return s.result(n)
}

func (s substitution) term(t parser.PatternTerm) parser.PatternTerm {
	if t.IsVariable() && s.has(t.Variable) {
		return parser.PatternTerm{Variable: scope.Parameter(t.Variable)}
	}
	return t
}

func (s substitution) expr(e parser.Expr) parser.Expr {
	switch e := e.(type) {
	case *parser.Var:
		if s.has(e.Name) {
			return &parser.Var{Name: scope.Parameter(e.Name)}
		}
	case *parser.Call:
		if v, ok := boundOf(e); ok && s.has(v) {
			return &parser.Const{Term: rdf.NewTyped("true", rdf.XSDBoolean)}
		}
	case *parser.Exists:
		return &parser.Exists{Pattern: s.node(e.Pattern), Not: e.Not}
	}
	return parser.MapArguments(e, s.expr)
}

// boundOf recognises BOUND and tells its variable.
func boundOf(e *parser.Call) (variable string, ok bool) {
	if e.Function != "BOUND" || len(e.Args) != 1 {
		return "", false
	}
	v, ok := e.Args[0].(*parser.Var)
	if !ok {
		return "", false
	}
	return v.Name, true
}

// result keeps the solutions of what looks at all of them at once that agree, without the variables that are given: they
// are no variables any more.
func (s substitution) result(n parser.Node) parser.Node {
	var row parser.Node = &parser.BGP{}
	var left []string
	for _, v := range s.scopes.Names(s.scopes.Of(n).May) {
		if s.has(v) {
			row = &parser.Extend{Input: row, Variable: v, Expr: &parser.Var{Name: scope.Parameter(v)}}
		} else {
			left = append(left, v)
		}
	}
	if isUnit(row) {
		return n
	}
	return &parser.Project{Input: &parser.Join{Left: n, Right: row}, Variables: left}
}

func (s substitution) extend(n *parser.Extend) parser.Node {
	in, e := s.node(n.Input), s.expr(n.Expr)
	if !s.has(n.Variable) {
		return &parser.Extend{Input: in, Variable: n.Variable, Expr: e}
	}
	return &parser.Filter{Condition: sameTerm(e, n.Variable), Input: in}
}

// sameTerm says that an expression has the value of a given variable.
func sameTerm(e parser.Expr, variable string) parser.Expr {
	return &parser.Call{Function: "SAMETERM", Args: []parser.Expr{e, &parser.Var{Name: scope.Parameter(variable)}}}
}

// values keeps the rows that agree, without the columns that are given.
func (s substitution) values(n *parser.Values) parser.Node {
	if !slices.ContainsFunc(n.Variables, s.has) {
		return n
	}
	table := &parser.Values{Variables: slices.Clone(n.Variables), Rows: n.Rows}
	var out parser.Node = table
	var left []string
	for i, v := range n.Variables {
		if !s.has(v) {
			left = append(left, v)
			continue
		}
		column := parser.BlankPrefix + "column " + v
		table.Variables[i] = column
		cell := &parser.Var{Name: column}
		open := &parser.Call{Function: "!", Args: []parser.Expr{&parser.Call{Function: "BOUND", Args: []parser.Expr{cell}}}}
		out = &parser.Filter{Condition: &parser.Call{Function: "||", Args: []parser.Expr{open, sameTerm(cell, v)}}, Input: out}
	}
	return &parser.Project{Input: out, Variables: left}
}

// project reaches into a subquery for the variables that it exposes only.
func (s substitution) project(n *parser.Project) parser.Node {
	visible := substitution{scopes: s.scopes}
	var left []string
	for _, v := range n.Variables {
		if s.has(v) {
			visible.given = append(visible.given, v)
		} else {
			left = append(left, v)
		}
	}
	return &parser.Project{Input: visible.node(n.Input), Variables: left}
}
