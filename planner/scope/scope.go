package scope

import (
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
)

// Scope says what the solutions of a pattern bind: variables they may bind (in-scope, SPARQL 1.1 section 18.2.1) and
// variables that every solution binds.
type Scope struct{ May, Must Set }

// Scopes numbers the variables of one query and remembers the scopes of its patterns, by node: algebra that was looked at
// must not be changed. It is not safe for concurrent use.
type Scopes struct {
	numbers map[string]int
	names   []string
	known   map[parser.Node]Scope
	used    map[parser.Node]Set
}

// New returns scopes that know no variable.
func New() *Scopes {
	return &Scopes{numbers: map[string]int{}, names: make([]string, 0, 16), known: map[parser.Node]Scope{}, used: map[parser.Node]Set{}}
}

// parameterPrefix begins the name of a parameter: no other variable is called so.
const parameterPrefix = parser.BlankPrefix + "given "

// Parameter is the name of the parameter that stands for a variable which is given from outside: in a pattern it is a
// constant that is known when the pattern is matched, and no part of its solutions.
func Parameter(variable string) string { return parameterPrefix + variable }

// IsParameter reports whether a variable is a parameter.
func IsParameter(variable string) bool { return strings.HasPrefix(variable, parameterPrefix) }

// OfParameter returns the variable that a parameter stands for; false where it is none.
func OfParameter(name string) (variable string, ok bool) {
	return strings.CutPrefix(name, parameterPrefix)
}

// Number returns the number of a variable, giving it one where it has none.
func (s *Scopes) Number(name string) int {
	v, ok := s.numbers[name]
	if !ok {
		v = len(s.names)
		s.numbers[name], s.names = v, append(s.names, name)
	}
	return v
}

// Set is the set of some variables.
func (s *Scopes) Set(names ...string) Set {
	var out Set
	for _, name := range names {
		out = out.with(s.Number(name))
	}
	return out
}

// Names returns the variables of a set, sorted.
func (s *Scopes) Names(set Set) []string {
	out := make([]string, 0, set.Len())
	for v := range set.All() {
		out = append(out, s.names[v])
	}
	slices.Sort(out)
	return out
}

// Readable leaves out what the query cannot name: blank nodes and invented variables are no part of a solution.
func (s *Scopes) Readable(set Set) Set {
	var hidden Set
	for v := range set.All() {
		if strings.HasPrefix(s.names[v], parser.BlankPrefix) {
			hidden = hidden.Or(single(v))
		}
	}
	return set.Without(hidden)
}

// Forget drops the scopes of all patterns; variables keep their numbers.
func (s *Scopes) Forget() {
	clear(s.known)
	clear(s.used)
}

// Of returns the scope of a pattern.
func (s *Scopes) Of(n parser.Node) Scope {
	if known, ok := s.known[n]; ok {
		return known
	}
	found := s.compute(n)
	s.known[n] = found
	return found
}

func (s *Scopes) compute(n parser.Node) Scope {
	var in, right Scope
	if children := parser.Children(n); len(children) > 0 {
		in = s.Of(children[0])
		if len(children) > 1 {
			right = s.Of(children[1])
		}
	}
	switch n := n.(type) {
	case *parser.BGP, *parser.PathPattern:
		vars := s.terms(n)
		return Scope{vars, vars}
	case *parser.Join:
		return Scope{in.May.Or(right.May), in.Must.Or(right.Must)}
	case *parser.LeftJoin:
		return Scope{in.May.Or(right.May), in.Must}
	case *parser.Union:
		return Scope{in.May.Or(right.May), in.Must.And(right.Must)}
	case *parser.Graph:
		name := s.terms(n)
		return Scope{in.May.Or(name), in.Must.Or(name)}
	case *parser.Extend:
		out := Scope{in.May.Or(s.Set(n.Variable)), in.Must}
		if s.neverFails(n.Expr, in) {
			out.Must = in.Must.Or(s.Set(n.Variable))
		}
		return out
	case *parser.Values:
		return s.values(n)
	case *parser.Service:
		return Scope{May: in.May.Or(s.terms(n))}
	case *parser.Group:
		return s.group(n, in)
	case *parser.Project:
		keep := s.Set(n.Variables...)
		return Scope{in.May.And(keep), in.Must.And(keep)}
	}
	return in // the other operators change no variable; MINUS binds what its left side does
}

