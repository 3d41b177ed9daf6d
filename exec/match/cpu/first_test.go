package cpu_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestTheFirstSolutionIsFoundWithoutTheOthers: the kinds of things that have a group, where most have, and one kind whose things have none, by one thread and by several.
func TestTheFirstSolutionIsFoundWithoutTheOthers(t *testing.T) {
	t.Parallel()
	const kinds, kind, group = 5, 0, 1
	others, things := 400_000, 2_000_000
	if testing.Short() {
		others, things = 40_000, 200_000
	}
	c := &matchtest.Case{Vertices: kinds + things + 1, Labels: 2, TypeLabel: -1, Options: bgp.Options{Distinct: true, Output: []string{"v0"}}}
	for i := range things {
		thing, of := pcsr.Vertex(kinds+i), 0
		if i < others {
			of = 1 + i%(kinds-1)
			c.Edges = append(c.Edges, pcsr.Edge{From: thing, Label: group, To: pcsr.Vertex(kinds + things)})
		}
		c.Edges = append(c.Edges, pcsr.Edge{From: thing, Label: kind, To: pcsr.Vertex(of)})
	}
	c.Patterns = []parser.TriplePattern{matchtest.Edge(1, 0, kind), matchtest.Edge(1, 2, group)}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	if read, each := m.Plan.Each(); read != 1 || each < bgp.ManyEach || m.Plan.UntilFirst(m.Plan.Cost) > m.Plan.Cost/2 {
		t.Fatalf("%v solutions are expected behind step %d, at %v of %v", each, read, m.Plan.UntilFirst(m.Plan.Cost), m.Plan.Cost)
	}
	for _, threads := range []int{1, 2, 6} {
		m.Workers, m.Trace = schedule.New(threads).Open(t.Context(), 0), &match.Trace{}
		m.Workers.Enter()
		found := map[pcsr.Vertex]bool{}
		err = cpu.New().Match(t.Context(), m, func(b *match.Batch) error {
			for _, v := range b.Cols[0] {
				found[v] = true
			}
			return nil
		})
		if m.Workers.Leave(); err != nil || len(found) != kinds-1 || found[0] {
			t.Fatalf("%d threads: %v, %v", threads, found, err)
		}
		read := uint64(0)
		for _, s := range m.Trace.Steps {
			read += s.Candidates
		}
		if least := uint64(things - others); read < least || read > least+2000 { // all of the one kind
			t.Errorf("%d threads: %d candidates were read: %+v", threads, read, m.Trace.Steps)
		}
	}
}
