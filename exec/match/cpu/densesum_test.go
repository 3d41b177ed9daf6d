package cpu_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestLargeInducedPatternsArePlanned counts patterns of eight vertices whose sums have very many terms, alike in their degrees: a root and seven others that are in a
// ring, a path, a triangle and a square, two triangles, three pairs, or alone.
func TestLargeInducedPatternsArePlanned(t *testing.T) {
	t.Parallel()
	for name, edges := range map[string][][2]int{
		"ring":                  {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 1}},
		"path":                  {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}},
		"triangle and a square": {{1, 2}, {2, 3}, {3, 1}, {4, 5}, {5, 6}, {6, 7}, {7, 4}},
		"two triangles":         {{1, 2}, {2, 3}, {3, 1}, {4, 5}, {5, 6}, {6, 4}},
		"three pairs":           {{1, 2}, {3, 4}, {5, 6}},
		"alone":                 {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(len(edges))))
			c := &matchtest.Case{Vertices: 9, Labels: 1, TypeLabel: -1, Options: bgp.Options{Semantics: bgp.Induced, CountOnly: true}}
			for _, e := range matchtest.Complete(c.Vertices) {
				if e.From < e.To && (e.From == 0 || r.IntN(3) == 0) {
					back := e
					back.From, back.To = e.To, e.From
					c.Edges = append(c.Edges, e, back)
				}
			}
			for v := 1; v < 8; v++ {
				edges = append(edges, [2]int{0, v})
			}
			for _, e := range edges {
				c.Patterns = append(c.Patterns, matchtest.Edge(e[0], e[1], 0), matchtest.Edge(e[1], e[0], 0))
			}
			m, err := c.Match()
			if err != nil {
				t.Fatal(err)
			}
			n, err := matchtest.OnThreads(cpu.NewDeep(1), 2).Count(context.Background(), m)
			if want := len(c.Solutions()); err != nil || n != uint64(want) {
				t.Errorf("%d, error %v, want %d", n, err, want)
			}
		})
	}
}
