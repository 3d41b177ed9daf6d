package watch

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// shape is the algebra of a query, taken apart for keeping its solutions up to date.
//
// The solutions of a pattern that is linear are a sum: those that a change of the data brings (or takes) are what its operators make of
// the matches that the change brings (or takes) to its basic graph patterns, its leaves. Filters, BIND, projection, UNION and joins with
// VALUES are linear; so are several basic graph patterns that are joined under homomorphism, because they are one.
type shape struct {
	// pattern is what is linear, with the leaves as they stand in it; nil where nothing is. whole is the same over the data.
	pattern, whole parser.Node
	leaves         []*leaf
	// distinct: of the pattern's solutions each counts once.
	distinct bool
	// reason is what keeps it from being linear.
	reason string
	// grouped: the pattern's solutions are aggregated; nil where they are the query's.
	grouped *grouping
	// direct: nothing stands between the leaves and the solutions but UNION and projection.
	direct bool
	// variables are the columns of the pattern's solutions.
	variables []string
	semantics bgp.Semantics
}

// shapeOf takes a query apart.
func shapeOf(q *parser.Query, semantics bgp.Semantics) *shape {
	s := &shape{direct: true, variables: q.Variables, semantics: semantics}
	if len(q.From)+len(q.FromNamed) > 0 {
		s.reason = "a data set of its own"
		return s
	}
	if semantics == bgp.Induced {
		s.reason = "induced matching"
		return s
	}
	n := unordered(q.Where)
	if d, ok := n.(*parser.Distinct); ok {
		s.distinct, n = true, unordered(d.Input)
	}
	in := n
	top, projected := n.(*parser.Project)
	if projected {
		in = top.Input
		if g := groupingOf(top); g != nil && !s.distinct {
			s.grouped, in, top = g, g.input, &parser.Project{Input: g.input, Variables: g.variables}
			s.variables, n = g.variables, top
		}
	}
	pattern, ok := s.linear(in, parser.PatternTerm{})
	if !ok {
		s.grouped, s.variables = nil, q.Variables
		return s
	}
	if projected {
		pattern = &parser.Project{Input: pattern, Variables: top.Variables}
	}
	s.pattern, s.whole = pattern, n
	s.readLeaves()
	return s
}

// unordered drops what changes the order of solutions alone, and REDUCED, which may keep all.
func unordered(n parser.Node) parser.Node {
	for {
		switch o := n.(type) {
		case *parser.OrderBy:
			n = o.Input
		case *parser.Reduced:
			n = o.Input
		case *parser.Project:
			if in := unordered(o.Input); in != o.Input {
				return &parser.Project{Input: in, Variables: o.Variables}
			}
			return n
		default:
			return n
		}
	}
}

// linear returns a pattern like n, in a graph (the zero name is the default graph), whose leaves are those of the shape; false where n is
// not linear.
func (s *shape) linear(n parser.Node, graph parser.PatternTerm) (parser.Node, bool) {
	switch n := n.(type) {
	case *parser.BGP:
		return s.leaf(n.Patterns, graph)
	case *parser.Graph:
		return s.inGraph(n, graph)
	case *parser.Join:
		return s.join(n, graph)
	case *parser.Project:
		s.direct = false
	case *parser.Filter, *parser.Extend:
		s.direct = false
		if slices.ContainsFunc(parser.Expressions(n), parser.HasExists) {
			return s.because("EXISTS")
		}
	case *parser.Union:
	default:
		return s.because(wordFor(n))
	}
	ok := true
	out := parser.Map(n, func(in parser.Node) parser.Node {
		made, linear := s.linear(in, graph)
		ok = ok && linear
		return made
	})
	return out, ok
}

// leaf makes a leaf of triple patterns.
func (s *shape) leaf(patterns []parser.TriplePattern, graph parser.PatternTerm) (parser.Node, bool) {
	l := newLeaf(patterns, graph)
	if l == nil {
		return s.because("a basic graph pattern without variables, or with a language tag")
	}
	s.leaves = append(s.leaves, l)
	return l.node, true
}

