package exec

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// substitutionOp answers a correlated pattern that cannot be matched for many bindings at once: for each seed row it
// puts the values in place of the variables (SPARQL 1.1 section 18.6, substitute) and asks whether there is a
// solution. It emits each seed row that has one, once.
type substitutionOp struct {
	compiler *compiler
	pattern  parser.Node
	inputs   []string
	explain  *Explain
}

func (c *compiler) substitution(n parser.Node, r request) (operator, error) {
	return &substitutionOp{compiler: c, pattern: n, inputs: r.inputs,
		explain: &Explain{Operator: "for each binding", Columns: r.inputs}}, nil
}

func (s *substitutionOp) columns() []string { return nil }

func (s *substitutionOp) node() *Explain { return s.explain }

func (s *substitutionOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	row := bindings{make(map[string]rdf.Term, len(s.inputs)), s.compiler.plan.options.Semantics}
	for r := range seed.N {
		for i, v := range s.inputs {
			row.terms[v] = x.terms.Term(seed.Cols[i][r])
		}
		op, err := s.compiler.compile(substitute(s.pattern, row), request{need: names{}, distinct: true})
		if err != nil {
			return err
		}
		found, err := exists(op, x)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := emit(&Batch{N: 1, Origin: []uint32{uint32(r)}}); err != nil {
			return err
		}
	}
	return nil
}

// exists reports whether an operator without inputs has a solution.
func exists(op operator, x *execution) (found bool, err error) {
	stop := errors.New("exec: found")
	err = measured(op, x, nil, func(b *Batch) error {
		if b.N == 0 {
			return nil
		}
		found = true
		return stop
	})
	if err == stop {
		err = nil
	}
	return found, err
}

// bindings are the terms that stand for variables.
type bindings struct {
	terms     map[string]rdf.Term
	semantics bgp.Semantics
}

// substitute puts terms in place of variables, everywhere in a pattern where they are in scope. What would bind such
// a variable anew (VALUES, BIND) is asked to agree with it instead.
func substitute(n parser.Node, row bindings) parser.Node {
	switch n := n.(type) {
	case *parser.BGP:
		return substituteBGP(n, row)
	case *parser.PathPattern:
		return &parser.PathPattern{Subject: substituteTerm(n.Subject, row), Path: n.Path, Object: substituteTerm(n.Object, row)}
	case *parser.Join:
		return &parser.Join{Left: substitute(n.Left, row), Right: substitute(n.Right, row)}
	case *parser.LeftJoin:
		out := &parser.LeftJoin{Left: substitute(n.Left, row), Right: substitute(n.Right, row)}
		if n.Condition != nil {
			out.Condition = substituteExpr(n.Condition, row)
		}
		return out
	case *parser.Union:
		return &parser.Union{Left: substitute(n.Left, row), Right: substitute(n.Right, row)}
	case *parser.Minus:
		return &parser.Minus{Left: substitute(n.Left, row), Right: substitute(n.Right, row)}
	case *parser.Filter:
		return &parser.Filter{Condition: substituteExpr(n.Condition, row), Input: substitute(n.Input, row)}
	case *parser.Graph:
		return &parser.Graph{Name: substituteTerm(n.Name, row), Input: substitute(n.Input, row)}
	case *parser.Extend:
		return substituteExtend(n, row)
	case *parser.Values:
		return substituteValues(n, row)
	case *parser.Service:
		return &parser.Join{Left: n, Right: rowValues(n.Input, row)}
	case *parser.Project:
		return substituteProject(n, row)
	case *parser.Distinct:
		return &parser.Distinct{Input: substitute(n.Input, row)}
	case *parser.Reduced:
		return &parser.Reduced{Input: substitute(n.Input, row)}
	}
	// Group, OrderBy and Slice look at all solutions at once: the bindings are joined with what comes out.
	return &parser.Join{Left: n, Right: rowValues(n, row)}
}

// substituteBGP puts terms in place of a basic graph pattern's variables. The variables stay vertices of their own: where
// isomorphism wants them, or edges, different, the pattern has no solution when they become equal.
func substituteBGP(n *parser.BGP, row bindings) parser.Node {
	out := &parser.BGP{}
	vertices, edges := map[parser.PatternTerm]parser.PatternTerm{}, map[parser.TriplePattern]parser.TriplePattern{}
	for _, t := range n.Patterns {
		u := parser.TriplePattern{
			Subject: substituteTerm(t.Subject, row), Predicate: substituteTerm(t.Predicate, row), Object: substituteTerm(t.Object, row)}
		out.Patterns = append(out.Patterns, u)
		same := row.semantics == bgp.Isomorphism && (merges(vertices, t.Subject, u.Subject) || merges(vertices, t.Object, u.Object)) ||
			row.semantics == bgp.EdgeIsomorphism && merges(edges, t, u)
		if same {
			return &parser.Values{}
		}
	}
	return out
}

