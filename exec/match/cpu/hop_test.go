package cpu_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestLongListsAreNotReadTogether: cycles through vertices with a neighbour or two and through some with hundreds are all counted.
func TestLongListsAreNotReadTogether(t *testing.T) {
	const many = 300
	c := matchtest.Case{Vertices: 5 + 3*many, Labels: 4, TypeLabel: -1, Limit: 1, Options: bgp.Options{CountOnly: true}}
	edge := func(from, label, to int) {
		c.Edges = append(c.Edges, pcsr.Edge{From: uint32(from), Label: uint32(label), To: uint32(to)})
	}
	for i := range many {
		edge(0, 0, 5+i)
		edge(5+i, 1, 5+many+i)
		edge(5+many+i, 2, 5+2*many+i)
		edge(5+many+i, 2, 5+2*many+many/2)
		edge(0, 3, 5+2*many+i)
		edge(5+many/2, 1, 5+many+i)
	}
	c.Patterns = []parser.TriplePattern{matchtest.Edge(0, 1, 0), matchtest.Edge(1, 2, 1), matchtest.Edge(2, 3, 2), matchtest.Edge(0, 3, 3)}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := cpu.New().Count(t.Context(), m); err != nil || n != 4*(many-1)+1 {
		t.Errorf("%d cycles, error %v, want %d", n, err, 4*(many-1)+1)
	}
}
