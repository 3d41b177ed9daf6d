package pcsr

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawList(t *rapid.T, name string) []Vertex {
	limit := rapid.SampledFrom([]uint32{10, 1000, 1 << 31}).Draw(t, name+" below")
	n := rapid.SampledFrom([]int{0, 1, 3, 20, 400}).Draw(t, name+" up to")
	list := rapid.SliceOfN(rapid.Uint32Max(limit), 0, n).Draw(t, name)
	slices.Sort(list)
	return slices.Compact(list)
}

func TestSetOperationsAgreeWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawList(t, "a"), drawList(t, "b")
		inB := map[Vertex]bool{}
		for _, v := range b {
			inB[v] = true
		}
		want := []Vertex{}
		for _, v := range a {
			if inB[v] {
				want = append(want, v)
			}
			if Contains(b, v) != inB[v] {
				t.Fatalf("contains %d: %v", v, !inB[v])
			}
			below := 0
			for below < len(b) && b[below] < v {
				below++
			}
			if got := Gallop(b, v); got != below {
				t.Fatalf("gallop to %d: %d, want %d", v, got, below)
			}
			if got := Between(b, v, 0); !slices.Equal(got, b[below:]) {
				t.Fatalf("from %d: %v", v, got)
			}
			if got := Between(b, 0, v); v > 0 && !slices.Equal(got, b[:below]) {
				t.Fatalf("below %d: %v", v, got)
			}
		}
		if got := Intersect(nil, a, b); !slices.Equal(got, want) {
			t.Fatalf("intersection %v, want %v", got, want)
		}
		if got := Intersect(a[:0], a, b); !slices.Equal(got, want) {
			t.Fatalf("intersection in place %v, want %v", got, want)
		}
	})
}
