package pcsr

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSubtractLeavesWhatTheOtherListDoesNotHave(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := func(name string) []Vertex {
			limit := rapid.SampledFrom([]uint32{5, 40, 3000}).Draw(t, "below")
			l := rapid.SliceOfNDistinct(rapid.Uint32Range(0, limit), 0, min(int(limit), 200), rapid.ID[uint32]).Draw(t, name)
			slices.Sort(l)
			return l
		}
		a, b := list("a"), list("b")
		want := []Vertex{7}
		for _, v := range a {
			if !slices.Contains(b, v) {
				want = append(want, v)
			}
		}
		if got := Subtract([]Vertex{7}, a, b); !slices.Equal(got, want) {
			t.Fatalf("%v without %v is %v, want %v", a, b, got[1:], want[1:])
		}
		if got := Subtract(a[:0], a, b); !slices.Equal(got, want[1:]) {
			t.Fatalf("in its own place it is %v, want %v", got, want[1:])
		}
	})
}
