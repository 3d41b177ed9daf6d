package cpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// TestEdgesIntoARangeAreCounted: of any label, or of one, beside others.
func TestEdgesIntoARangeAreCounted(t *testing.T) {
	t.Parallel()
	agrees(t, drawRowEdges)
}

// drawRowEdges draws edges into a range of vertices, or from there, and what else is asked of their ends and labels.
func drawRowEdges(t *rapid.T) *matchtest.Case {
	const vertices = 60
	c := &matchtest.Case{Vertices: vertices, Labels: rapid.IntRange(1, 4).Draw(t, "labels"), TypeLabel: -1, Limit: 7, Options: bgp.Options{CountOnly: true}}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	for range rapid.IntRange(0, 300).Draw(t, "edges") {
		c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(random.IntN(vertices)), Label: pcsr.Label(random.IntN(c.Labels)), To: pcsr.Vertex(random.IntN(vertices) * random.IntN(vertices) / vertices)})
	}
	pattern := func(from, to int) parser.TriplePattern {
		p := matchtest.Edge(from, to, random.IntN(c.Labels))
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

// TestEdgesIntoARangeAreNotLookedAt one by one.
func TestEdgesIntoARangeAreNotLookedAt(t *testing.T) {
	t.Parallel()
	c := &matchtest.Case{Vertices: 4000, Labels: 3, TypeLabel: -1, Options: bgp.Options{CountOnly: true, Ranges: map[string]bgp.Range{"v1": {Low: 1000, High: 3500}}}}
	random, want := rand.New(rand.NewPCG(1, 2)), uint64(0)
	seen := map[pcsr.Edge]bool{}
	for range 100_000 {
		e := pcsr.Edge{From: pcsr.Vertex(random.IntN(4000)), Label: pcsr.Label(random.IntN(3)), To: pcsr.Vertex(random.IntN(4000))}
		if !seen[e] && e.To >= 1000 && e.To < 3500 {
			want++
		}
		seen[e] = true
		c.Edges = append(c.Edges, e)
	}
	c.Patterns = []parser.TriplePattern{matchtest.Edge(0, 1, 0)}
	c.Patterns[0].Predicate = parser.PatternTerm{Variable: "p"}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	m.Trace = &match.Trace{}
	if n, err := cpu.New().Count(t.Context(), m); err != nil || n != want {
		t.Fatalf("%d, want %d, %v", n, want, err)
	}
	read := uint64(0)
	for _, s := range m.Trace.Steps {
		read += s.Candidates
	}
	if read > 100 {
		t.Errorf("%d candidates were read: %+v", read, m.Trace.Steps)
	}
}
