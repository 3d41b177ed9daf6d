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
		n := rapid.IntRange(0, smallTables).Draw(t, "places")
		few := rapid.SliceOfN(rapid.OneOf(rapid.Uint64Range(0, 9), rapid.Uint64Range(math.MaxUint32-2, math.MaxUint32+2), rapid.Uint64()), 1, 20).Draw(t, "numbers")
		every := rapid.IntRange(1, 7).Draw(t, "every so many places")
		var mu sync.Mutex
		charged, most := int64(0), int64(0)
		table, err := newNumberTable(n, func(bytes int64) error {
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
		if large := slices.ContainsFunc(want, func(n uint64) bool { return n > math.MaxUint32 }); large != (table.high() != nil) {
			t.Errorf("there are upper halves: %v, numbers of more than 32 bits: %v", table.high() != nil, large)
		}
		table.drop()
		if bytes := 4 * int64(n); charged != 0 || bytes > smallTables && most < bytes {
			t.Errorf("%d bytes were counted at most for %d numbers, %d are left", most, n, charged)
		}
	})
}
