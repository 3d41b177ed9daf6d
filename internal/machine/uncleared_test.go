package machine

import (
	"runtime"
	"testing"
)

// TestUnclearedArraysAreTheirOwners fills arrays of many lengths, while memory is collected, and finds in each what was written there.
func TestUnclearedArraysAreTheirOwners(t *testing.T) {
	var all [][]uint64
	for n := 0; n < 100_000; n = n*3/2 + 1 {
		list := Uncleared[uint64](n)
		if len(list) != n || cap(list) != n {
			t.Fatalf("%d of %d numbers, %d were asked for", len(list), cap(list), n)
		}
		for i := range list {
			list[i] = uint64(len(all))<<32 | uint64(i)
		}
		all = append(all, list)
		words := Uncleared[uint32](n)
		for i := range words {
			words[i] = ^uint32(0)
		}
		if runtime.GC(); len(words) != n {
			t.Fatalf("%d numbers, %d were asked for", len(words), n)
		}
	}
	for i, list := range all {
		for k, v := range list {
			if v != uint64(i)<<32|uint64(k) {
				t.Fatalf("array %d has %#x at %d", i, v, k)
			}
		}
	}
}
