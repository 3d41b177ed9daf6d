package pcsr

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRewritingAgreesWithPatching changes partitions of every layer both ways, cut into pieces of any size.
func TestRewritingAgreesWithPatching(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawGround(rt, t.TempDir)
		defer s.graph.Close()
		if s.graph.Edges() == 0 {
			return
		}
		patched := s.graph.Change(0, nil, nil)
		patched.live.line.tuning = changeTuning{leastSettled: 1 << 30, leastRewritten: 1 << 30, rewriteEdges: 1 << 16}
		rewritten := s.graph.Change(0, nil, nil)
		rewritten.live.line.tuning = changeTuning{leastSettled: 1 << 30, leastRewritten: 1, rewriteEdges: s.tuning.rewriteEdges}
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			vertices, added, removed := drawChange(rt, s)
			s = s.change(vertices, added, removed)
			patched, rewritten = patched.Change(vertices, added, removed), rewritten.Change(vertices, added, removed)
		}
		for _, l := range patched.UsedLabels() {
			for _, d := range []Direction{Out, In} {
				if p, r := patched.Partition(l, d), rewritten.Partition(l, d); !p.sameRows(r) {
					rt.Fatalf("label %d %v: %v where patched, %v where rewritten", l, d, p.keys(), r.keys())
				}
			}
		}
		if a, b := fmt.Sprint(patched.Changed()), fmt.Sprint(rewritten.Changed()); a != b || !slices.Equal(patched.UsedLabels(), rewritten.UsedLabels()) {
			rt.Fatalf("%s edges came and went where patched, %s where rewritten", a, b)
		}
	})
}

// TestLargeChangesAreRewritten: from the part of a partition that is told, and from the least number of edges on, it is made of arrays; where all its
// edges have one that leads back, before and after, both directions are one partition.
func TestLargeChangesAreRewritten(t *testing.T) {
	t.Parallel()
	pairs := (2*rewriteShare + 100) * leastRewritten / 2
	all := undirected(pairs/10, pairs)
	g, err := Build(pairs/10, 1, all)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(pairs, func(i, j int) {
		all[2*i], all[2*j] = all[2*j], all[2*i]
		all[2*i+1], all[2*j+1] = all[2*j+1], all[2*i+1]
	})
	share := g.Partition(0, Out).Edges() / shareToRewrite()
	more := 5 * share / 4 &^ 1 // some are there twice
	for _, c := range []struct {
		name            string
		removed         []Edge
		patched, shared bool
	}{
		{"a small part", all[:share-2], true, false}, {"a large part", all[:more], false, true},
		{"a large part, one edge of it one way", all[:more+1], false, false}, {"all", all, false, true},
	} {
		next := g.Change(0, nil, c.removed)
		out, in := next.Partition(0, Out), next.Partition(0, In)
		if got := out.Layer() == Patched; got != c.patched {
			t.Errorf("%s: patched: %v", c.name, got)
		}
		if got := out == in; got != c.shared {
			t.Errorf("%s: both directions are one: %v", c.name, got)
		}
		if err := next.Verify(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestUndirectedChangesAreRewritten changes undirected graphs by edges both ways, of which some are there already, or not there, or come and go, and one may
// lack the one that leads back.
func TestUndirectedChangesAreRewritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(rt, "vertices")
		draw := func(most int, name string) (edges []Edge) {
			for range rapid.IntRange(0, most).Draw(rt, name) {
				edges = append(edges, Edge{From: Vertex(rapid.IntRange(0, n-1).Draw(rt, "from")), To: Vertex(rapid.IntRange(0, n-1).Draw(rt, "to"))})
			}
			return edges
		}
		all := map[Edge]bool{}
		for _, e := range bothWays(draw(4*n, "edges"), false) {
			all[e] = true
		}
		g, err := Build(n, 1, slices.Collect(maps.Keys(all)))
		if err != nil {
			rt.Fatal(err)
		}
		next := g.Change(0, nil, nil)
		next.live.line.tuning = changeTuning{leastSettled: 1 << 30, leastRewritten: 1, rewriteEdges: rapid.IntRange(1, 40).Draw(rt, "edges of a piece")}
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			beside := rapid.Bool().Draw(rt, "one beside the other")
			added, removed := bothWays(draw(2*n, "added"), beside), bothWays(draw(2*n, "removed"), beside)
			if len(added) > 0 && rapid.IntRange(0, 3).Draw(rt, "one is single") == 0 {
				added = added[1:]
			}
			for _, e := range removed {
				delete(all, e)
			}
			for _, e := range added {
				all[e] = true
			}
			next = next.Change(0, added, removed)
			undirected := true
			for e := range all {
				undirected = undirected && all[Edge{From: e.To, To: e.From}]
			}
			if got := edgesOf(next); !slices.Equal(got, sortedEdges(all)) || next.Undirected(0) != undirected || next.Verify() != nil {
				rt.Fatalf("%v, undirected %v (error %v); want %v", got, next.Undirected(0), next.Verify(), sortedEdges(all))
			}
		}
	})
}
