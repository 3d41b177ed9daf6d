package planner

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
)

// Lister is a Catalog that has some of its named graphs as lists of triples: small ones, which it makes into graphs for who asks for them by Named.
type Lister interface {
	// Listed are the triples of such a graph, ordered by predicate, subject and object; ok is false for all others.
	Listed(name dictionary.ID) (triples []pcsr.Edge, ok bool)
	// Unlisted are the names of the others, in ascending order; not to be changed.
	Unlisted() []dictionary.ID
	// ListedWith are the names of those in which a term is a subject (Out) or an object (In), in ascending order; ok is false where no index tells, of any term.
	ListedWith(v dictionary.ID, d pcsr.Direction) (names []dictionary.ID, ok bool)
}

// ListSearch is a basic graph pattern as it is searched for in lists of triples, which are too small for an order of their own: what one step has bound, those after it look up; or
// a path that is walked in them.
type ListSearch struct {
	// Path: what is searched for is a path, whose ends are those of the only step.
	Path bool
	// Variables are those of the pattern, by slot, and OneOf what a variable may be; nil: anything.
	Variables []string
	OneOf     [][]dictionary.ID
	Steps     []ListStep
	// Given are the slots of the variables that the pattern is seeded with.
	Given []int
	// Never: a term of the pattern is not in the data.
	Never bool
	// empty: a walk of no edge is a solution too, so that lists have some that have no term of the pattern.
	empty bool
}

// ListStep is a triple pattern.
type ListStep struct{ Subject, Predicate, Object ListTerm }

// ListTerm is a variable, by its slot, or a term, whose Slot is below 0.
type ListTerm struct {
	Slot int
	ID   dictionary.ID
}

// findsGraphs reports whether those of the named graphs in which a pattern may have a solution with a term are found, all but few, without a look at the others.
func (p *planner) findsGraphs(n *parser.Graph) bool {
	if p.lists() == 0 {
		return false
	}
	pattern, _, ok := p.searchable(n.Name, n.Input)
	if path, walks := pattern.(*parser.PathPattern); !ok || walks && parser.Nullable(path.Path) {
		return false
	}
	lister := p.catalog.(Lister)
	return isIndexed(lister) && len(lister.Unlisted()) <= fewGraphs
}

// isIndexed reports whether an index tells of each term in which lists it is.
func isIndexed(l Lister) bool {
	_, told := l.ListedWith(dictionary.None, pcsr.Out) // None is in none
	return told
}

// Anchor is a subject (Out) or an object (In) of a pattern whose term is known before the search begins; of a path, which may be walked backwards, either of them.
type Anchor struct {
	ListTerm
	Direction pcsr.Direction
	Either    bool
	// OneOf are the terms of which it is one; nil: the term, or the one that the seed gives.
	OneOf []dictionary.ID
}

