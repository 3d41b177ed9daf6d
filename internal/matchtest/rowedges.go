package matchtest

import (
	"math"
	"math/rand/v2"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// DrawRowEdges draws edges into a range of vertices, or from there, and what else is asked of their ends and labels.
func DrawRowEdges(t *rapid.T) *Case {
	vertices := rapid.IntRange(10, 60).Draw(t, "vertices")
	c := &Case{Vertices: vertices, Labels: rapid.IntRange(1, 4).Draw(t, "labels"), TypeLabel: -1, Limit: 7, Options: bgp.Options{CountOnly: true}}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	for range rapid.IntRange(0, 300).Draw(t, "edges") {
		c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(random.IntN(vertices)), Label: pcsr.Label(random.IntN(c.Labels)), To: pcsr.Vertex(random.IntN(vertices) * random.IntN(vertices) / vertices)})
	}
	pattern := func(from, to int) parser.TriplePattern {
		p := Edge(from, to, random.IntN(c.Labels))
		if rapid.Bool().Draw(t, "any label") {
			p.Predicate = parser.PatternTerm{Variable: "p"}
		}
		return p
	}
	c.Patterns = []parser.TriplePattern{pattern(0, 1)}
	if rapid.IntRange(0, 2).Draw(t, "more") == 0 {
		c.Patterns = append(c.Patterns, pattern(rapid.IntRange(0, 3).Draw(t, "from"), rapid.IntRange(2, 3).Draw(t, "to")))
	}
	c.Options.Ranges = map[string]bgp.Range{}
	for _, name := range []string{"v0", "v1", "v1"} {
		if rapid.IntRange(0, 2).Draw(t, "range") > 0 {
			low := rapid.IntRange(0, vertices).Draw(t, "low")
			c.Options.Ranges[name] = bgp.Range{Low: dictionary.ID(low), High: dictionary.ID(rapid.SampledFrom([]int{0, low + vertices/4, vertices}).Draw(t, "high"))}
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "different") == 0 {
		c.Options.Unequal = []bgp.Inequality{{A: "v0", B: "v1"}}
	}
	c.Options.Semantics = rapid.SampledFrom([]bgp.Semantics{bgp.Homomorphism, bgp.Homomorphism, bgp.Isomorphism, bgp.EdgeIsomorphism}).Draw(t, "semantics")
	c.Options.WeightGain = rapid.SampledFrom([]float64{0, 1, math.Inf(1)}).Draw(t, "weights")
	c.Parts, c.Changes = rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "parts"), rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "changes")
	return c
}
