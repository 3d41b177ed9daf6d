package mine

import (
	"context"
	"iter"
	"maps"
	"math/rand"
	"slices"
	"testing"
)

func TestLabelledGraphOfManyEdgesHasEachOnceBothWays(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, directed := range []bool{true, false} {
		// As many as are sorted by digits, over two numbers of digits and with fewer than that beside them.
		lists := make([][][2]uint32, 3)
		for p, names := range []int{300, 70_000, 20} {
			for range []int{40_000, 60_000, 50}[p] {
				lists[p] = append(lists[p], [2]uint32{uint32(r.Intn(names)), uint32(r.Intn(names))})
			}
		}
		var predicates []iter.Seq2[uint32, uint32]
		for _, list := range lists {
			predicates = append(predicates, func(yield func(a, b uint32) bool) {
				for _, e := range list {
					if !yield(e[0], e[1]) {
						return
					}
				}
			})
		}
		members := map[uint32]bool{}
		for range 30_000 {
			members[uint32(r.Intn(70_000))] = true
		}
		g, err := BuildLabelled(context.Background(), predicates, []iter.Seq[uint32]{maps.Keys(members)}, directed)
		if err != nil {
			t.Fatal(err)
		}
		for p, list := range lists {
			want := map[[2]uint32]bool{}
			for _, e := range list {
				if e[0] != e[1] {
					want[e] = true
					if !directed {
						want[[2]uint32{e[1], e[0]}] = true
					}
				}
			}
			check := func(name string, rows *rows, turned bool) {
				got := 0
				for i := range rows.vertices {
					v, others := rows.at(i)
					if !slices.IsSorted(others) || i > 0 && rows.vertices[i-1] >= v {
						t.Fatalf("directed %v, predicate %d: the %s rows do not ascend at vertex %d", directed, p, name, v)
					}
					for _, other := range others {
						e := [2]uint32{g.Name(v), g.Name(other)}
						if turned {
							e[0], e[1] = e[1], e[0]
						}
						if got++; !want[e] {
							t.Fatalf("directed %v, predicate %d: no pair makes the %s edge %v", directed, p, name, e)
						}
					}
				}
				if got != len(want) {
					t.Fatalf("directed %v, predicate %d: %d %s edges, want %d", directed, p, got, name, len(want))
				}
			}
			check("outgoing", &g.out[p], false)
			check("incoming", &g.in[p], true)
		}
		for v := range Vertex(g.Len()) {
			want := NoLabel
			if members[g.Name(v)] {
				want = 1
			}
			if got := g.Labels(v); !slices.Equal(got, []Label{want}) {
				t.Fatalf("%d has the labels %v, want %d", g.Name(v), got, want)
			}
		}
	}
}
