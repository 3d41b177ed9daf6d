package vector

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
)

// Watch ends a long sort when its query ends.
type Watch struct {
	Ended limits.Ended
	steps int
	// Err is why it has ended.
	Err error
}

// WatchEvery is how many comparisons are made between two checks of whether the query has ended; each may decode strings.
const WatchEvery = 256

// Over counts a comparison and reports whether the query has ended.
func (h *Watch) Over() bool {
	if h.steps++; h.steps%WatchEvery == 0 && h.Err == nil {
		h.Err = h.Ended()
	}
	return h.Err != nil
}

// sortedAtOnce is how many elements are sorted in one go: a sort whose query has ended still has to go through them, which takes
// some 10 ms. Merging smaller parts took twice the time of the sort.
const sortedAtOnce = 1 << 20

// Sort sorts a list, longer ones by merging sorted parts. Where the query ends first, the order means nothing.
func Sort[T any](list []T, compare func(a, b T) int, h *Watch) error {
	watched := func(a, b T) int {
		if h.Over() {
			return 0
		}
		return compare(a, b)
	}
	for part := range slices.Chunk(list, sortedAtOnce) {
		if slices.SortFunc(part, watched); h.Err != nil {
			return h.Err
		}
	}
	if len(list) <= sortedAtOnce {
		return nil
	}
	from, to := list, make([]T, len(list))
	for size := sortedAtOnce; size < len(list); size *= 2 {
		out := to[:0]
		for at := 0; at < len(from); at += 2 * size {
			middle, end := min(at+size, len(from)), min(at+2*size, len(from))
			if out = mergeWatched(out, from[at:middle], from[middle:end], watched, h); h.Err != nil {
				return h.Err
			}
		}
		from, to = out, from
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
	return nil
}

// mergeWatched appends two sorted lists as one.
func mergeWatched[T any](dst, a, b []T, compare func(a, b T) int, h *Watch) []T {
	for len(a) > 0 && len(b) > 0 && h.Err == nil {
		if compare(b[0], a[0]) < 0 {
			dst, b = append(dst, b[0]), b[1:]
		} else {
			dst, a = append(dst, a[0]), a[1:]
		}
	}
	return append(append(dst, a...), b...)
}

const (
	// radixFrom is from how many IDs on sorting by digits is the faster way; radixBits is the width of a digit.
	radixFrom = 1 << 16
	radixBits = 16
)

// SortIDs sorts IDs, as slices.Sort does.
func SortIDs(list []dictionary.ID, ended func() error) error {
	if len(list) < radixFrom {
		slices.Sort(list)
		return nil
	}
	from, to := list, make([]dictionary.ID, len(list))
	for shift := 0; shift < 32; shift += radixBits {
		starts := make([]int, 1<<radixBits+1)
		for part := range slices.Chunk(from, limits.CheckEvery) {
			if err := ended(); err != nil {
				return err
			}
			for _, id := range part {
				starts[id>>shift&(1<<radixBits-1)+1]++
			}
		}
		for i := 1; i < len(starts); i++ {
			starts[i] += starts[i-1]
		}
		for part := range slices.Chunk(from, limits.CheckEvery) {
			if err := ended(); err != nil {
				return err
			}
			for _, id := range part {
				digit := id >> shift & (1<<radixBits - 1)
				to[starts[digit]] = id
				starts[digit]++
			}
		}
		from, to = to, from
	}
	return nil // after two digits the IDs are where they were
}
