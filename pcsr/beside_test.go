package pcsr

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBesideHasBoth: a graph in which labels of another stand beside its own has its own lists, and theirs under other labels.
func TestBesideHasBoth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		other := drawGround(rt, t.TempDir)
		s := other.change(drawChange(rt, other))
		if rapid.Bool().Draw(rt, "the other way") {
			other, s = s, other
		}
		var labels []Label
		for _, l := range other.graph.UsedLabels() {
			if rapid.Bool().Draw(rt, "beside") {
				labels = append(labels, l)
			}
		}
		g := s.graph.Beside(other.graph, labels, beside)
		if err := s.model().check(g); err != nil {
			rt.Fatal(err)
		}
		if err := other.checkBeside(g, labels); err != nil {
			rt.Fatal(err)
		}
		if want := len(s.graph.UsedLabels()) + len(labels); len(g.UsedLabels()) != want || !slices.IsSorted(g.UsedLabels()) {
			rt.Fatalf("labels %v are in use, want %d, ascending", g.UsedLabels(), want)
		}
		if slices.ContainsFunc(s.graph.UsedLabels(), func(l Label) bool { return l >= beside(0) }) {
			rt.Fatal("the graph itself has other labels now")
		}
	})
}

func beside(l Label) Label { return 1<<31 | l }

// checkBeside compares what stands in a graph under other labels.
func (s *version) checkBeside(g *Graph, labels []Label) error {
	m := s.model()
	for _, l := range labels {
		for _, d := range []Direction{Out, In} {
			if err := m.checkPartition(g.Partition(beside(l), d), l, d); err != nil {
				return fmt.Errorf("label %d beside, %v: %w", l, d, err)
			}
		}
		for e := range s.edges {
			back := s.edges[Edge{e.To, l, e.From}]
			if e.Label == l && (!g.HasEdge(e.From, beside(l), e.To) || g.HasEdge(e.To, beside(l), e.From) != back) {
				return fmt.Errorf("edge %v is not beside, or its reverse is, %v", e, back)
			}
		}
	}
	return nil
}