// Lists are the names of the lists that have a term, or one of OneOf, in such a place, in ascending order; ok is false where no index tells.
func (a *Anchor) Lists(l Lister, v dictionary.ID) (names []dictionary.ID, ok bool) {
	terms, places := a.OneOf, []pcsr.Direction{a.Direction}
	if terms == nil {
		terms = []dictionary.ID{v}
	}
	if a.Either {
		places = append(places, a.Direction.Reverse())
	}
	for _, v := range terms {
		for _, d := range places {
			some, ok := l.ListedWith(v, d)
			if !ok {
				return nil, false
			}
			names = append(names, some...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// mostTerms is how many terms a subject or an object may be one of where each of them is looked for in the index.
const mostTerms = 64

// Anchors are those that the seed gives or, if there are none, those that are terms, or one of a few.
func (s *ListSearch) Anchors() (list []Anchor, given bool) {
	if s.empty {
		return nil, false
	}
	for _, given := range []bool{true, false} {
		for _, t := range s.Steps {
			for d, term := range []ListTerm{pcsr.Out: t.Subject, pcsr.In: t.Object} {
				a := Anchor{ListTerm: term, Direction: pcsr.Direction(d), Either: s.Path}
				if term.Slot >= 0 && !given {
					a.OneOf = s.OneOf[term.Slot]
				}
				if given && slices.Contains(s.Given, term.Slot) || !given && (term.Slot < 0 || a.OneOf != nil && len(a.OneOf) <= mostTerms) {
					list = append(list, a)
				}
			}
		}
		if len(list) > 0 {
			return list, given
		}
	}
	return nil, false
}

// Counted says of each step whether its triples are only counted where rows come with weights: it binds variables, and nobody reads them, no later step and no column. name is
// the variable of the graph's name.
func (s *ListSearch) Counted(columns []string, name string) []bool {
	counted := make([]bool, len(s.Steps))
	if s.Path {
		return counted
	}
	bound := make([]bool, len(s.Variables))
	for i, v := range s.Variables {
		bound[i] = v == name || slices.Contains(s.Given, i)
	}
	for k := range s.Steps {
		binds, read := false, false
		for _, slot := range s.Steps[k].slots() {
			if bound[slot] {
				continue
			}
			binds = true
			read = read || slices.Contains(columns, s.Variables[slot]) || slices.ContainsFunc(s.Steps[k+1:], func(t ListStep) bool { return slices.Contains(t.slots(), slot) })
		}
		counted[k] = binds && !read
		for _, slot := range s.Steps[k].slots() {
			bound[slot] = true
		}
	}
	return counted
}

// slots are those of the variables of a step.
func (t *ListStep) slots() (slots []int) {
	for _, term := range []ListTerm{t.Subject, t.Predicate, t.Object} {
		if term.Slot >= 0 {
			slots = append(slots, term.Slot)
		}
	}
	return slots
}

// meetingGraphs is in how many lists a term is expected, of which it is not known.
const meetingGraphs = 8

// searched is how many graphs are expected to be searched for one row of the seed; known: they are known to have a term of the pattern.
func (g *EachGraph) searched() (graphs float64, known bool) {
	all := float64(len(g.Graphs))
	if g.Name >= 0 {
		return 1, false
	}
	if g.Search == nil || !isIndexed(g.Lists) {
		return all, false
	}
	anchors, given := g.Search.Anchors()
	if len(anchors) == 0 {
		return all, false
	}
	graphs = meetingGraphs
	for i, a := range anchors {
		if given {
			break
		}
		names, _ := a.Lists(g.Lists, a.ID)
		if n := float64(len(names)); i == 0 || n < graphs {
			graphs = n
		}
	}
	return min(all, graphs+float64(len(g.Lists.Unlisted()))), !given
}

// listSearch is the search for the pattern of GRAPH ?g in graphs that are lists; nil where there is none: it is more than triple patterns, or a path.
func (p *planner) listSearch(n *parser.Graph, inputs []string) *ListSearch {
	for _, v := range inputs {
		if !p.scopes.Of(n.Input).May.Has(p.scopes.Number(v)) {
			return nil
		}
	}
	s := &ListSearch{}
	searched, fixed, ok := p.searchable(n.Name, n.Input)
	if !ok {
		return nil
	}
	if path, ok := searched.(*parser.PathPattern); ok {
		s.Path, s.empty = true, parser.Nullable(path.Path)
		s.Steps = []ListStep{{Subject: p.listTerm(s, path.Subject), Predicate: ListTerm{Slot: -1}, Object: p.listTerm(s, path.Object)}}
		s.Never = s.Never && !s.empty
		s.OneOf = make([][]dictionary.ID, len(s.Variables))
		s.give(inputs)
		return s
	}
	pattern, oneOf := rules.Languages(searched.(*parser.BGP), func(t rdf.Term) bool { _, ok := p.options.Lookup(t); return ok })
	known := map[string]bool{n.Name.Variable: true}
	for _, v := range inputs {
		known[v] = true
	}
	for left := slices.Clone(pattern.Patterns); len(left) > 0; {
		best := 0
		for i := range left {
			if boundPlaces(left[i], known) > boundPlaces(left[best], known) {
				best = i
			}
		}
		t := left[best]
		left = slices.Delete(left, best, best+1)
		s.Steps = append(s.Steps, ListStep{p.listTerm(s, t.Subject), p.listTerm(s, t.Predicate), p.listTerm(s, t.Object)})
		for _, place := range []parser.PatternTerm{t.Subject, t.Predicate, t.Object} {
			if place.IsVariable() {
				known[place.Variable] = true
			}
		}
	}
	s.OneOf = make([][]dictionary.ID, len(s.Variables))
	for i, v := range s.Variables {
		s.OneOf[i] = p.storedIDs(oneOf[v])
		if terms, ok := fixed[v]; ok {
			s.OneOf[i] = p.storedIDs(terms)
			s.Never = s.Never || len(s.OneOf[i]) == 0
		}
	}
	s.give(inputs)
	return s
}

// searchable is the pattern of GRAPH ?g that may be searched for in lists: a path, or triple patterns, of which some variables may have to be one of fixed terms; ok is false of
// all others.
func (p *planner) searchable(name parser.PatternTerm, n parser.Node) (pattern parser.Node, fixed map[string][]rdf.Term, ok bool) {
	for {
		switch of := n.(type) {
		case *parser.PathPattern:
			return of, nil, len(fixed) == 0
		case *parser.BGP:
			for v := range fixed {
				if !p.scopes.Of(of).May.Has(p.scopes.Number(v)) {
					return nil, nil, false
				}
			}
			return of, fixed, true
		case *parser.Filter:
			v, terms, ok := fixedTerms(of.Condition)
			if _, again := fixed[v]; !ok || again || v == name.Variable {
				return nil, nil, false
			}
			if fixed == nil {
				fixed = map[string][]rdf.Term{}
			}
			fixed[v], n = terms, of.Input
		default:
			return nil, nil, false
		}
	}
}

// give says which variables the pattern is seeded with.
func (s *ListSearch) give(inputs []string) {
	for _, v := range inputs {
		s.Given = append(s.Given, slices.Index(s.Variables, v))
	}
}

// boundPlaces says how much of a triple pattern is known where some variables are: first of all whether its subject or object is.
func boundPlaces(t parser.TriplePattern, known map[string]bool) (n int) {
	for i, place := range []parser.PatternTerm{t.Subject, t.Object, t.Predicate} {
		if !place.IsVariable() || known[place.Variable] {
			n += []int{2, 2, 1}[i]
		}
	}
	return n
}

func (p *planner) listTerm(s *ListSearch, t parser.PatternTerm) ListTerm {
	if !t.IsVariable() {
		id, ok := p.options.Lookup(t.Term)
		s.Never = s.Never || !ok
		return ListTerm{-1, id}
	}
	slot := slices.Index(s.Variables, t.Variable)
	if slot < 0 {
		slot = len(s.Variables)
		s.Variables = append(s.Variables, t.Variable)
	}
	return ListTerm{Slot: slot}
}

// sampledGraphs is how many of the named graphs are looked at to learn what the others are like.
const sampledGraphs = 8

// sampled are some of the named graphs, spread over all; the first is among them.
func sampled(graphs []dictionary.ID) (some []dictionary.ID) {
	n := min(len(graphs), sampledGraphs)
	for i := range n {
		some = append(some, graphs[i*len(graphs)/n])
	}
	return some
}

// lists is the share of the named graphs that are lists which patterns may be searched for in, by a sample.
func (p *planner) lists() float64 {
	lister, ok := p.catalog.(Lister)
	if !ok || p.options.Unoptimised || p.applied || p.options.Semantics != bgp.Homomorphism {
		return 0
	}
	some, listed := sampled(p.catalog.NamedGraphs()), 0
	for _, name := range some {
		if _, ok := lister.Listed(name); ok {
			listed++
		}
	}
	return float64(listed) / float64(max(1, len(some)))
}

// graphsApart is a pattern of a GRAPH ?g with its operators above graph patterns that are only triple patterns, or a path, which can be searched for in lists:
//
//	GRAPH ?g { A OPTIONAL { B } }  →  GRAPH ?g { A } OPTIONAL { GRAPH ?g { B } }
//
// It is nil where that is not the same. optional: what mentions ?g itself may not be told from what is not there.
func (p *planner) graphsApart(name parser.PatternTerm, n parser.Node, optional bool) parser.Node {
	g := p.scopes.Number(name.Variable)
	both := func(left, right parser.Node, leftOptional, rightOptional bool) (l, r parser.Node) {
		if l = p.graphsApart(name, left, leftOptional); l != nil {
			r = p.graphsApart(name, right, rightOptional)
		}
		return l, r
	}
	if _, _, ok := p.searchable(name, n); ok {
		if !optional || !p.scopes.Of(n).May.Has(g) {
			return &parser.Graph{Name: name, Input: n}
		}
		return nil
	}
	switch n := n.(type) {
	case *parser.Filter:
		if c, ok := p.outOfGraph(name, n.Condition); ok {
			if in := p.graphsApart(name, n.Input, optional); in != nil {
				return &parser.Filter{Condition: c, Input: in}
			}
		}
	case *parser.Extend:
		if e, ok := p.outOfGraph(name, n.Expr); ok && n.Variable != name.Variable {
			if in := p.graphsApart(name, n.Input, optional); in != nil {
				return &parser.Extend{Input: in, Variable: n.Variable, Expr: e}
			}
		}
	case *parser.Join:
		for i, table := range []parser.Node{n.Left, n.Right} { // which is the same whatever the graph
			if v, ok := table.(*parser.Values); ok && !p.scopes.Of(v).May.Has(g) {
				if in := p.graphsApart(name, []parser.Node{n.Right, n.Left}[i], optional); in != nil {
					return &parser.Join{Left: v, Right: in}
				}
				return nil
			}
		}
		if l, r := both(n.Left, n.Right, optional, optional); r != nil {
			return &parser.Join{Left: l, Right: r}
		}
	case *parser.Union:
		if l, r := both(n.Left, n.Right, optional, optional); r != nil {
			return &parser.Union{Left: l, Right: r}
		}
	case *parser.LeftJoin:
		if c, ok := p.outOfGraph(name, n.Condition); ok {
			if l, r := both(n.Left, n.Right, true, true); r != nil {
				return &parser.LeftJoin{Left: l, Right: r, Condition: c}
			}
		}
	case *parser.Minus:
		// The graph's name, which both sides have then, may not be all that they have in common.
		if p.scopes.Of(n.Left).Must.Meets(p.scopes.Of(n.Right).Must) {
			if l, r := both(n.Left, n.Right, optional, true); r != nil {
				return &parser.Minus{Left: l, Right: r}
			}
		}
	}
	return nil
}

// outOfGraph is an expression in GRAPH ?g as it is outside: the patterns of EXISTS are about the graph still. ok is false where it may not be the same.
func (p *planner) outOfGraph(name parser.PatternTerm, e parser.Expr) (out parser.Expr, ok bool) {
	if e == nil {
		return nil, true
	}
	if parser.IsVolatile(e) || p.scopes.Reads(e).Has(p.scopes.Number(name.Variable)) {
		return nil, false
	}
	var move func(e parser.Expr) parser.Expr
	move = func(e parser.Expr) parser.Expr {
		if x, ok := e.(*parser.Exists); ok {
			return &parser.Exists{Pattern: &parser.Graph{Name: name, Input: x.Pattern}, Not: x.Not}
		}
		return parser.MapArguments(e, move)
	}
	return move(e), true
}