// inGraph is linear of GRAPH: with a constant name for whatever it holds, with a variable for a basic graph pattern.
func (s *shape) inGraph(n *parser.Graph, outer parser.PatternTerm) (parser.Node, bool) {
	if outer != (parser.PatternTerm{}) {
		return s.because("GRAPH inside of GRAPH")
	}
	if !n.Name.IsVariable() {
		return s.linear(n.Input, n.Name)
	}
	pattern, ok := n.Input.(*parser.BGP)
	if !ok {
		return s.because("GRAPH ?g around more than a basic graph pattern")
	}
	return s.leaf(pattern.Patterns, n.Name)
}

// join is linear of a join: one part that is linear, and tables. Under homomorphism basic graph patterns are one.
func (s *shape) join(n *parser.Join, graph parser.PatternTerm) (parser.Node, bool) {
	var out parser.Node
	found := false
	var patterns []parser.TriplePattern
	for _, part := range members(nil, n) {
		switch part := part.(type) {
		case *parser.Values:
			s.direct = false
			out = joined(out, part)
		case *parser.BGP:
			if len(patterns) > 0 && s.semantics != bgp.Homomorphism {
				return s.because("a join of basic graph patterns, under another semantics than homomorphism")
			}
			patterns = append(patterns, part.Patterns...)
		default:
			if len(patterns) > 0 || slices.ContainsFunc(members(nil, n), func(o parser.Node) bool { return o != part && !isTable(o) }) {
				return s.because("a join of more than basic graph patterns and tables")
			}
			made, ok := s.linear(part, graph)
			if !ok {
				return nil, false
			}
			out, found = joined(out, made), true
		}
	}
	if len(patterns) == 0 && !found {
		return s.because("nothing but tables")
	}
	if len(patterns) == 0 {
		return out, true
	}
	made, ok := s.leaf(patterns, graph)
	return joined(out, made), ok
}

func isTable(n parser.Node) bool {
	_, ok := n.(*parser.Values)
	return ok
}

func joined(a, b parser.Node) parser.Node {
	if a == nil {
		return b
	}
	return &parser.Join{Left: a, Right: b}
}

// members lists the operands of nested joins.
func members(dst []parser.Node, n parser.Node) []parser.Node {
	if j, ok := n.(*parser.Join); ok {
		return members(members(dst, j.Left), j.Right)
	}
	return append(dst, n)
}

// readLeaves finds which variables of each leaf are read above it.
func (s *shape) readLeaves() {
	for _, l := range s.leaves {
		for _, v := range l.visible() {
			if !s.direct || slices.Contains(s.variables, v) {
				l.columns = append(l.columns, v)
			}
		}
		for _, v := range s.variables {
			l.exposed = append(l.exposed, slices.Index(l.columns, v))
		}
		l.prepare()
	}
}

// labels are the predicates whose triples a query reads; all is set where it may read any.
func labels(n parser.Node) (list []rdf.Term, all bool) {
	r := &reading{}
	parser.Walk(n, func(n parser.Node) bool { r.node(n); return true })
	return r.labels, r.all
}

// reading collects what a query reads.
type reading struct {
	labels []rdf.Term
	all    bool
}

// node notes what an operator itself reads.
func (r *reading) node(n parser.Node) {
	switch n := n.(type) {
	case *parser.BGP:
		for _, p := range n.Patterns {
			r.all = r.all || p.Predicate.IsVariable()
			r.labels = append(r.labels, p.Predicate.Term)
		}
	case *parser.PathPattern:
		r.all = r.all || parser.Nullable(n.Path)
		r.path(n.Path)
	case *parser.Graph: // which graphs there are matters too
		r.all = true
	}
}

func (r *reading) path(p parser.Path) {
	switch p := p.(type) {
	case *parser.PathIRI:
		r.labels = append(r.labels, rdf.NewIRI(p.IRI))
	case *parser.PathInverse:
		r.path(p.Path)
	case *parser.PathSequence:
		r.path(p.Left)
		r.path(p.Right)
	case *parser.PathAlternative:
		r.path(p.Left)
		r.path(p.Right)
	case *parser.PathZeroOrMore:
		r.path(p.Path)
	case *parser.PathOneOrMore:
		r.path(p.Path)
	case *parser.PathZeroOrOne:
		r.path(p.Path)
	default:
		r.all = true
	}
}
