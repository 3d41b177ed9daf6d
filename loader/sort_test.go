package loader

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortNumbersSortsBothWays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	draw := map[string]func() uint64{
		"any":         r.Uint64,
		"narrow":      func() uint64 { return (r.Uint64N(4000)+1<<21)<<32 | r.Uint64N(900) + 77_000 },
		"few objects": func() uint64 { return r.Uint64N(1<<22)<<32 | r.Uint64N(3) + 1<<30 },
		"one of two":  func() uint64 { return r.Uint64N(2) * (1<<64 - 1) },
		"skewed":      func() uint64 { return 1 << r.Uint64N(64) },
		"equal":       func() uint64 { return 42 },
	}
	for name, next := range draw {
		for _, n := range []int{0, 1, 2, radixSmall - 1, radixSmall, 5000, radixCached, radixCached + 1, 200_000} {
			t.Run(fmt.Sprintf("%d of %s", n, name), func(t *testing.T) {
				keys := make([]uint64, n)
				for i := range keys {
					keys[i] = next()
				}
				want := slices.Sorted(slices.Values(keys))
				got := sortNumbers(keys, make([]uint64, n))
				if !slices.Equal(got, want) {
					t.Fatal("not sorted")
				}
				got = slices.Clone(got)
				for i, k := range got {
					got[i] = k<<32 | k>>32
				}
				want = slices.Sorted(slices.Values(got))
				if got = sortUpper(got, make([]uint64, n), 32); !slices.Equal(got, want) {
					t.Fatal("not sorted the other way")
				}
			})
		}
	}
}

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
