package cpu

import (
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestNumberTablesHoldWhatWasWritten by several goroutines, each to blocks of its own, whatever the memory held before.
func TestNumberTablesHoldWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 2*smallTables).Draw(t, "places")
		few := rapid.SliceOfN(rapid.OneOf(rapid.Uint64Range(0, 9), rapid.Uint64Range(large-2, large+2), rapid.Uint64Range(math.MaxUint32-2, math.MaxUint32+2), rapid.Uint64()), 1, 20).Draw(t, "numbers")
		mean := rapid.SampledFrom([]float64{0, 1, smallMean, smallMean + 1, math.Inf(1)}).Draw(t, "expected mean")
		small := mean <= smallMean
		every := rapid.IntRange(1, 7).Draw(t, "every so many places")
		var mu sync.Mutex
		charged, most := int64(0), int64(0)
		table, err := newNumberTable(n, mean, func(bytes int64) error {
			mu.Lock()
			defer mu.Unlock()
			charged += bytes
			most = max(most, charged)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		const block = 1000
		var all sync.WaitGroup
		want := make([]uint64, n)
		for g := range 4 {
			all.Go(func() {
				for from := g * block; from < n; from += 4 * block {
					to := min(from+block, n)
					table.clear(from, to)
					for place := from; place < to; place += every {
						want[place] = few[place%len(few)]
						table.set(place, want[place])
					}
				}
			})
		}
		all.Wait()
		for place, w := range want {
			if got := table.at(place); got != w {
				t.Fatalf("place %d has %d, want %d", place, got, w)
			}
		}
		has := func(least uint64) bool {
			return slices.ContainsFunc(want, func(n uint64) bool { return n >= least })
		}
		bytes, lower, upper := table.parts()
		if (bytes != nil) != small || (lower != nil) != (!small || has(large)) || (upper != nil) != has(1<<32) {
			t.Errorf("there are bytes: %v, lower halves: %v, upper ones: %v", bytes != nil, lower != nil, upper != nil)
		}
		table.drop()
		size := 4 * int64(n)
		if small && lower == nil {
			size = int64(n)
		}
		if charged != 0 || size > smallTables && most < size {
			t.Errorf("%d bytes were counted at most for %d numbers, %d are left", most, n, charged)
		}
	})
}
