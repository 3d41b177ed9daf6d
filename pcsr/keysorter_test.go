package pcsr

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLeadingBackAgreesWithLookingEachUp draws keys, most of them in pairs that lead to and fro, and cuts them into parts of any size.
func TestLeadingBackAgreesWithLookingEachUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.SampledFrom([]Vertex{3, 20, noVertex}).Draw(rt, "vertices")
		vertex := rapid.Uint32Range(0, most)
		var keys []uint64
		for range rapid.IntRange(0, 300).Draw(rt, "edges") {
			v, w := vertex.Draw(rt, "from"), vertex.Draw(rt, "to")
			keys = append(keys, edgeKey(v, w), edgeKey(w, v))
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		for range rapid.IntRange(0, 2).Draw(rt, "alone") {
			if n := len(keys); n > 0 {
				i := rapid.IntRange(0, n-1).Draw(rt, "at")
				keys = slices.Delete(keys, i, i+1)
			}
		}
		loop, back := false, true
		for _, k := range keys {
			loop = loop || k>>32 == k&noVertex
			back = back && containsKey(keys, k<<32|k>>32)
		}
		s := keySorter{each: rapid.SampledFrom([]int{0, 1, 7, 100}).Draw(rt, "each")}
		was := slices.Clone(keys)
		if got := s.leadBack(keys); got != back {
			rt.Fatalf("all of %x lead back: %v, not %v", keys, back, got)
		}
		if got := s.hasLoop(keys); got != loop {
			rt.Fatalf("there is a loop among %x: %v, not %v", keys, loop, got)
		}
		if !slices.Equal(keys, was) {
			rt.Fatalf("%x became %x", was, keys)
		}
	})
}
