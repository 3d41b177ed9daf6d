package path

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// drawNested draws a step with sequences and closures inside.
func drawNested(t *rapid.T, labels, depth int) Step {
	if depth == 0 {
		return drawStep(t, labels, 1)
	}
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0, 1:
		return &sequenceStep{drawNested(t, labels, depth-1), drawNested(t, labels, depth-1)}
	case 2:
		return &alternativeStep{drawNested(t, labels, depth-1), drawNested(t, labels, depth-1)}
	case 3:
		return &inverseStep{drawNested(t, labels, depth-1)}
	case 4:
		zero := rapid.Bool().Draw(t, "zero")
		return &closureStep{step: drawNested(t, labels, depth-1), zero: zero, more: !zero || rapid.Bool().Draw(t, "more")}
	}
	return drawStep(t, labels, 1)
}

// drawGraph draws a graph of up to so many vertices and three labels.
func drawGraph(t *rapid.T, most int) (g *pcsr.Graph, labels int) {
	vertices, labels := rapid.IntRange(4, most).Draw(t, "vertices"), rapid.IntRange(1, 3).Draw(t, "labels")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	edges := make([]pcsr.Edge, rapid.IntRange(1, 3*vertices).Draw(t, "edges"))
	for i := range edges {
		edges[i] = pcsr.Edge{From: pcsr.Vertex(random.IntN(vertices)), Label: pcsr.Label(random.IntN(labels)), To: pcsr.Vertex(random.IntN(vertices))}
	}
	g, err := pcsr.Build(vertices, labels, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g, labels
}

// ends is where walks of a closure of one hop or more end, one pair of a state and a vertex after the other.
func ends(c *match.Closure, from pcsr.Vertex) (out []pcsr.Vertex) {
	type pair struct {
		state int
		v     pcsr.Vertex
	}
	all := []pair{{c.States, from}}
	for i := 0; i < len(all); i++ {
		for _, h := range c.Hops {
			if h.From != all[i].state {
				continue
			}
			for _, w := range c.Graph.Partition(h.Label, h.Direction).Neighbours(all[i].v) {
				if next := (pair{h.To, w}); !slices.Contains(all[1:], next) {
					all = append(all, next)
				}
			}
		}
	}
	for _, p := range all[1:] {
		if c.Ending>>p.state&1 != 0 {
			out = append(out, p.v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestPositionsLeadWhereTheSearchDoes compares the automaton that devices search with searches here.
func TestPositionsLeadWhereTheSearchDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, labels := drawGraph(t, 40)
		vertices := g.Vertices()
		s := NewSearch(g)
		s.Serve(context.Background(), limits.Standalone(1<<40).Open("path"))
		step, d := drawNested(t, labels, rapid.IntRange(0, 3).Draw(t, "depth")), pcsr.Direction(rapid.IntRange(0, 1).Draw(t, "direction"))
		c := closureOf(step, g, d)
		for v := range pcsr.Vertex(vertices) {
			var want, got []pcsr.Vertex
			// A step that may walk nothing makes the closure one of no hop, too.
			zero := nullable(step)
			if err := s.Closure(step, v, d, zero, true, func(w pcsr.Vertex) error { want = append(want, w); return nil }); err != nil {
				t.Fatal(err)
			}
			if c != nil {
				got = ends(c, v)
			}
			if zero && !slices.Contains(got, v) {
				got = append(got, v)
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) && (c != nil || len(want) > 1 || !zero && len(want) > 0) {
				t.Fatalf("from %d: %v, the search gets to %v", v, got, want)
			}
		}
	})
}

// nullable reports whether a walk of a step may walk nothing.
func nullable(s Step) bool {
	switch s := s.(type) {
	case *inverseStep:
		return nullable(s.of)
	case *sequenceStep:
		return nullable(s.left) && nullable(s.right)
	case *alternativeStep:
		return nullable(s.left) || nullable(s.right)
	case *closureStep:
		return s.zero || nullable(s.step)
	}
	return false
}

// TestEqualPositionsAreOneState: a choice of predicates is searched in one state.
func TestEqualPositionsAreOneState(t *testing.T) {
	t.Parallel()
	g, err := pcsr.Build(4, 3, []pcsr.Edge{{From: 0, Label: 0, To: 1}, {From: 1, Label: 1, To: 2}, {From: 1, Label: 2, To: 2}})
	if err != nil {
		t.Fatal(err)
	}
	p, q, r := &labelStep{label: 0, known: true}, &labelStep{label: 1, known: true}, &labelStep{label: 2, known: true}
	for _, c := range []struct {
		name         string
		step         Step
		states, hops int
	}{
		{"one predicate", p, 1, 2},
		{"a predicate or another one backwards", &alternativeStep{p, &inverseStep{q}}, 1, 4},
		{"a predicate behind another", &sequenceStep{p, q}, 2, 3},
		{"a choice behind a predicate", &sequenceStep{p, &alternativeStep{q, r}}, 2, 4},
		{"a predicate that no triple has", &alternativeStep{p, &labelStep{label: 9}}, 1, 2},
	} {
		got := closureOf(c.step, g, pcsr.Out)
		if got == nil || got.States != c.states || len(got.Hops) != c.hops {
			t.Errorf("%s: %+v, want %d states and %d hops", c.name, got, c.states, c.hops)
		}
	}
	if closureOf(&labelStep{label: 9}, g, pcsr.Out) != nil || closureOf(&negatedStep{}, g, pcsr.Out) != nil {
		t.Error("what leads nowhere, or everywhere, is searched by a device")
	}
}