// terms are the variables that an operator itself names.
func (s *Scopes) terms(n parser.Node) Set {
	var out Set
	for v := range parser.Mentions(n) {
		if !IsParameter(v) {
			out = out.with(s.Number(v))
		}
	}
	return out
}

// neverFails reports whether an expression has a value in every solution of a scope.
func (s *Scopes) neverFails(e parser.Expr, in Scope) bool {
	switch e := e.(type) {
	case *parser.Const:
		return true
	case *parser.Var:
		return IsParameter(e.Name) || in.Must.Has(s.Number(e.Name))
	}
	return false
}

func (s *Scopes) values(n *parser.Values) Scope {
	var open []string
	for _, row := range n.Rows {
		for i, t := range row {
			if t.IsZero() && !slices.Contains(open, n.Variables[i]) {
				open = append(open, n.Variables[i])
			}
		}
	}
	vars := s.Set(n.Variables...)
	return Scope{vars, vars.Without(s.Set(open...))}
}

func (s *Scopes) group(n *parser.Group, in Scope) Scope {
	var certain []string
	for _, k := range n.Keys {
		if s.neverFails(k.Expr, in) {
			certain = append(certain, k.Variable)
		}
	}
	for _, a := range n.Aggregates {
		if a.Function == "COUNT" && a.Argument == nil {
			certain = append(certain, a.Variable)
		}
	}
	return Scope{s.Set(parser.Binds(n)...), s.Set(certain...)}
}

// Reads is every variable that some expressions read, those of EXISTS patterns included. Parameters are not among them.
func (s *Scopes) Reads(list ...parser.Expr) (out Set) {
	s.addReads(&out, list)
	return out
}

// addReads adds what expressions read to a set that nobody else has.
func (s *Scopes) addReads(out *Set, list []parser.Expr) {
	for _, e := range list {
		switch e := e.(type) {
		case *parser.Var:
			if !IsParameter(e.Name) {
				*out = out.with(s.Number(e.Name))
			}
		case *parser.Exists:
			for v := range s.Used(e.Pattern).All() {
				*out = out.with(v)
			}
		}
		s.addReads(out, parser.Arguments(e))
	}
}

// Used is every variable that a pattern mentions anywhere that substitution could reach.
func (s *Scopes) Used(n parser.Node) Set {
	if known, ok := s.used[n]; ok {
		return known
	}
	out := s.Of(n).May
	switch n := n.(type) {
	case *parser.Project:
		out = out.Or(s.Used(n.Input).And(s.Set(n.Variables...)))
	case *parser.Join, *parser.LeftJoin, *parser.Union, *parser.Minus, *parser.Filter, *parser.Graph, *parser.Extend,
		*parser.OrderBy, *parser.Distinct, *parser.Reduced:
		for _, c := range parser.Children(n) {
			out = out.Or(s.Used(c))
		}
		out = out.Or(s.Reads(parser.Expressions(n)...))
	}
	s.used[n] = out
	return out
}

// Parameters lists the parameters that some expressions read, each once, those of EXISTS patterns included.
func Parameters(list ...parser.Expr) (out []string) {
	add := func(name string) {
		if IsParameter(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	var expression func(e parser.Expr)
	var pattern func(n parser.Node)
	expression = func(e parser.Expr) {
		switch e := e.(type) {
		case *parser.Var:
			add(e.Name)
		case *parser.Exists:
			pattern(e.Pattern)
		}
		for _, a := range parser.Arguments(e) {
			expression(a)
		}
	}
	pattern = func(n parser.Node) {
		for v := range parser.Mentions(n) {
			add(v)
		}
		for _, e := range parser.Expressions(n) {
			expression(e)
		}
		for _, c := range parser.Children(n) {
			pattern(c)
		}
	}
	for _, e := range list {
		expression(e)
	}
	return out
}
