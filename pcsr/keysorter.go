package pcsr

import (
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// keySorter sorts keys, in memory that it keeps. each is about how many of them a goroutine takes; 0: all.
type keySorter struct {
	spare []uint64
	each  int
}

// sort returns keys in order, without repeats. Their memory may be the sorter's from then on.
func (s *keySorter) sort(keys []uint64) []uint64 {
	if !slices.IsSorted(keys) {
		keys = s.sortUpper(keys, 0)
	}
	if s.repeats(keys) {
		return radix.Distinct(keys)
	}
	return keys
}

// sortUpper is sort for keys without repeats, of which those that are alike in all but the lower bits are in order.
func (s *keySorter) sortUpper(keys []uint64, lower int) []uint64 {
	if len(keys) >= radix.Small && len(s.spare) < len(keys) {
		s.spare = make([]uint64, len(keys))
	}
	if parts := s.parts(len(keys)); parts > 1 {
		return radix.SortAcross(keys, s.spare, lower, parts, parallel)
	}
	sorted := radix.SortUpper(keys, s.spare, lower)
	if len(sorted) > 0 && &sorted[0] != &keys[0] {
		s.spare = keys
	}
	return sorted
}

// repeats reports whether one of ascending keys is the one before it.
func (s *keySorter) repeats(keys []uint64) bool {
	var found atomic.Bool
	s.across(len(keys), func(low, high int) {
		for i := max(low, 1); i < high; i++ {
			if keys[i] == keys[i-1] {
				found.Store(true)
				return
			}
		}
	})
	return found.Load()
}

// same reports whether two lists of keys are the same.
func (s *keySorter) same(a, b []uint64) bool {
	if len(a) != len(b) {
		return false
	}
	var differ atomic.Bool
	s.across(len(a), func(low, high int) {
		if !slices.Equal(a[low:high], b[low:high]) {
			differ.Store(true)
		}
	})
	return !differ.Load()
}

// parts is into how many parts n keys are cut.
func (s *keySorter) parts(n int) int {
	if s.each == 0 {
		return 1
	}
	return min(max(n/s.each, 1), mostParts)
}

// mostParts is enough for all cores.
const mostParts = 256

// across has goroutines do the parts of n keys.
func (s *keySorter) across(n int, do func(low, high int)) {
	parts := s.parts(n)
	parallel(parts, func(i int) { do(n*i/parts, n*(i+1)/parts) })
}
