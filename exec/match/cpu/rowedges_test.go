package cpu_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestEdgesIntoARangeAreCounted: of any label, or of one, beside others.
func TestEdgesIntoARangeAreCounted(t *testing.T) {
	t.Parallel()
	agrees(t, matchtest.DrawRowEdges)
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
