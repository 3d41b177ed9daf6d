package vector

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// TestLongSortsSortAndEnd: whatever the length, in order; and without looking at all of it once the query has ended.
func TestLongSortsSortAndEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("of one goroutine")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 100, sortedAtOnce, sortedAtOnce + 1, radixFrom, 5*sortedAtOnce + 17, 300_000} {
		list := make([]dictionary.ID, n)
		for i := range list {
			list[i] = random.Uint32() >> (random.IntN(2) * 16)
		}
		want := slices.Sorted(slices.Values(list))
		compared, digits := slices.Clone(list), slices.Clone(list)
		alive := func() error { return nil }
		if err := Sort(compared, cmp.Compare, &Watch{Ended: alive}); err != nil || !slices.Equal(compared, want) {
			t.Errorf("%d elements are not sorted by comparing (%v)", n, err)
		}
		if err := SortIDs(digits, alive); err != nil || !slices.Equal(digits, want) {
			t.Errorf("%d elements are not sorted by their digits (%v)", n, err)
		}
	}
	stop, compared := errors.New("ended"), 0
	list := make([]dictionary.ID, 1_000_000)
	for i := range list {
		list[i] = random.Uint32()
	}
	err := Sort(list, func(a, b dictionary.ID) int { compared++; return cmp.Compare(a, b) }, &Watch{Ended: func() error { return stop }})
	if err != stop || compared > WatchEvery {
		t.Errorf("a sort of an ended query ends with %v after %d comparisons", err, compared)
	}
	if err := SortIDs(list, func() error { return stop }); err != stop {
		t.Errorf("a sort by digits ends with %v", err)
	}
}
