package gpu

import (
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/kernels"
	"pgregory.net/rapid"
)

// TestScratchCutsNoByteTwice: what is out does not overlap, lies inside, is refused only where no stretch has room, and all comes back as one.
func TestScratchCutsNoByteTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const cells = 64
		s := newScratch(alignment, cells*alignment)
		var owner [cells]int // of each cell; 0: free
		out := map[kernels.Address]int{}
		room := func() (most int) {
			n := 0
			for _, o := range owner {
				if n++; o != 0 {
					n = 0
				}
				most = max(most, n)
			}
			return most
		}
		for turn := range rapid.IntRange(1, 200).Draw(t, "turns") {
			if len(out) > 0 && rapid.Bool().Draw(t, "give") {
				var all []kernels.Address
				for at := range out {
					all = append(all, at)
				}
				slices.Sort(all)
				at := rapid.SampledFrom(all).Draw(t, "what")
				if !s.give(at) || s.give(at) {
					t.Fatal("what is out is given back once")
				}
				for i := range owner {
					if owner[i] == out[at] {
						owner[i] = 0
					}
				}
				delete(out, at)
				continue
			}
			n := rapid.IntRange(1, 20).Draw(t, "cells")
			at := s.take(int64(n) * alignment)
			if (at == 0) != (room() < n) {
				t.Fatalf("%d cells: at %d, the largest stretch has %d", n, at, room())
			}
			if at == 0 {
				continue
			}
			for i := range n {
				cell := int(at)/alignment - 1 + i
				if owner[cell] != 0 {
					t.Fatalf("cell %d is out twice", cell)
				}
				owner[cell] = turn + 1
			}
			out[at] = turn + 1
		}
		for at := range out {
			s.give(at)
		}
		if len(s.free) != 1 || s.left() != s.size || s.give(alignment) {
			t.Fatalf("%v is free in the end", s.free)
		}
	})
}
