package pcsr

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// weight is a value of trees in tests: a row of the ground, more or less.
type weight struct{ at, by int32 }

func (w weight) rank() (uint32, int32) { return uint32(w.at), w.by }

// TestTreeAgreesWithMaps makes trees of trees and checks each against a map.
func TestTreeAgreesWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trees, maps_ := []tree[weight]{{}}, []map[uint32]weight{{}}
		span := rapid.SampledFrom([]uint32{10, 300, 20_000, noVertex}).Draw(t, "span")
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			from := rapid.IntRange(0, len(trees)-1).Draw(t, "from")
			next := maps.Clone(maps_[from])
			keys := drawKeys(t, span, next)
			edited := trees[from].edit(keys, func(i int, old *weight) (weight, bool) {
				if was, ok := next[keys[i]]; ok != (old != nil) || ok && was != *old {
					t.Fatalf("key %d had %v, %v", keys[i], was, old)
				}
				delete(next, keys[i])
				w := weight{at: int32(keys[i] / 3), by: int32(keys[i]%3) - 1}
				if i%4 != 3 {
					next[keys[i]] = w
				}
				return w, i%4 != 3
			})
			trees, maps_ = append(trees, edited), append(maps_, next)
		}
		for i := range trees {
			checkTree(t, trees[i], maps_[i], span)
			checkTreeDifference(t, trees[0], trees[i], maps_[0], maps_[i])
			checkTreeDifference(t, trees[i], trees[len(trees)-1], maps_[i], maps_[len(trees)-1])
		}
	})
}

// drawKeys draws keys to be edited, ascending: many or few, behind each other, and some or most of those that there are.
func drawKeys(t *rapid.T, span uint32, there map[uint32]weight) []uint32 {
	set := map[uint32]bool{}
	for range rapid.SampledFrom([]int{1, 3, 40, 500}).Draw(t, "keys") {
		set[rapid.Uint32Range(0, span).Draw(t, "key")] = true
	}
	if low := rapid.Uint32Range(0, span).Draw(t, "run"); rapid.Bool().Draw(t, "runs") {
		for i := range uint32(200) {
			set[min(low+i, span)] = true
		}
	}
	share := rapid.SampledFrom([]uint32{2, 5, 100}).Draw(t, "share")
	for k := range there {
		if k%share != 0 {
			set[k] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func checkTree(t *rapid.T, tree tree[weight], want map[uint32]weight, span uint32) {
	if err := tree.verify(); err != nil {
		t.Fatal(err)
	}
	keys, before := slices.Sorted(maps.Keys(want)), int32(0)
	if tree.size() != len(keys) {
		t.Fatalf("%d keys, want %d", tree.size(), len(keys))
	}
	for i, k := range keys {
		w := want[k]
		if got := tree.get(k); got == nil || *got != w {
			t.Fatalf("key %d: %v, want %v", k, got, w)
		}
		if got, shift := tree.seek(k); got == nil || shift != before {
			t.Fatalf("before key %d %d rows are shifted, want %d", k, shift, before)
		}
		before += w.by
		if _, shift := tree.seek(k + 1); k < noVertex && (i+1 == len(keys) || keys[i+1] > k+1) && shift != before {
			t.Fatalf("behind key %d %d rows are shifted, want %d", k, shift, before)
		}
	}
	from := rapid.Uint32Range(0, span).Draw(t, "from")
	var got []uint32
	tree.ascend(from, func(k uint32, _ *weight) bool { got = append(got, k); return true })
	if want := keys[searchFrom(keys, from):]; !slices.Equal(got, want) {
		t.Fatalf("from %d: %v, want %v", from, got, want)
	}
	if k := rapid.Uint32Range(0, span).Draw(t, "absent"); tree.get(k) != nil {
		if _, ok := want[k]; ok {
			return
		}
		t.Fatalf("key %d is found", k)
	}
}

func checkTreeDifference(t *rapid.T, a, b tree[weight], was, is map[uint32]weight) {
	seen := map[uint32]bool{}
	last := -1
	difference(a, b, func(k uint32, x, y *weight) bool {
		w, inA := was[k]
		v, inB := is[k]
		if int(k) <= last || inA != (x != nil) || inB != (y != nil) || inA && *x != w || inB && *y != v {
			t.Fatalf("key %d after %d: %v and %v, want %v and %v", k, last, x, y, w, v)
		}
		last, seen[k] = int(k), true
		return true
	})
	for _, m := range []map[uint32]weight{was, is} {
		for k := range m {
			w, inA := was[k]
			v, inB := is[k]
			if (inA != inB || w != v) && !seen[k] {
				t.Fatalf("key %d differs", k)
			}
		}
	}
}
