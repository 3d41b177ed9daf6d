package live

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestFatesAreThoseOfAMap compares the table with a map, over several fillings of its memory.
func TestFatesAreThoseOfAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &fates{}
		for range rapid.IntRange(1, 3).Draw(t, "fillings") {
			want := map[pcsr.Edge]fate{}
			vertex := rapid.Uint32Range(0, rapid.SampledFrom([]uint32{3, 20}).Draw(t, "vertices"))
			for range rapid.IntRange(0, 500).Draw(t, "changes") {
				e := pcsr.Edge{From: vertex.Draw(t, "from"), Label: vertex.Draw(t, "label"), To: vertex.Draw(t, "to")}
				gone := rapid.Bool().Draw(t, "gone")
				f, known := want[e]
				if !known {
					f.firstGone = gone
				}
				f.lastGone = gone
				want[e] = f
				if first := table.note(e, gone); first == known {
					t.Fatalf("%v: first is %v", e, first)
				}
			}
			if got := maps.Collect(table.all()); !maps.Equal(got, want) || table.edges != len(want) {
				t.Fatalf("%v, %d edges; want %v", got, table.edges, want)
			}
			for e, f := range want {
				if got, known := table.of(e); !known || got != f {
					t.Fatalf("%v: %v, %v; want %v", e, got, known, f)
				}
			}
			if _, known := table.of(pcsr.Edge{From: 1000}); known {
				t.Fatal("an edge that was never changed is known")
			}
			table.clear()
		}
	})
}
