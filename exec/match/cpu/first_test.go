package cpu_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestTheFirstSolutionIsFoundWithoutTheOthers: the kinds of things that have a group, where most have, and one kind whose things have none.
func TestTheFirstSolutionIsFoundWithoutTheOthers(t *testing.T) {
	t.Parallel()
	const kinds, things, kind, group = 5, 50_000, 0, 1
	c := &matchtest.Case{Vertices: kinds + things + 1, Labels: 2, TypeLabel: -1, Options: bgp.Options{Distinct: true, Output: []string{"v0"}}}
	for i := range things {
		thing := pcsr.Vertex(kinds + i)
		c.Edges = append(c.Edges, pcsr.Edge{From: thing, Label: kind, To: pcsr.Vertex(i % kinds)})
		if i%kinds > 0 {
			c.Edges = append(c.Edges, pcsr.Edge{From: thing, Label: group, To: kinds + things})
		}
	}
	c.Patterns = []parser.TriplePattern{matchtest.Edge(1, 0, kind), matchtest.Edge(1, 2, group)}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	if read, each := m.Plan.Each(); read != 1 || each < bgp.ManyEach || m.Plan.UntilFirst(m.Plan.Cost) > m.Plan.Cost/2 {
		t.Fatalf("%v solutions are expected behind step %d, at %v of %v", each, read, m.Plan.UntilFirst(m.Plan.Cost), m.Plan.Cost)
	}
	m.Trace = &match.Trace{}
	found := map[pcsr.Vertex]bool{}
	err = cpu.New().Match(t.Context(), m, func(b *match.Batch) error {
		for _, v := range b.Cols[0] {
			found[v] = true
		}
		return nil
	})
	if err != nil || len(found) != kinds-1 || found[0] {
		t.Fatalf("%v, %v", found, err)
	}
	read := uint64(0)
	for _, s := range m.Trace.Steps {
		read += s.Candidates
	}
	if read < things/kinds || read > things/kinds+1000 { // all of the one kind
		t.Errorf("%d candidates were read: %+v", read, m.Trace.Steps)
	}
}
