package cpu_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// TestOuterVerticesAreCounted in induced patterns with a vertex that all others touch but two, of which one is the other's neighbour alone, or not.
func TestOuterVerticesAreCounted(t *testing.T) {
	t.Parallel()
	for i, edges := range [][][2]int{
		{{0, 2}, {0, 3}, {0, 5}, {1, 2}, {1, 3}, {1, 4}, {2, 3}}, // STMatch's q10
		{{0, 1}, {0, 2}, {0, 5}, {1, 3}, {2, 3}, {3, 4}, {4, 5}, {1, 2}},
		{{0, 1}, {0, 2}, {0, 5}, {1, 3}, {2, 3}, {3, 4}, {4, 5}, {4, 1}},
		{{0, 1}, {0, 2}, {0, 5}, {0, 6}, {1, 3}, {2, 3}, {3, 4}, {1, 5}, {2, 6}, {4, 6}},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				c := &matchtest.Case{Vertices: rapid.IntRange(6, 8).Draw(rt, "vertices"), Labels: 1, TypeLabel: -1, Options: bgp.Options{Semantics: bgp.Induced, CountOnly: true}}
				for _, e := range matchtest.Complete(c.Vertices) {
					if e.From < e.To && rapid.IntRange(0, 2).Draw(rt, "edge") > 0 {
						back := e
						back.From, back.To = e.To, e.From
						c.Edges = append(c.Edges, e, back)
					}
				}
				for _, e := range edges {
					c.Patterns = append(c.Patterns, matchtest.Edge(e[0], e[1], 0), matchtest.Edge(e[1], e[0], 0))
				}
				m, err := c.Match()
				if err != nil {
					rt.Fatal(err)
				}
				if dense := match.Lower(m, true, match.Tuning{AnyCost: true, NoSums: true}).Dense; dense != nil && !dense.Outer {
					rt.Fatal("not counted with an outer vertex")
				}
				n, err := matchtest.OnThreads(cpu.NewDeep(1), 2).Count(context.Background(), m)
				if want := len(c.Solutions()); err != nil || n != uint64(want) {
					rt.Fatalf("%d, error %v, want %d", n, err, want)
				}
			})
		})
	}
}
