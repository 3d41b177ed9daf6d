package vector

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestASplitHasEveryRowOnceInItsPart and in the order that rows had.
func TestASplitHasEveryRowOnceInItsPart(t *testing.T) {
	t.Parallel()
	var s Split
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.SliceOfN(rapid.Uint64(), 0, 300).Draw(t, "hashes")
		all := make([]uint32, len(hashes))
		for i := range all {
			all[i] = uint32(i)
		}
		s.Set(hashes)
		var got []uint32
		for p := range Parts {
			part := s.Part(p)
			if !slices.IsSorted(part) {
				t.Fatalf("part %d is %v", p, part)
			}
			for _, r := range part {
				if PartOf(hashes[r]) != p {
					t.Fatalf("row %d with the hash %x is in part %d", r, hashes[r], p)
				}
			}
			got = append(got, part...)
		}
		if slices.Sort(got); !slices.Equal(got, all) {
			t.Fatalf("rows %v, want %v", got, all)
		}
	})
}
