package exec

import (
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
)

// names is a set of variable names.
type names map[string]bool

func setOf(list ...string) names {
	s := make(names, len(list))
	for _, v := range list {
		s[v] = true
	}
	return s
}

func (s names) addAll(t names) names {
	maps.Copy(s, t)
	return s
}

func (s names) clone() names { return maps.Clone(s) }

func (s names) sorted() []string { return slices.Sorted(maps.Keys(s)) }

func intersection(a, b names) names {
	out := names{}
	for v := range a {
		if b[v] {
			out[v] = true
		}
	}
	return out
}

func union(a, b names) names { return a.clone().addAll(b) }

// without returns the members of a that are not in b.
func without(a, b names) names {
	out := names{}
	for v := range a {
		if !b[v] {
			out[v] = true
		}
	}
	return out
}

// scopeOf says what a pattern's solutions bind: variables they may bind (in-scope, SPARQL 1.1 section 18.2.1) and
// variables that every solution binds.
type scopeOf struct {
	vars, certain names
}

// scopes remembers the scope of every node.
type scopes map[parser.Node]scopeOf

func (m scopes) of(n parser.Node) scopeOf {
	if s, ok := m[n]; ok {
		return s
	}
	s := m.compute(n)
	m[n] = s
	return s
}

func (m scopes) compute(n parser.Node) scopeOf {
	switch n := n.(type) {
	case *parser.BGP:
		vars := names{}
		for i := range n.Patterns {
			addTerms(vars, n.Patterns[i].Subject, n.Patterns[i].Predicate, n.Patterns[i].Object)
		}
		return scopeOf{vars, vars}
	case *parser.PathPattern:
		vars := names{}
		addTerms(vars, n.Subject, n.Object)
		return scopeOf{vars, vars}
	case *parser.Join:
		l, r := m.of(n.Left), m.of(n.Right)
		return scopeOf{union(l.vars, r.vars), union(l.certain, r.certain)}
	case *parser.LeftJoin:
		l, r := m.of(n.Left), m.of(n.Right)
		return scopeOf{union(l.vars, r.vars), l.certain}
	case *parser.Union:
		l, r := m.of(n.Left), m.of(n.Right)
		return scopeOf{union(l.vars, r.vars), intersection(l.certain, r.certain)}
	case *parser.Minus:
		return m.of(n.Left)
	case *parser.Filter:
		return m.of(n.Input)
	case *parser.Graph:
		in := m.of(n.Input)
		if !n.Name.IsVariable() {
			return in
		}
		g := setOf(n.Name.Variable)
		return scopeOf{union(in.vars, g), union(in.certain, g)}
	case *parser.Extend:
		return m.extend(n)
	case *parser.Values:
		return valuesScope(n)
	case *parser.Service:
		vars := m.of(n.Input).vars.clone()
		addTerms(vars, n.Name)
		return scopeOf{vars, names{}}
	case *parser.Group:
		return m.group(n)
	case *parser.Project:
		in, keep := m.of(n.Input), setOf(n.Variables...)
		return scopeOf{intersection(in.vars, keep), intersection(in.certain, keep)}
	}
	for _, in := range parser.Children(n) {
		return m.of(in) // the other operators have one operand and change no variable
	}
	return scopeOf{names{}, names{}}
}

func addTerms(vars names, terms ...parser.PatternTerm) {
	for _, t := range terms {
		if t.IsVariable() {
			vars[t.Variable] = true
		}
	}
}

func (m scopes) extend(n *parser.Extend) scopeOf {
	in := m.of(n.Input)
	s := scopeOf{union(in.vars, setOf(n.Variable)), in.certain}
	if m.neverFails(n.Expr, in) {
		s.certain = union(in.certain, setOf(n.Variable))
	}
	return s
}

// neverFails reports whether an expression has a value in every solution of a scope.
func (m scopes) neverFails(e parser.Expr, in scopeOf) bool {
	switch e := e.(type) {
	case *parser.Const:
		return true
	case *parser.Var:
		return in.certain[e.Name]
	}
	return false
}

func valuesScope(n *parser.Values) scopeOf {
	vars := setOf(n.Variables...)
	certain := vars.clone()
	for _, row := range n.Rows {
		for i, t := range row {
			if t.IsZero() {
				delete(certain, n.Variables[i])
			}
		}
	}
	return scopeOf{vars, certain}
}

func (m scopes) group(n *parser.Group) scopeOf {
	in, s := m.of(n.Input), scopeOf{names{}, names{}}
	for _, k := range n.Keys {
		s.vars[k.Variable] = true
		if m.neverFails(k.Expr, in) {
			s.certain[k.Variable] = true
		}
	}
	for _, a := range n.Aggregates {
		s.vars[a.Variable] = true
		if a.Function == "COUNT" && a.Argument == nil {
			s.certain[a.Variable] = true
		}
	}
	return s
}

// mentions adds every variable that an expression reads to vars, those of EXISTS patterns included.
func (m scopes) mentions(vars names, e parser.Expr) names {
	switch e := e.(type) {
	case *parser.Var:
		vars[e.Name] = true
	case *parser.Exists:
		m.used(vars, e.Pattern)
	}
	for _, a := range parser.Arguments(e) {
		m.mentions(vars, a)
	}
	return vars
}

// used adds every variable that a pattern mentions anywhere that substitution could reach.
func (m scopes) used(vars names, n parser.Node) names {
	vars.addAll(m.of(n).vars)
	switch n.(type) {
	case *parser.Join, *parser.LeftJoin, *parser.Union, *parser.Minus, *parser.Filter, *parser.Graph, *parser.Extend:
		for _, c := range parser.Children(n) {
			m.used(vars, c)
		}
		for _, e := range parser.Expressions(n) {
			m.mentions(vars, e)
		}
	}
	return vars
}
