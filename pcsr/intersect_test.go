package pcsr

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawList(t *rapid.T, name string) []Vertex {
	limit := rapid.SampledFrom([]uint32{10, 1000, 1 << 31}).Draw(t, name+" below")
	n := rapid.SampledFrom([]int{0, 1, 3, 20, 400}).Draw(t, name+" up to")
	list := rapid.SliceOfN(rapid.Uint32Max(limit), 0, n).Draw(t, name)
	if rapid.Bool().Draw(t, name+" has a run") {
		first, gap := rapid.Uint32Max(limit).Draw(t, name+" from"), rapid.Uint32Range(2, 200).Draw(t, name+" gap")
		for v := first; v < first+uint32(n); v++ {
			if v%gap != 0 {
				list = append(list, v)
			}
		}
	}
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
		second := slices.Clone(b)
		if got := Intersect(second[:0], a, second); !slices.Equal(got, want) {
			t.Fatalf("intersection in the place of the second %v, want %v", got, want)
		}
		if got := Intersect(a[:0], a, b); !slices.Equal(got, want) {
			t.Fatalf("intersection in place %v, want %v", got, want)
		}
	})
}

// BenchmarkIntersectOfAClass intersects a list with the members of a class, of which one in a thousand is missing.
func BenchmarkIntersectOfAClass(b *testing.B) {
	var class []Vertex
	for v := Vertex(5000); v < 25_000; v++ {
		if v%1000 != 7 {
			class = append(class, v)
		}
	}
	for _, every := range []Vertex{5, 20, 200} {
		var list []Vertex
		for v := Vertex(0); v < 30_000; v += every {
			list = append(list, v)
		}
		b.Run(fmt.Sprintf("one in %d", every), func(b *testing.B) {
			var dst []Vertex
			for range b.N {
				dst = Intersect(dst[:0], list, class)
			}
		})
	}
}
