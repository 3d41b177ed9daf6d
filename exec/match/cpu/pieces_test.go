package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// ascending is a random list without repeats.
func ascending(random *rand.Rand, n int, gap uint32) []pcsr.Vertex {
	list, at := make([]pcsr.Vertex, n), pcsr.Vertex(0)
	for i := range list {
		at += 1 + random.Uint32N(gap)
		list[i] = at
	}
	return list
}

// TestLongListsAreReadInPieces: the pieces give what the whole gives, in the list's own memory too, and nothing once the
// run was stopped.
func TestLongListsAreReadInPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	w := &worker{run: &run{}, tuning: &tuned}
	for range 5 {
		a, b := ascending(random, 3*longList+random.IntN(longList), 3), ascending(random, 4*longList, 4)
		want := pcsr.Intersect(nil, a, b)
		c := &scratch{buf: slices.Clone(a)}
		if got := w.intersect(&step{}, c, c.buf, b); !slices.Equal(got, want) {
			t.Fatalf("%d members in common, want %d", len(got), len(want))
		}
		if n := w.countCommon(a, b); n != uint64(len(want)) {
			t.Fatalf("counted %d members in common, want %d", n, len(want))
		}
	}
	w.run.stop.Store(true)
	a := ascending(random, 3*longList, 3)
	if got := w.intersect(&step{}, &scratch{}, a, a); len(got) != 0 || w.countCommon(a, a) != 0 {
		t.Errorf("%d members after the end of the run", len(got))
	}
}
