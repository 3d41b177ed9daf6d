package bgp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestAnEdgeBackIsNoChance: where edges lead both ways, a pattern written both ways is expected to have as many solutions as written one way.
func TestAnEdgeBackIsNoChance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 0))
	once := &matchtest.Case{Vertices: 2000, Labels: 1, TypeLabel: -1, Options: bgp.Options{Semantics: bgp.Isomorphism, CountOnly: true}}
	for range 20000 {
		a, b := pcsr.Vertex(1+random.IntN(1999)), pcsr.Vertex(1+random.IntN(1999))
		once.Edges = append(once.Edges, pcsr.Edge{From: a, To: b}, pcsr.Edge{From: b, To: a})
	}
	both := *once
	for _, ends := range [][2]int{{0, 1}, {1, 2}, {2, 0}} {
		once.Patterns = append(once.Patterns, matchtest.Edge(ends[0], ends[1], 0))
		both.Patterns = append(both.Patterns, matchtest.Edge(ends[0], ends[1], 0), matchtest.Edge(ends[1], ends[0], 0))
	}
	var rows [2]float64
	for i, c := range []*matchtest.Case{once, &both} {
		m, err := c.Match()
		if err != nil {
			t.Fatal(err)
		}
		rows[i] = m.Plan.Steps[2].EstimatedRows
	}
	if rows[1] < rows[0]/2 || rows[1] > 2*rows[0] {
		t.Errorf("%.0f solutions are expected written one way, %.0f both ways", rows[0], rows[1])
	}
}
