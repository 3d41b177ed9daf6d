package matchtest

import (
	"fmt"
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// DrawTree draws a case for weights: a tree of patterns with constant predicates, some with a class at a vertex or an edge that closes a
// cycle, in a graph of few vertices of which one is a hub; counted, or grouped by one variable, with all that can be weights.
func DrawTree(t *rapid.T) *Case {
	c := &Case{Vertices: rapid.IntRange(4, 9).Draw(t, "vertices"), TypeLabel: -1}
	c.Labels = rapid.IntRange(1, 3).Draw(t, "labels")
	if rapid.Bool().Draw(t, "typed") {
		c.TypeLabel = c.Labels - 1
	}
	n := rapid.IntRange(1, 5).Draw(t, "patterns")
	c.Edges = drawEdges(t, c, 12+72/(n+1))
	for i := range c.Edges {
		if rapid.IntRange(0, 3).Draw(t, "at the hub") == 0 {
			c.Edges[i].To = pcsr.Vertex(c.Vertices - 1)
		}
	}
	label := rapid.IntRange(0, c.Labels-1)
	for i := range n {
		c.addTreeEdge(rapid.IntRange(0, i).Draw(t, "at"), i+1, label.Draw(t, "label"), rapid.Bool().Draw(t, "back"))
	}
	if rapid.IntRange(0, 2).Draw(t, "cycle") == 0 {
		c.addTreeEdge(rapid.IntRange(0, n).Draw(t, "from"), rapid.IntRange(0, n).Draw(t, "to"), label.Draw(t, "label"), false)
	}
	if c.TypeLabel >= 0 && rapid.Bool().Draw(t, "class") {
		p := Edge(rapid.IntRange(0, n).Draw(t, "of"), 0, c.TypeLabel)
		p.Object = parser.PatternTerm{Term: Term(dictionary.ID(rapid.IntRange(0, c.Vertices-1).Draw(t, "which")))}
		c.Patterns = append(c.Patterns, p)
	}
	c.Options = bgp.Options{
		Semantics: bgp.Semantics(max(0, rapid.IntRange(-3, 2).Draw(t, "semantics"))), WeightGain: math.Inf(1), CountOnly: rapid.Bool().Draw(t, "count only"),
	}
	drawTreeOptions(t, c, n)
	c.Limit = uint64(rapid.IntRange(1, 20).Draw(t, "limit"))
	return c
}

// drawTreeOptions draws an output, and conditions on some variables.
func drawTreeOptions(t *rapid.T, c *Case, n int) {
	name := func(role string) string { return fmt.Sprint("v", rapid.IntRange(0, n).Draw(t, role)) }
	if !c.Options.CountOnly {
		c.Options.Output = []string{name("output")}
	}
	if rapid.IntRange(0, 3).Draw(t, "unlike a constant") == 0 {
		c.Options.Unequal = []bgp.Inequality{{A: name("left"), Constant: dictionary.ID(rapid.IntRange(0, c.Vertices).Draw(t, "constant"))}}
	}
	if rapid.IntRange(0, 3).Draw(t, "in a range") == 0 {
		low := dictionary.ID(rapid.IntRange(0, c.Vertices/2).Draw(t, "low"))
		c.Options.Ranges = map[string]bgp.Range{name("ranged"): {Low: low, High: low + dictionary.ID(c.Vertices)/2}}
	}
	if rapid.IntRange(0, 3).Draw(t, "in a set") == 0 {
		set := rapid.SliceOfDistinct(rapid.Uint32Range(0, uint32(c.Vertices)), rapid.ID[uint32]).Draw(t, "candidates")
		slices.Sort(set)
		c.Options.Candidates = map[string][]dictionary.ID{name("member"): set}
	}
}

// addTreeEdge adds a pattern between two variables.
func (c *Case) addTreeEdge(from, to, label int, back bool) {
	if back {
		from, to = to, from
	}
	c.Patterns = append(c.Patterns, Edge(from, to, label))
}

// Edge is a pattern between the variables of two numbers, v0, v1 and so on.
func Edge(from, to, label int) parser.TriplePattern {
	end := func(i int) parser.PatternTerm { return parser.PatternTerm{Variable: fmt.Sprint("v", i)} }
	return parser.TriplePattern{Subject: end(from), Predicate: parser.PatternTerm{Term: Term(dictionary.ID(label))}, Object: end(to)}
}
