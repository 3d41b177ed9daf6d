package loader

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortKeysSortsByBytes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	set := map[string]bool{"": true, "\x00": true, "a": true, "a\x00": true, "a\x00\x00": true}
	heads := []string{"", "<http://example.org/", "<http://example.org/a long common beginning/", "\x00\x00\x00\x00\x00\x00\x00\x00\x00"}
	for len(set) < 40_000 {
		key := []byte(heads[r.IntN(len(heads))])
		for range r.IntN(20) {
			key = append(key, "ab\x00\xff"[r.IntN(4)])
		}
		set[string(key)] = true
	}
	var keys []string
	for k := range set {
		keys = append(keys, k)
	}
	for _, n := range []int{1, 2, 20, 1000, len(keys)} {
		items := make([]item, n)
		for i := range items {
			items[i].ref = uint64(i)
		}
		sortKeys(2, items, func(ref uint64) []byte { return []byte(keys[ref]) })
		for i, want := range slices.Sorted(slices.Values(keys[:n])) {
			if keys[items[i].ref] != want {
				t.Fatalf("key %d of %d is %q, want %q", i, n, keys[items[i].ref], want)
			}
		}
	}
}
