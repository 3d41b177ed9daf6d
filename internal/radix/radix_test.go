package radix

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortSortsBothWays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	draw := map[string]func() uint64{
		"any":         r.Uint64,
		"narrow":      func() uint64 { return (r.Uint64N(4000)+1<<21)<<32 | r.Uint64N(900) + 77_000 },
		"few objects": func() uint64 { return r.Uint64N(1<<22)<<32 | r.Uint64N(3) + 1<<30 },
		"one of two":  func() uint64 { return r.Uint64N(2) * (1<<64 - 1) },
		"far":         func() uint64 { return (r.Uint64N(1000)+999)/1000<<40 | r.Uint64N(1<<20) },
		"skewed":      func() uint64 { return 1 << r.Uint64N(64) },
		"equal":       func() uint64 { return 42 },
	}
	for name, next := range draw {
		for _, n := range []int{0, 1, 2, Small - 1, Small, 5000, cached, cached + 1, 200_000} {
			t.Run(fmt.Sprintf("%d of %s", n, name), func(t *testing.T) {
				keys := make([]uint64, n)
				for i := range keys {
					keys[i] = next()
				}
				want := slices.Sorted(slices.Values(keys))
				got := Sort(keys, make([]uint64, n))
				if !slices.Equal(got, want) {
					t.Fatal("not sorted")
				}
				for _, parts := range []int{1, 2, 7} {
					if across := SortAcross(slices.Clone(keys), make([]uint64, n), 0, Across{Parts: parts, Parallel: inTurn}); !slices.Equal(across, want) {
						t.Fatal("not sorted by several")
					}
					var stretches [][]uint64
					within := Across{Parts: parts, Parallel: inTurn, Sorted: func(stretch []uint64) {
						if len(stretch) > 0 {
							stretches = append(stretches, slices.Clone(stretch))
						}
					}}
					if n > 0 {
						within.Within = &Span{want[0] / 2, want[n-1] | want[n-1]>>1}
					}
					if across := SortAcross(slices.Clone(keys), make([]uint64, n), 0, within); !slices.Equal(across, want) {
						t.Fatal("not sorted by several within bounds")
					}
					slices.SortFunc(stretches, func(a, b []uint64) int { return cmp.Compare(a[0], b[0]) })
					if !slices.Equal(slices.Concat(stretches...), want) {
						t.Fatal("not told of")
					}
				}
				got = slices.Clone(got)
				for i, k := range got {
					got[i] = k<<32 | k>>32
				}
				want = slices.Sorted(slices.Values(got))
				if across := SortAcross(slices.Clone(got), make([]uint64, n), 32, Across{Parts: 3, Parallel: inTurn}); !slices.Equal(across, want) {
					t.Fatal("not sorted by several the other way")
				}
				if got = SortUpper(got, make([]uint64, n), 32); !slices.Equal(got, want) {
					t.Fatal("not sorted the other way")
				}
			})
		}
	}
}

// TestStretchesHoldAllThatAreAlike, however few of the upper bits differ, and however far one is from the others.
func TestStretchesHoldAllThatAreAlike(t *testing.T) {
	t.Parallel()
	const n, lower = 300_000, 20
	r := rand.New(rand.NewPCG(5, 6))
	for name, upper := range map[string]func(i int) uint64{
		"two":              func(i int) uint64 { return r.Uint64N(2) },
		"few, one is far":  func(i int) uint64 { return uint64(min(i, 1))<<42 + r.Uint64N(5)*uint64(min(i, 1)) },
		"many, one is far": func(i int) uint64 { return uint64(min(i, 1))<<42 + r.Uint64N(3000)*uint64(min(i, 1)) },
		"one":              func(i int) uint64 { return 9 },
	} {
		keys := make([]uint64, n)
		for i := range keys {
			keys[(i+n/3)%n] = upper(i)<<lower | uint64((i+n/3)%n)
		}
		want := slices.Sorted(slices.Values(keys))
		var stretches [][]uint64
		by := Across{Parts: 7, Parallel: inTurn, Sorted: func(stretch []uint64) {
			if len(stretch) > 0 {
				stretches = append(stretches, slices.Clone(stretch))
			}
		}}
		if got := SortAcross(keys, make([]uint64, n), lower, by); !slices.Equal(got, want) {
			t.Errorf("%s: not sorted", name)
		}
		slices.SortFunc(stretches, func(a, b []uint64) int { return cmp.Compare(a[0], b[0]) })
		for i := 1; i < len(stretches); i++ {
			if last := stretches[i-1]; last[len(last)-1]>>lower == stretches[i][0]>>lower {
				t.Errorf("%s: keys that are alike are in two of %d stretches", name, len(stretches))
				break
			}
		}
	}
}

func inTurn(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}
