package match_test

import (
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestSymmetriesAreKeptWithThePlan of many runs, for the graph that they were found in: an edge that does not lead back takes them away.
func TestSymmetriesAreKeptWithThePlan(t *testing.T) {
	c := &matchtest.Case{Vertices: 6, Labels: 1, TypeLabel: -1, Options: bgp.Options{CountOnly: true, Semantics: bgp.Isomorphism}}
	for _, e := range [][2]pcsr.Vertex{{0, 1}, {1, 2}, {2, 0}, {2, 3}} {
		c.Edges = append(c.Edges, pcsr.Edge{From: e[0], To: e[1]}, pcsr.Edge{From: e[1], To: e[0]})
	}
	c.Patterns = append(c.Patterns, matchtest.Edge(0, 1, 0), matchtest.Edge(1, 2, 0))
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	m.Plan.ForManyRuns()
	tuning := match.Tuning{AnyCost: true, NoDense: true}
	first := match.Lower(m, true, tuning)
	if first.Automorphisms != 2 || m.Plan.Kept(bgp.KeptSymmetry) == nil {
		t.Fatalf("%d automorphisms, kept %v", first.Automorphisms, m.Plan.Kept(bgp.KeptSymmetry))
	}
	again := match.Lower(m, true, tuning)
	for k, s := range again.Steps {
		if again.Automorphisms != 2 || !slices.Equal(s.Above, first.Steps[k].Above) || !slices.Equal(s.Below, first.Steps[k].Below) {
			t.Errorf("step %d is lowered to %+v, after %+v", k, s, first.Steps[k])
		}
	}
	c.Edges = append(c.Edges, pcsr.Edge{From: 4, To: 0})
	other, err := c.Graph()
	if err != nil {
		t.Fatal(err)
	}
	if l := match.Lower(&match.Match{Graph: other, Plan: m.Plan}, true, tuning); l.Automorphisms != 1 {
		t.Errorf("%d automorphisms in a graph that has an edge that does not lead back", l.Automorphisms)
	}
}
