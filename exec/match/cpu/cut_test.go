package cpu_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

func TestPatternsOfClassesMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	agrees(t, matchtest.DrawClasses)
	agrees(t, func(t *rapid.T) *matchtest.Case {
		c := matchtest.DrawClasses(t)
		c.Changes = rapid.IntRange(0, 3).Draw(t, "changes")
		return ordered(t, c)
	})
}

// TestKeptPartsOfListsAreThoseOfTheGraph, also where tables are completed, and where parts are too long to be kept or to be merged at once.
func TestKeptPartsOfListsAreThoseOfTheGraph(t *testing.T) {
	t.Parallel()
	const classes, size, first = 3, 400, 2 + 3
	random := rand.New(rand.NewPCG(5, 6))
	c := &matchtest.Case{Vertices: first + classes*size, Labels: 2, TypeLabel: 0}
	for i := range pcsr.Vertex(classes * size) {
		c.Edges = append(c.Edges, pcsr.Edge{From: first + i, Label: 0, To: 2 + i/size})
	}
	connect := func(a, b pcsr.Vertex) {
		c.Edges = append(c.Edges, pcsr.Edge{From: a, Label: 1, To: b}, pcsr.Edge{From: b, Label: 1, To: a})
	}
	for range 8000 {
		connect(first+random.Uint32N(classes*size), first+random.Uint32N(classes*size))
	}
	for hub := range pcsr.Vertex(9) {
		for range 600 {
			connect(first+hub*131, first+random.Uint32N(classes*size))
		}
	}
	for _, edges := range [][][2]int{{{0, 1}, {1, 2}, {0, 2}}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}, {{0, 1}, {1, 2}, {0, 2}, {2, 3}}} {
		for _, semantics := range []bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism} {
			c.Patterns, c.Options = nil, bgp.Options{Semantics: semantics, CountOnly: true}
			vertices := 0
			for _, e := range edges {
				c.Patterns = append(c.Patterns, matchtest.Edge(e[0], e[1], 1))
				vertices = max(vertices, e[0]+1, e[1]+1)
			}
			for v := range vertices {
				class := matchtest.Edge(v, 0, 0)
				class.Object = parser.PatternTerm{Term: matchtest.Term(uint32(2 + v%classes))}
				c.Patterns = append(c.Patterns, class)
			}
			m, err := c.Match()
			if err != nil {
				t.Fatal(err)
			}
			want, err := cpu.NewUncut().Count(context.Background(), m)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := cpu.New().Count(context.Background(), m); err != nil || got != want || want == 0 {
				t.Errorf("%v, semantics %d: %d solutions (%v), want %d", edges, semantics, got, err, want)
			}
		}
	}
}
