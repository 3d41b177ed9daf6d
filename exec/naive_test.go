package exec_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// The reference evaluator: SPARQL's algebra by its definitions (SPARQL 1.1 section 18.5), one solution at a time, on
// terms. It knows no plan, no ID and no index, so that it is easy to see that it is right.

// mapping is one solution.
type mapping map[string]rdf.Term

// reference evaluates over a dataset of quads. env holds what EXISTS substitutes for variables.
type reference struct {
	quads []quad
	names []rdf.Term
	graph rdf.Term // active graph
	// semantics holds inside each basic graph pattern.
	semantics bgp.Semantics
}

// in returns the reference with another active graph.
func (e *reference) in(g rdf.Term) *reference {
	return &reference{quads: e.quads, names: e.names, graph: g, semantics: e.semantics}
}

func compatible(a, b mapping) bool {
	for v, t := range a {
		if u, ok := b[v]; ok && u != t {
			return false
		}
	}
	return true
}

func merge(a, b mapping) mapping {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

func (e *reference) eval(n parser.Node, env mapping) []mapping {
	switch n := n.(type) {
	case *parser.BGP:
		out := []mapping{{}}
		for _, t := range n.Patterns {
			out = e.extendBy(out, t, env)
		}
		return slices.DeleteFunc(out, func(m mapping) bool { return !e.allows(n, merge(m, env)) })
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
		var out []mapping
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
func (e *reference) allows(n *parser.BGP, m mapping) bool {
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
	switch e.semantics {
	case bgp.Isomorphism:
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
	return len(things) == count
}

func (e *reference) triples() []quad {
	var out []quad
	for _, q := range e.quads {
		if q.graph == e.graph && !slices.ContainsFunc(out, func(p quad) bool {
			return p.subject == q.subject && p.predicate == q.predicate && p.object == q.object
		}) {
			out = append(out, q)
		}
	}
	return out
}

func (e *reference) extendBy(in []mapping, t parser.TriplePattern, env mapping) []mapping {
	var out []mapping
	triples := e.triples()
	for _, m := range in {
		for _, q := range triples {
			next := maps.Clone(m)
			if unify(next, env, t.Subject, q.subject) && unify(next, env, t.Predicate, q.predicate) && unify(next, env, t.Object, q.object) {
				out = append(out, next)
			}
		}
	}
	return out
}

// unify binds a pattern's term to a data term.
func unify(m, env mapping, p parser.PatternTerm, t rdf.Term) bool {
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

func join(a, b []mapping) []mapping {
	var out []mapping
	for _, x := range a {
		for _, y := range b {
			if compatible(x, y) {
				out = append(out, merge(x, y))
			}
		}
	}
	return out
}

func (e *reference) leftJoin(n *parser.LeftJoin, env mapping) []mapping {
	var out []mapping
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

func minus(a, b []mapping) []mapping {
	var out []mapping
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

func (e *reference) graphs(n *parser.Graph, env mapping) []mapping {
	name := n.Name
	if t, ok := env[name.Variable]; ok && name.IsVariable() {
		name = parser.PatternTerm{Term: t}
	}
	if !name.IsVariable() {
		if !slices.Contains(e.names, name.Term) {
			return nil
		}
		return e.in(name.Term).eval(n.Input, env)
	}
	var out []mapping
	for _, g := range e.names {
		out = append(out, join(e.in(g).eval(n.Input, env), []mapping{{name.Variable: g}})...)
	}
	return out
}

func (e *reference) bind(n *parser.Extend, env mapping) []mapping {
	var out []mapping
	for _, m := range e.eval(n.Input, env) {
		value, ok := e.value(n.Expr, merge(m, env))
		if given, substituted := env[n.Variable]; substituted {
			if ok && value == given {
				out = append(out, m)
			}
			continue
		}
		if ok {
			m = merge(m, mapping{n.Variable: value})
		}
		out = append(out, m)
	}
	return out
}

func values(n *parser.Values, env mapping) []mapping {
	var out []mapping
	for _, row := range n.Rows {
		m := mapping{}
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

func (e *reference) project(n *parser.Project, env mapping) []mapping {
	visible := mapping{}
	for _, v := range n.Variables {
		if t, ok := env[v]; ok {
			visible[v] = t
		}
	}
	var out []mapping
	for _, m := range e.eval(n.Input, visible) {
		kept := mapping{}
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
func (e *reference) outside(in []mapping, env mapping) []mapping {
	var out []mapping
	for _, m := range in {
		if compatible(m, env) {
			m = maps.Clone(m)
			maps.DeleteFunc(m, func(v string, _ rdf.Term) bool { _, given := env[v]; return given })
			out = append(out, m)
		}
	}
	return out
}

func (m mapping) key() string {
	var sb strings.Builder
	for _, v := range slices.Sorted(maps.Keys(m)) {
		sb.WriteString(v + "=" + m[v].String() + " ")
	}
	return sb.String()
}

func distinct(in []mapping) []mapping {
	seen := map[string]bool{}
	var out []mapping
	for _, m := range in {
		if !seen[m.key()] {
			seen[m.key()] = true
			out = append(out, m)
		}
	}
	return out
}

func (e *reference) group(n *parser.Group) []mapping {
	type member struct {
		key  mapping
		rows []mapping
	}
	groups := map[string]*member{}
	var order []*member
	for _, m := range e.eval(n.Input, nil) {
		key := mapping{}
		for _, k := range n.Keys {
			if t, ok := e.value(k.Expr, m); ok {
				key[k.Variable] = t
			}
		}
		g := groups[key.key()]
		if g == nil {
			g = &member{key: key}
			groups[key.key()] = g
			order = append(order, g)
		}
		g.rows = append(g.rows, m)
	}
	if len(n.Keys) == 0 && len(order) == 0 {
		order = append(order, &member{key: mapping{}})
	}
	var out []mapping
	for _, g := range order {
		m := g.key
		for _, a := range n.Aggregates {
			if t, ok := e.aggregate(a, g.rows); ok {
				m = merge(m, mapping{a.Variable: t})
			}
		}
		out = append(out, m)
	}
	return out
}

func (e *reference) aggregate(a parser.Aggregation, rows []mapping) (rdf.Term, bool) {
	if a.Argument == nil {
		if a.Distinct {
			var named []mapping
			for _, m := range rows {
				kept := mapping{}
				for v, t := range m {
					if !strings.HasPrefix(v, parser.BlankPrefix) {
						kept[v] = t
					}
				}
				named = append(named, kept)
			}
			rows = distinct(named)
		}
		return integer(len(rows)), true
	}
	var list []rdf.Term
	failed := false
	for _, m := range rows {
		t, ok := e.value(a.Argument, m)
		if !ok {
			failed = true
		} else if !a.Distinct || !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	switch a.Function {
	case "MIN", "MAX":
		return extreme(a.Function, list), !failed && len(list) > 0
	case "COUNT":
		return integer(len(list)), true
	case "SUM":
		sum := 0
		for _, t := range list {
			n, ok := number(t)
			if !ok {
				return rdf.Term{}, false
			}
			sum += n
		}
		return integer(sum), !failed
	}
	panic("the reference does not compute " + a.Function)
}

func integer(n int) rdf.Term { return rdf.NewTyped(strconv.Itoa(n), rdf.XSDInteger) }

func boolean(b bool) rdf.Term { return rdf.NewTyped(strconv.FormatBool(b), rdf.XSDBoolean) }

func number(t rdf.Term) (int, bool) {
	if t.Kind != rdf.Literal || t.Datatype != rdf.XSDInteger {
		return 0, false
	}
	n, err := strconv.Atoi(t.Value)
	return n, err == nil
}

// isTrue is the effective boolean value; an error is not true.
func (e *reference) isTrue(x parser.Expr, m mapping) bool {
	b, ok := e.truth(x, m)
	return ok && b
}

func (e *reference) truth(x parser.Expr, m mapping) (value, ok bool) {
	t, ok := e.value(x, m)
	if !ok {
		return false, false
	}
	return effective(t)
}

func (e *reference) value(x parser.Expr, m mapping) (rdf.Term, bool) {
	switch x := x.(type) {
	case *parser.Var:
		t, ok := m[x.Name]
		return t, ok
	case *parser.Const:
		return x.Term, true
	case *parser.Exists:
		return boolean((len(e.eval(x.Pattern, m)) > 0) != x.Not), true
	case *parser.Call:
		return e.call(x, m)
	}
	panic("unknown expression")
}

func (e *reference) call(x *parser.Call, m mapping) (rdf.Term, bool) {
	switch x.Function {
	case "BOUND":
		_, ok := m[x.Args[0].(*parser.Var).Name]
		return boolean(ok), true
	case "&&", "||":
		return e.logic(x, m)
	case "!":
		b, ok := e.truth(x.Args[0], m)
		return boolean(!b), ok
	case "IN", "NOT IN":
		return e.among(x, m)
	case "COALESCE":
		for _, a := range x.Args {
			if t, ok := e.value(a, m); ok {
				return t, true
			}
		}
		return rdf.Term{}, false
	case "IF":
		b, ok := e.truth(x.Args[0], m)
		if !ok {
			return rdf.Term{}, false
		}
		if b {
			return e.value(x.Args[1], m)
		}
		return e.value(x.Args[2], m)
	}
	var args []rdf.Term
	for _, a := range x.Args {
		t, ok := e.value(a, m)
		if !ok {
			return rdf.Term{}, false
		}
		args = append(args, t)
	}
	switch x.Function {
	case "SAMETERM":
		return boolean(args[0] == args[1]), true
	case "ISIRI":
		return boolean(args[0].Kind == rdf.IRI), true
	case "ISLITERAL":
		return boolean(args[0].Kind == rdf.Literal), true
	case "ISNUMERIC":
		return boolean(literalOf(args[0]).kind == numberKind), true
	case "STR":
		return rdf.NewString(args[0].Value), args[0].Kind != rdf.BlankNode
	case "LANG":
		return rdf.NewString(args[0].Language), args[0].Kind == rdf.Literal
	case "DATATYPE":
		return rdf.NewIRI(args[0].DatatypeIRI()), args[0].Kind == rdf.Literal
	case "=", "!=":
		equal, ok := equalTerms(args[0], args[1])
		return boolean(equal == (x.Function == "=")), ok
	case "<", ">", "<=", ">=":
		order, unordered, ok := compareLiterals(args[0], args[1])
		holds := map[string]bool{"<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}[x.Function]
		return boolean(holds && !unordered), ok
	case "+":
		a, ok := number(args[0])
		b, ok2 := number(args[1])
		return integer(a + b), ok && ok2
	}
	panic("the reference does not compute " + x.Function)
}

// among is IN and NOT IN (section 17.4.1.9): "=" with each item, connected by ||.
func (e *reference) among(x *parser.Call, m mapping) (rdf.Term, bool) {
	value, ok := e.value(x.Args[0], m)
	if !ok {
		return rdf.Term{}, false
	}
	found, failed := false, false
	for _, item := range x.Args[1:] {
		t, known := e.value(item, m)
		equal := false
		if known {
			equal, known = equalTerms(value, t)
		}
		found, failed = found || known && equal, failed || !known
	}
	return boolean(found == (x.Function == "IN")), found || !failed
}

// logic is the three-valued && and || (section 17.2).
func (e *reference) logic(x *parser.Call, m mapping) (rdf.Term, bool) {
	a, ok := e.truth(x.Args[0], m)
	b, ok2 := e.truth(x.Args[1], m)
	decisive := x.Function == "||"
	if ok && a == decisive || ok2 && b == decisive {
		return boolean(decisive), true
	}
	return boolean(!decisive), ok && ok2
}

// path evaluates a path pattern by the relation of its path.
func (e *reference) path(n *parser.PathPattern, env mapping) []mapping {
	ends := func(p parser.PatternTerm) (rdf.Term, bool) {
		if !p.IsVariable() {
			return p.Term, true
		}
		t, ok := env[p.Variable]
		return t, ok
	}
	nodes := e.nodes()
	for _, p := range []parser.PatternTerm{n.Subject, n.Object} {
		if t, ok := ends(p); ok && !slices.Contains(nodes, t) {
			nodes = append(nodes, t)
		}
	}
	var out []mapping
	for _, pair := range e.relation(n.Path, nodes) {
		m := mapping{}
		if unify(m, env, n.Subject, pair[0]) && unify(m, env, n.Object, pair[1]) {
			out = append(out, m)
		}
	}
	return out
}

func (e *reference) nodes() []rdf.Term {
	var out []rdf.Term
	for _, q := range e.triples() {
		for _, t := range []rdf.Term{q.subject, q.object} {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// relation is the multiset of pairs that a path connects, over the given nodes.
func (e *reference) relation(p parser.Path, nodes []rdf.Term) [][2]rdf.Term {
	var out [][2]rdf.Term
	switch p := p.(type) {
	case *parser.PathIRI:
		for _, q := range e.triples() {
			if q.predicate.Value == p.IRI {
				out = append(out, [2]rdf.Term{q.subject, q.object})
			}
		}
	case *parser.PathInverse:
		for _, pair := range e.relation(p.Path, nodes) {
			out = append(out, [2]rdf.Term{pair[1], pair[0]})
		}
	case *parser.PathSequence:
		right := e.relation(p.Right, nodes)
		for _, a := range e.relation(p.Left, nodes) {
			for _, b := range right {
				if a[1] == b[0] {
					out = append(out, [2]rdf.Term{a[0], b[1]})
				}
			}
		}
	case *parser.PathAlternative:
		out = append(e.relation(p.Left, nodes), e.relation(p.Right, nodes)...)
	case *parser.PathZeroOrOne:
		out = unique(append(identity(nodes), e.relation(p.Path, nodes)...))
	case *parser.PathOneOrMore:
		out = closure(e.relation(p.Path, nodes))
	case *parser.PathZeroOrMore:
		out = unique(append(identity(nodes), closure(e.relation(p.Path, nodes))...))
	case *parser.PathNegated:
		for _, q := range e.triples() {
			if p.HasForward && !slices.Contains(p.Forward, q.predicate.Value) {
				out = append(out, [2]rdf.Term{q.subject, q.object})
			}
			if p.HasInverse && !slices.Contains(p.Inverse, q.predicate.Value) {
				out = append(out, [2]rdf.Term{q.object, q.subject})
			}
		}
	}
	return out
}

func identity(nodes []rdf.Term) (out [][2]rdf.Term) {
	for _, n := range nodes {
		out = append(out, [2]rdf.Term{n, n})
	}
	return out
}

func unique(in [][2]rdf.Term) (out [][2]rdf.Term) {
	for _, p := range in {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func closure(step [][2]rdf.Term) [][2]rdf.Term {
	out := unique(step)
	for {
		next := out
		for _, a := range out {
			for _, b := range step {
				if a[1] == b[0] {
					next = append(next, [2]rdf.Term{a[0], b[1]})
				}
			}
		}
		next = unique(next)
		if len(next) == len(out) {
			return out
		}
		out = next
	}
}
