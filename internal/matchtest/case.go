package matchtest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Case is one matching problem.
type Case struct {
	// Vertices are 0 … Vertices-1; the first Labels of them are edge labels too.
	Vertices, Labels int
	// TypeLabel is the label of rdf:type, -1 where the graph has none.
	TypeLabel int
	Edges     []pcsr.Edge
	// Parts is the number of segments that the edges lie in, overlaid to one; 0 and 1 mean one graph.
	Parts int
	// Changes is the number of changes that make the graph of one that lacks some of the edges and has others.
	Changes  int
	Patterns []parser.TriplePattern
	Options  bgp.Options
	// Seeds are the columns of Options.Inputs; nil without inputs.
	Seeds *match.Input
	// Combine lets matchers make equal rows one (bgp.MatchPlan.Combine).
	Combine bool
	// Order lists pairs of variables of which the first is to be less (bgp.MatchPlan.Order); those of inputs alone are not looked at.
	Order [][2]string
	// Limit is tried besides no limit.
	Limit uint64
}

const namespace = "http://example.org/"

// Term returns the term that stands for vertex id in every Case.
func Term(id dictionary.ID) rdf.Term { return rdf.NewIRI(namespace + strconv.Itoa(int(id))) }

// Lookup is the inverse of Term for the vertices of the case.
func (c *Case) Lookup(t rdf.Term) (dictionary.ID, bool) {
	id := idOf(t)
	return id, int(id) < c.Vertices
}

// idOf is the ID in a term's name; none has the largest.
func idOf(t rdf.Term) dictionary.ID {
	n, err := strconv.Atoi(strings.TrimPrefix(t.Value, namespace))
	if err != nil {
		return dictionary.None
	}
	return dictionary.ID(n)
}

// Graph builds the case's graph.
func (c *Case) Graph() (*pcsr.Graph, error) {
	steps := split(c.Edges, c.Changes+1)
	g, err := c.union(steps[0].added)
	if err != nil {
		return nil, err
	}
	for _, s := range steps[1:] {
		settled := g.Settle()
		g = g.Change(c.Vertices, s.added, s.removed).Adopt(settled)
	}
	return g, nil
}

// step is what is added to a graph, and what had been too much.
type step struct{ added, removed []pcsr.Edge }

// split has the edges come in some steps, each with edges for one step that lead back and are not among the edges.
func split(edges []pcsr.Edge, n int) []step {
	steps := make([]step, n)
	all, seen := make(map[pcsr.Edge]bool, len(edges)), make(map[pcsr.Edge]bool, len(edges))
	for _, e := range edges {
		all[e] = true
	}
	for i, e := range edges {
		if seen[e] {
			continue
		}
		seen[e] = true
		s := i % n
		steps[s].added = append(steps[s].added, e)
		if back := (pcsr.Edge{From: e.To, Label: e.Label, To: e.From}); s+1 < n && !all[back] {
			steps[s].added, steps[s+1].removed = append(steps[s].added, back), append(steps[s+1].removed, back)
		}
	}
	return steps
}

// union builds the graph of some edges, of Parts. The ID spaces of parts grow, and in those after the first every vertex may
// be a label.
func (c *Case) union(edges []pcsr.Edge) (*pcsr.Graph, error) {
	if c.Parts < 2 {
		return c.build(c.Vertices, c.Labels, edges)
	}
	segments := make([]pcsr.Segment, c.Parts)
	space, labels := c.Labels, c.Labels
	for i, s := range split(edges, c.Parts) {
		for _, e := range s.added {
			space = max(space, int(e.From)+1, int(e.To)+1)
		}
		if i > 0 {
			labels = space
		}
		var err error
		if segments[i].Added, err = c.build(space, labels, s.added); err != nil {
			return nil, err
		}
		if segments[i].Removed, err = c.build(space, labels, s.removed); err != nil {
			return nil, err
		}
	}
	return pcsr.Overlay(c.Vertices, segments...), nil
}

func (c *Case) build(vertices, labels int, edges []pcsr.Edge) (*pcsr.Graph, error) {
	if c.TypeLabel >= 0 {
		return pcsr.Build(vertices, labels, edges, pcsr.WithTypeLabel(pcsr.Label(c.TypeLabel)))
	}
	return pcsr.Build(vertices, labels, edges)
}

// Plan plans the case's pattern over its graph.
func (c *Case) Plan(g *pcsr.Graph) (*bgp.MatchPlan, error) {
	plan, err := bgp.Plan(context.Background(), c.Patterns, g, c.Lookup, c.Options)
	if err == nil {
		plan.Combine = c.Combine
		plan.Order = c.order(plan)
	}
	return plan, err
}

// order is the case's order by slots.
func (c *Case) order(plan *bgp.MatchPlan) (order [][2]int) {
	slot := func(name string) int {
		return slices.IndexFunc(plan.Slots, func(s bgp.Slot) bool { return s.Variable == name })
	}
	for _, pair := range c.Order {
		if a, b := slot(pair[0]), slot(pair[1]); a >= 0 && b >= 0 {
			order = append(order, [2]int{a, b})
		}
	}
	return order
}

// Match is the case's graph and plan, ready for a matcher.
func (c *Case) Match() (*match.Match, error) {
	g, err := c.Graph()
	if err != nil {
		return nil, err
	}
	plan, err := c.Plan(g)
	if err != nil {
		return nil, err
	}
	return &match.Match{Graph: g, Plan: plan}, nil
}

// String prints the case so that it can be read and repeated: triples, then the pattern.
func (c *Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d vertices, %d labels, rdf:type is %d\n", c.Vertices, c.Labels, c.TypeLabel)
	for _, e := range c.Edges {
		fmt.Fprintf(&b, "  %d --%d--> %d\n", e.From, e.Label, e.To)
	}
	fmt.Fprintf(&b, "%v, order %v\n", c.Options, c.Order)
	for _, p := range c.Patterns {
		fmt.Fprintf(&b, "  %s %s %s .\n", c.position(p.Subject), c.position(p.Predicate), c.position(p.Object))
	}
	if c.Seeds != nil {
		fmt.Fprintf(&b, "seeds %v\n", c.Seeds.Cols)
	}
	return b.String()
}

func (c *Case) position(t parser.PatternTerm) string {
	if t.IsVariable() {
		return "?" + t.Variable
	}
	return strings.TrimPrefix(t.Term.Value, namespace)
}
