package path

import (
	"context"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestAnAutomatonGrowsWithItsPath, not with a power of its nesting: steps that cannot be dropped stand in each other.
func TestAnAutomatonGrowsWithItsPath(t *testing.T) {
	var step Step = &labelStep{}
	for range 60 {
		step = &closureStep{step: &sequenceStep{step, &labelStep{}}, more: true}
	}
	a := newAutomaton(step, 0, mostInRow)
	transitions := 0
	for _, s := range a.states {
		transitions += len(s)
	}
	if len(a.states) > 60*4 || transitions > 60*6 {
		t.Errorf("%d states and %d transitions for 60 repetitions", len(a.states), transitions)
	}
}

// TestNodesLieInPieces that are never copied, and are counted.
func TestNodesLieInPieces(t *testing.T) {
	m := &machine{automaton: &automaton{states: make([][]transition, 2)}}
	const vertices = 3*nodePiece + 5
	for round := range 2 {
		for v := range pcsr.Vertex(vertices) {
			m.visit(1, v, vertices)
			m.visit(1, v, vertices)
		}
		if m.count != vertices || m.node(nodePiece) != (node{1, nodePiece}) || m.node(vertices-1) != (node{1, vertices - 1}) {
			t.Fatalf("round %d: %d nodes, want each of %d vertices once, in order", round, m.count, vertices)
		}
		if want := int64(4*nodePiece*nodeBytes + (vertices+63)/64*8); m.bytes() != want || m.grown != want {
			t.Errorf("%d bytes, %d of them to be counted; want %d", m.bytes(), m.grown, want)
		}
		m.begin()
	}
}

// TestStepsInARowAreAMachineWhereTheyRepeat: along a chain they are walked as one, through a hub each edge is walked once; and both lead to the same.
func TestStepsInARowAreAMachineWhereTheyRepeat(t *testing.T) {
	const vertices = 3000
	var along, through []pcsr.Edge
	for v := range pcsr.Vertex(vertices - 1) {
		along = append(along, pcsr.Edge{From: v, To: v + 1})
		through = append(through, pcsr.Edge{From: v, To: vertices - 1 - v%3})
	}
	p := &labelStep{known: true}
	back := &inverseStep{p}
	for _, c := range []struct {
		name  string
		edges []pcsr.Edge
		step  Step
		whole bool
	}{
		{"a chain", along, &sequenceStep{p, p}, true},
		{"hubs", through, &sequenceStep{p, back}, false},
		{"hubs, by a choice", through, &alternativeStep{&sequenceStep{p, back}, p}, false},
		{"no row", through, &alternativeStep{p, back}, true},
	} {
		g, err := pcsr.Build(vertices, 1, c.edges)
		if err != nil {
			t.Fatal(err)
		}
		s := NewSearch(g)
		s.Serve(context.Background(), limits.Standalone(1<<40).Open("path"))
		if m := s.machineOf(c.step, pcsr.Out); (m == nil) != c.whole {
			t.Errorf("%s: a machine %v", c.name, m != nil)
		}
		n := 0
		if err := s.Closure(c.step, 7, pcsr.Out, false, true, func(pcsr.Vertex) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		if want := len(ends(closureOf(c.step, g, pcsr.Out), 7)); n != want {
			t.Errorf("%s: %d, want %d", c.name, n, want)
		}
	}
}
