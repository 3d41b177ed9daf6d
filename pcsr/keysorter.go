package pcsr

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// keySorter sorts keys, in memory that it keeps.
type keySorter struct{ spare []uint64 }

// sort returns keys in order, without repeats. Their memory may be the sorter's from then on.
func (s *keySorter) sort(keys []uint64) []uint64 {
	if !slices.IsSorted(keys) {
		keys = s.sortUpper(keys, 0)
	}
	return radix.Distinct(keys)
}

// sortUpper is sort for keys without repeats, of which those that are alike in all but the lower bits are in order.
func (s *keySorter) sortUpper(keys []uint64, lower int) []uint64 {
	if len(keys) >= radix.Small && len(s.spare) < len(keys) {
		s.spare = make([]uint64, len(keys))
	}
	sorted := radix.SortUpper(keys, s.spare, lower)
	if len(sorted) > 0 && &sorted[0] != &keys[0] {
		s.spare = keys
	}
	return sorted
}
