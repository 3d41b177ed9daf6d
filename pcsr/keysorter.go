package pcsr

import (
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// keySorter sorts keys, in memory that it keeps. each is about how many of them a goroutine takes; 0: all.
type keySorter struct {
	spare []uint64
	each  int
}

// sort returns keys in order, without repeats. Their memory may be the sorter's from then on. within has them all; nil where nobody knows.
func (s *keySorter) sort(keys []uint64, within *radix.Span) []uint64 {
	if parts := s.parts(len(keys)); parts > 1 && !slices.IsSorted(keys) {
		var repeats atomic.Bool
		keys = s.sortAcross(keys, 0, radix.Across{Parts: parts, Parallel: machine.Parallel, Within: within, Sorted: func(stretch []uint64) {
			if hasRepeats(stretch) {
				repeats.Store(true)
			}
		}})
		if !repeats.Load() {
			return keys
		}
		return radix.Distinct(keys)
	}
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
	if parts := s.parts(len(keys)); parts > 1 {
		return s.sortAcross(keys, lower, radix.Across{Parts: parts, Parallel: machine.Parallel})
	}
	s.haveSpare(len(keys))
	sorted := radix.SortUpper(keys, s.spare, lower)
	if len(sorted) > 0 && &sorted[0] != &keys[0] {
		s.spare = keys
	}
	return sorted
}

// sortAcross is sortUpper by several goroutines.
func (s *keySorter) sortAcross(keys []uint64, lower int, by radix.Across) []uint64 {
	s.haveSpare(len(keys))
	return radix.SortAcross(keys, s.spare, lower, by)
}

// haveSpare has as much spare memory as sorting so many keys takes.
func (s *keySorter) haveSpare(n int) {
	if n >= radix.Small && len(s.spare) < n {
		s.spare = machine.Uncleared[uint64](n)
	}
}

// hasRepeats reports whether one of ascending keys is the one before it.
func hasRepeats(keys []uint64) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			return true
		}
	}
	return false
}

// repeats reports whether one of ascending keys is the one before it.
func (s *keySorter) repeats(keys []uint64) bool {
	return s.some(len(keys), func(low, high int) bool { return hasRepeats(keys[max(low-1, 0):high]) })
}

// same reports whether two lists of keys are the same.
func (s *keySorter) same(a, b []uint64) bool {
	return len(a) == len(b) && !s.some(len(a), func(low, high int) bool { return !slices.Equal(a[low:high], b[low:high]) })
}

// hasLoop reports whether one of keys is of an edge from a vertex to itself.
func (s *keySorter) hasLoop(keys []uint64) bool {
	return s.some(len(keys), func(low, high int) bool {
		return slices.ContainsFunc(keys[low:high], func(k uint64) bool { return k>>32 == k&noVertex })
	})
}

// some reports whether one of the parts of n keys is so.
func (s *keySorter) some(n int, is func(low, high int) bool) bool {
	var found atomic.Bool
	s.across(n, func(low, high int) {
		if is(low, high) {
			found.Store(true)
		}
	})
	return found.Load()
}

// countIn counts those of ascending keys whose edges a partition has.
func (s *keySorter) countIn(p *Partition, keys []uint64) int {
	var n atomic.Int64
	s.across(len(keys), func(low, high int) { n.Add(int64(p.countKeys(keys[low:high]))) })
	return int(n.Load())
}

// leadBack reports whether for each of ascending keys there is one of the edge that leads back: the edges to lower vertices, turned round and
// sorted, are then those to higher ones.
func (s *keySorter) leadBack(keys []uint64) bool {
	up, down := s.byDirection(keys)
	return len(up) == len(down) && s.same(up, s.sortUpper(down, 32))
}

// byDirection are the keys of edges to higher vertices, and those to lower ones turned round, both in the order of the keys.
func (s *keySorter) byDirection(keys []uint64) (up, down []uint64) {
	parts := s.parts(len(keys))
	part := func(i int) []uint64 { return keys[len(keys)*i/parts : len(keys)*(i+1)/parts] }
	ends := make([][2]int, parts+1)
	machine.Parallel(parts, func(i int) {
		up, down := 0, 0
		for _, k := range part(i) {
			up, down = up+oneIf(k>>32 < k&noVertex), down+oneIf(k>>32 > k&noVertex)
		}
		ends[i+1] = [2]int{up, down}
	})
	for i := range parts {
		ends[i+1][0] += ends[i][0]
		ends[i+1][1] += ends[i][1]
	}
	up, down = machine.Uncleared[uint64](ends[parts][0]), machine.Uncleared[uint64](ends[parts][1])
	machine.Parallel(parts, func(i int) {
		u, d := ends[i][0], ends[i][1]
		for _, k := range part(i) {
			switch from, to := k>>32, k&noVertex; {
			case from < to:
				up[u] = k
				u++
			case from > to:
				down[d] = to<<32 | from
				d++
			}
		}
	})
	return up, down
}

// parts is into how many parts n keys are cut.
func (s *keySorter) parts(n int) int {
	if s.each == 0 {
		return 1
	}
	return partsOf(n, s.each)
}

// partsOf is into how many parts of so many each n things are cut.
func partsOf(n, each int) int { return min(max(n/each, 1), mostParts) }

// mostParts is enough for all cores.
const mostParts = 128

// across has goroutines do the parts of n keys.
func (s *keySorter) across(n int, do func(low, high int)) {
	parts := s.parts(n)
	machine.Parallel(parts, func(i int) { do(n*i/parts, n*(i+1)/parts) })
}