// merges reports whether something else became what a part of a pattern becomes.
func merges[T comparable](from map[T]T, before, after T) bool {
	old, known := from[after]
	from[after] = before
	return known && old != before
}

// rowValues is the bindings of a pattern's variables as an inline table.
func rowValues(n parser.Node, row bindings) parser.Node {
	out := &parser.Values{Rows: [][]rdf.Term{nil}}
	for v := range (scopes{}).of(n).vars {
		if t, ok := row.terms[v]; ok {
			out.Variables, out.Rows[0] = append(out.Variables, v), append(out.Rows[0], t)
		}
	}
	return out
}

func substituteTerm(t parser.PatternTerm, row bindings) parser.PatternTerm {
	if term, ok := row.terms[t.Variable]; ok && t.IsVariable() {
		return parser.PatternTerm{Term: term}
	}
	return t
}

// substituteExtend: BIND(e AS ?v) with ?v given keeps the solutions whose e is that term.
func substituteExtend(n *parser.Extend, row bindings) parser.Node {
	in, e := substitute(n.Input, row), substituteExpr(n.Expr, row)
	if t, ok := row.terms[n.Variable]; ok {
		same := &parser.Call{Function: "SAMETERM", Args: []parser.Expr{e, &parser.Const{Term: t}}}
		return &parser.Filter{Condition: same, Input: in}
	}
	return &parser.Extend{Input: in, Variable: n.Variable, Expr: e}
}

// substituteValues keeps the rows that agree, without the columns that are given.
func substituteValues(n *parser.Values, row bindings) parser.Node {
	out := &parser.Values{}
	var keep []int
	for i, v := range n.Variables {
		if _, ok := row.terms[v]; !ok {
			keep, out.Variables = append(keep, i), append(out.Variables, v)
		}
	}
next:
	for _, terms := range n.Rows {
		for i, v := range n.Variables {
			if t, ok := row.terms[v]; ok && !terms[i].IsZero() && terms[i] != t {
				continue next
			}
		}
		var left []rdf.Term
		for _, i := range keep {
			left = append(left, terms[i])
		}
		out.Rows = append(out.Rows, left)
	}
	return out
}

// substituteProject reaches into a subquery for the variables that it exposes only.
func substituteProject(n *parser.Project, row bindings) parser.Node {
	visible := make(map[string]rdf.Term)
	var left []string
	for _, v := range n.Variables {
		if t, ok := row.terms[v]; ok {
			visible[v] = t
		} else {
			left = append(left, v)
		}
	}
	return &parser.Project{Input: substitute(n.Input, bindings{visible, row.semantics}), Variables: left}
}

func substituteExpr(e parser.Expr, row bindings) parser.Expr {
	switch e := e.(type) {
	case *parser.Var:
		if t, ok := row.terms[e.Name]; ok {
			return &parser.Const{Term: t}
		}
	case *parser.Call:
		if isBoundOf(e, row) {
			return &parser.Const{Term: rdf.NewTyped("true", rdf.XSDBoolean)}
		}
		return &parser.Call{Function: e.Function, Args: substituteArgs(e.Args, row)}
	case *parser.FunctionCall:
		return &parser.FunctionCall{IRI: e.IRI, Distinct: e.Distinct, Args: substituteArgs(e.Args, row)}
	case *parser.Exists:
		return &parser.Exists{Pattern: substitute(e.Pattern, row), Not: e.Not}
	}
	return e
}

// isBoundOf recognises BOUND of a variable that is given.
func isBoundOf(e *parser.Call, row bindings) bool {
	if e.Function != "BOUND" || len(e.Args) != 1 {
		return false
	}
	v, ok := e.Args[0].(*parser.Var)
	if ok {
		_, ok = row.terms[v.Name]
	}
	return ok
}

func substituteArgs(args []parser.Expr, row bindings) []parser.Expr {
	out := make([]parser.Expr, len(args))
	for i, a := range args {
		out[i] = substituteExpr(a, row)
	}
	return out
}
