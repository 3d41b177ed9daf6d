package path

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestAnAutomatonGrowsWithItsPath, not with a power of its nesting: steps that cannot be dropped stand in each other.
func TestAnAutomatonGrowsWithItsPath(t *testing.T) {
	var step Step = &labelStep{}
	for range 60 {
		step = &closureStep{step: &sequenceStep{step, &labelStep{}}, more: true}
	}
	a := newAutomaton(step, 0)
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
