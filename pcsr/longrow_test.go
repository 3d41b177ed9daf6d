package pcsr

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLongListsAgreeWithMaps changes one long list again and again: behind its end, before it, and what there is; versions are read at any
// time.
func TestLongListsAgreeWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const hub, most = 0, 100_000
		var edges []Edge
		for v := range rapid.SampledFrom([]int{0, 30, 64, 65, 300}).Draw(t, "members") {
			edges = append(edges, Edge{hub, 0, Vertex(2 * v)})
		}
		g, err := Build(most, 1, edges)
		if err != nil {
			t.Fatal(err)
		}
		first := &version{graph: g, edges: map[Edge]bool{}, vertices: most, labels: 1, tuning: drawTuning(t)}
		for _, e := range edges {
			first.edges[e] = true
		}
		versions := []*version{first}
		for range rapid.IntRange(2, 12).Draw(t, "changes") {
			from := versions[len(versions)-1]
			if rapid.IntRange(0, 5).Draw(t, "old") == 0 {
				from = rapid.SampledFrom(versions).Draw(t, "from")
			}
			if rapid.Bool().Draw(t, "read") {
				checkList(t, from)
			}
			versions = append(versions, from.change(drawListChange(t, from)))
		}
		for _, s := range rapid.Permutation(versions).Draw(t, "order") {
			checkList(t, s)
			if err := s.checkChanges(first); err != nil {
				t.Fatal(err)
			}
			for _, other := range []*version{first, versions[len(versions)-1]} {
				checkListDifference(t, other, s)
			}
			if err := s.graph.Verify(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// drawListChange draws a change of the list of vertex 0.
func drawListChange(t *rapid.T, s *version) (vertices int, added, removed []Edge) {
	list := s.model().lists[Out][0][0]
	behind := Vertex(0)
	for v := range list {
		behind = max(behind, v+1)
	}
	for i := range rapid.SampledFrom([]int{0, 1, 3, 70, 300}).Draw(t, "behind") {
		added = append(added, Edge{0, 0, behind + Vertex(i)})
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 2, 50}).Draw(t, "before") {
		added = append(added, Edge{0, 0, rapid.Uint32Range(0, behind).Draw(t, "added")})
	}
	if share := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 50}).Draw(t, "share"); share > 0 {
		for _, v := range sorted(list) {
			if int(v)%share == share/2 {
				removed = append(removed, Edge{0, 0, v})
			}
		}
	}
	return s.vertices, added, removed
}

func checkList(t *rapid.T, s *version) {
	want := sorted(s.model().lists[Out][0][0])
	p := s.graph.Partition(0, Out)
	if got := p.Neighbours(0); !slices.Equal(got, want) || p.degreeOf(0) != len(want) || cap(got) != len(got) && p.Layer() == Patched {
		t.Fatalf("a list of %d (capacity %d, degree %d), want %d: %v, want %v", len(got), cap(got), p.degreeOf(0), len(want), got, want)
	}
	for v := range Vertex(700) {
		if s.graph.HasEdge(0, 0, v) != s.edges[Edge{0, 0, v}] {
			t.Fatalf("has %d: %v", v, s.graph.HasEdge(0, 0, v))
		}
	}
}

func checkListDifference(t *rapid.T, from, to *version) {
	came, went := partitionDifference(from.graph.Partition(0, Out), to.graph.Partition(0, Out))
	for _, c := range []struct {
		got  []uint64
		a, b *version
	}{{came, to, from}, {went, from, to}} {
		var want []uint64
		for _, e := range c.a.sorted() {
			if !c.b.edges[e] {
				want = append(want, uint64(e.To))
			}
		}
		if !slices.Equal(c.got, want) {
			t.Fatalf("%v differ, want %v", c.got, want)
		}
	}
}
