package naive

import (
	"maps"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Solution is a solution mapping: terms by variable.
type Solution map[string]rdf.Term

// Evaluator evaluates over a data set, whose default graph is active at first.
type Evaluator struct {
	Quads []rdf.Quad
	// Names are the named graphs, empty ones too.
	Names []rdf.Term
	// Semantics holds inside each basic graph pattern.
	Semantics bgp.Semantics
	graph     rdf.Term // active
}

// Solutions are the solutions of a pattern, repeated ones too.
func (e *Evaluator) Solutions(n parser.Node) []Solution { return e.eval(n, nil) }

// Select returns the rows of a SELECT over the data set as it is, whatever FROM says.
func (e *Evaluator) Select(q *parser.Query) (rows [][]rdf.Term) {
	for _, m := range e.Solutions(q.Where) {
		row := make([]rdf.Term, len(q.Variables))
		for i, v := range q.Variables {
			row[i] = m[v]
		}
		rows = append(rows, row)
	}
	return rows
}

// in returns the evaluator with another active graph.
func (e *Evaluator) in(g rdf.Term) *Evaluator {
	return &Evaluator{Quads: e.Quads, Names: e.Names, Semantics: e.Semantics, graph: g}
}

func compatible(a, b Solution) bool {
	for v, t := range a {
		if u, ok := b[v]; ok && u != t {
			return false
		}
	}
	return true
}

func merge(a, b Solution) Solution {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

// eval evaluates n; env holds what EXISTS substitutes for variables.
func (e *Evaluator) eval(n parser.Node, env Solution) []Solution {
	switch n := n.(type) {
	case *parser.BGP:
		out := []Solution{{}}
		for _, t := range n.Patterns {
			out = e.extendBy(out, t, env)
		}
		return slices.DeleteFunc(out, func(m Solution) bool { return !e.allows(n, merge(m, env)) })
	case *parser.PathPattern:
		return e.path(n, env)
	case *parser.Join:
		return join(e.eval(n.Left, env), e.eval(n.Right, env))
	case *parser.LeftJoin:
		return e.leftJoin(n, env)
	case *parser.Union:
		return append(e.eval(n.Left, env), e.eval(n.Right, env)...)
	case *parser.Minus:
		return minus(e.eval(n.Left, env), e.eval(n.Right, env))
	case *parser.Filter:
		var out []Solution
		for _, m := range e.eval(n.Input, env) {
			if e.isTrue(n.Condition, merge(m, env)) {
				out = append(out, m)
			}
		}
		return out
	case *parser.Graph:
		return e.graphs(n, env)
	case *parser.Extend:
		return e.bind(n, env)
	case *parser.Values:
		return values(n, env)
	case *parser.Project:
		return e.project(n, env)
	case *parser.Distinct:
		return distinct(e.eval(n.Input, env))
	case *parser.Reduced:
		return e.eval(n.Input, env)
	case *parser.Group:
		return e.outside(e.group(n), env)
	case *parser.OrderBy:
		return e.sorted(n, e.eval(n.Input, env), env)
	case *parser.Slice:
		return e.outside(slice(n, e.eval(n.Input, nil)), env)
	}
	panic("unknown operator")
}

// allows applies the semantics: different vertices, or different triple patterns, bind different things.
func (e *Evaluator) allows(n *parser.BGP, m Solution) bool {
	value := func(p parser.PatternTerm) rdf.Term {
		if p.IsVariable() {
			return m[p.Variable]
		}
		return p.Term
	}
	vertices, edges := map[parser.PatternTerm]bool{}, map[parser.TriplePattern]bool{}
	for _, t := range n.Patterns {
		vertices[t.Subject], vertices[t.Object], edges[t] = true, true, true
	}
	things := map[any]int{}
	count := 0
	switch e.Semantics {
	case bgp.Isomorphism, bgp.Induced:
		for v := range vertices {
			things[value(v)]++
			count++
		}
	case bgp.EdgeIsomorphism:
		for t := range edges {
			things[[3]rdf.Term{value(t.Subject), value(t.Predicate), value(t.Object)}]++
			count++
		}
	}
	return len(things) == count && (e.Semantics != bgp.Induced || e.induced(edges, value))
}

// induced reports whether the data have no edges between the images of the patterns' vertices but those that the patterns bind, of the
// predicates of all patterns but those that say what class a vertex has.
func (e *Evaluator) induced(patterns map[parser.TriplePattern]bool, value func(parser.PatternTerm) rdf.Term) bool {
	images, predicates, bound := map[rdf.Term]bool{}, map[rdf.Term]bool{}, map[[3]rdf.Term]bool{}
	for p := range patterns {
		triple := [3]rdf.Term{value(p.Subject), value(p.Predicate), value(p.Object)}
		images[triple[0]], images[triple[2]], bound[triple] = true, true, true
		if p.Predicate.Term.Value != rdf.RDFType || p.Object.IsVariable() {
			predicates[triple[1]] = true
		}
	}
	return !slices.ContainsFunc(e.triples(), func(q rdf.Quad) bool {
		return images[q.Subject] && images[q.Object] && predicates[q.Predicate] && !bound[[3]rdf.Term{q.Subject, q.Predicate, q.Object}]
	})
}

// triples are those of the active graph.
func (e *Evaluator) triples() []rdf.Quad {
	var out []rdf.Quad
	for _, q := range e.Quads {
		if q.Graph == e.graph && !slices.ContainsFunc(out, func(p rdf.Quad) bool {
			return p.Subject == q.Subject && p.Predicate == q.Predicate && p.Object == q.Object
		}) {
			out = append(out, q)
		}
	}
	return out
}

func (e *Evaluator) extendBy(in []Solution, t parser.TriplePattern, env Solution) []Solution {
	var out []Solution
	triples := e.triples()
	for _, m := range in {
		for _, q := range triples {
			next := maps.Clone(m)
			if unify(next, env, t.Subject, q.Subject) && unify(next, env, t.Predicate, q.Predicate) && unifyObject(next, env, t.Object, q.Object) {
				out = append(out, next)
			}
		}
	}
	return out
}

// unifyObject is unify for the object of a triple pattern: a constant's language tag stands for every case of it (RFC 5646, section 2.1.1).
func unifyObject(m, env Solution, p parser.PatternTerm, t rdf.Term) bool {
	if !p.IsVariable() && strings.EqualFold(t.Language, p.Term.Language) {
		t.Language = p.Term.Language
	}
	return unify(m, env, p, t)
}

// unify binds a pattern's term to a data term.
func unify(m, env Solution, p parser.PatternTerm, t rdf.Term) bool {
	if !p.IsVariable() {
		return p.Term == t
	}
	if u, ok := env[p.Variable]; ok {
		return u == t
	}
	if u, ok := m[p.Variable]; ok {
		return u == t
	}
	m[p.Variable] = t
	return true
}

func join(a, b []Solution) []Solution {
	var out []Solution
	for _, x := range a {
		for _, y := range b {
			if compatible(x, y) {
				out = append(out, merge(x, y))
			}
		}
	}
	return out
}

func (e *Evaluator) leftJoin(n *parser.LeftJoin, env Solution) []Solution {
	var out []Solution
	right := e.eval(n.Right, env)
	for _, x := range e.eval(n.Left, env) {
		found := false
		for _, y := range right {
			if !compatible(x, y) {
				continue
			}
			m := merge(x, y)
			if n.Condition == nil || e.isTrue(n.Condition, merge(m, env)) {
				out, found = append(out, m), true
			}
		}
		if !found {
			out = append(out, x)
		}
	}
	return out
}

func minus(a, b []Solution) []Solution {
	var out []Solution
next:
	for _, x := range a {
		for _, y := range b {
			overlap := false
			for v := range x {
				_, both := y[v]
				overlap = overlap || both
			}
			if overlap && compatible(x, y) {
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

func (e *Evaluator) graphs(n *parser.Graph, env Solution) []Solution {
	name := n.Name
	if t, ok := env[name.Variable]; ok && name.IsVariable() {
		name = parser.PatternTerm{Term: t}
	}
	if !name.IsVariable() {
		if !slices.Contains(e.Names, name.Term) {
			return nil
		}
		return e.in(name.Term).eval(n.Input, env)
	}
	var out []Solution
	for _, g := range e.Names {
		out = append(out, join(e.in(g).eval(n.Input, env), []Solution{{name.Variable: g}})...)
	}
	return out
}

func (e *Evaluator) bind(n *parser.Extend, env Solution) []Solution {
	var out []Solution
	for _, m := range e.eval(n.Input, env) {
		value, ok := e.value(n.Expr, merge(m, env))
		if given, substituted := env[n.Variable]; substituted {
			if ok && value == given {
				out = append(out, m)
			}
			continue
		}
		if ok {
			m = merge(m, Solution{n.Variable: value})
		}
		out = append(out, m)
	}
	return out
}

func values(n *parser.Values, env Solution) []Solution {
	var out []Solution
	for _, row := range n.Rows {
		m := Solution{}
		agrees := true
		for i, v := range n.Variables {
			if t, ok := env[v]; ok {
				agrees = agrees && (row[i].IsZero() || row[i] == t)
			} else if !row[i].IsZero() {
				m[v] = row[i]
			}
		}
		if agrees {
			out = append(out, m)
		}
	}
	return out
}

func (e *Evaluator) project(n *parser.Project, env Solution) []Solution {
	visible := Solution{}
	for _, v := range n.Variables {
		if t, ok := env[v]; ok {
			visible[v] = t
		}
	}
	var out []Solution
	for _, m := range e.eval(n.Input, visible) {
		kept := Solution{}
		for _, v := range n.Variables {
			if t, ok := m[v]; ok {
				kept[v] = t
			}
		}
		out = append(out, kept)
	}
	return out
}

// outside joins what cannot be substituted into with the substituted bindings, which are then no part of it.
func (e *Evaluator) outside(in []Solution, env Solution) []Solution {
	var out []Solution
	for _, m := range in {
		if compatible(m, env) {
			m = maps.Clone(m)
			maps.DeleteFunc(m, func(v string, _ rdf.Term) bool { _, given := env[v]; return given })
			out = append(out, m)
		}
	}
	return out
}

func (m Solution) key() string {
	var sb strings.Builder
	for _, v := range slices.Sorted(maps.Keys(m)) {
		sb.WriteString(v + "=" + m[v].String() + " ")
	}
	return sb.String()
}

func distinct(in []Solution) []Solution {
	seen := map[string]bool{}
	var out []Solution
	for _, m := range in {
		if !seen[m.key()] {
			seen[m.key()] = true
			out = append(out, m)
		}
	}
	return out
}
