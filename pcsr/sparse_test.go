package pcsr

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSparseGraphAgreesWithDense spreads a small graph over an ID space of two billion vertices and labels, which no
// array has room for, and compares every answer with those of the small one.
func TestSparseGraphAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const space = 1 << 31
		vertices, labels, edges := drawEdges(t)
		step := uint32(space / vertices)
		far := func(v uint32) uint32 { return v*step + v%7 }
		spread := make([]Edge, len(edges))
		for i, e := range edges {
			spread[i] = Edge{far(e.From), far(e.Label), far(e.To)}
		}
		dense, err := Build(vertices, labels, edges, WithTypeLabel(0))
		if err != nil {
			t.Fatal(err)
		}
		sparse, err := Build(space, space, spread, WithTypeLabel(0))
		if err != nil {
			t.Fatal(err)
		}
		if err := sparse.Verify(); err != nil {
			t.Fatal(err)
		}
		written, err := read(written(t, space, space, spread, WithTypeLabel(0)))
		if err != nil {
			t.Fatal(err)
		}
		if n := written.Bytes(); n > 100*len(edges)+10_000 {
			t.Fatalf("%d bytes for %d edges", n, len(edges))
		}
		spreadList := func(list []uint32) []uint32 {
			list = slices.Clone(list)
			for i := range list {
				list[i] = far(list[i])
			}
			return list
		}
		for _, g := range []*Graph{sparse, written} {
			for v := range Vertex(vertices) {
				for _, d := range []Direction{Out, In} {
					if got, want := g.EdgeLabels(far(v), d), spreadList(dense.EdgeLabels(v, d)); !slices.Equal(got, want) {
						t.Fatalf("edge labels of %d %v: %v, want %v", v, d, got, want)
					}
					for _, l := range dense.EdgeLabels(v, d) {
						got, want := g.Partition(far(l), d).Neighbours(far(v)), spreadList(dense.Partition(l, d).Neighbours(v))
						if !slices.Equal(got, want) {
							t.Fatalf("neighbours of %d by %d %v: %v, want %v", v, l, d, got, want)
						}
					}
				}
			}
			if got, want := g.signatures.classAt, dense.signatures.classAt; !slices.Equal(got, want) {
				t.Fatalf("entries of the classes begin at %v, want %v", got, want)
			}
			for i := 0; i < len(dense.signatures.classSides); i += classWords {
				if got, want := g.signatures.classSides[i], dense.signatures.classSides[i]; got != want {
					t.Fatalf("entry %d has side %d, want %d", i/classWords, got, want)
				}
			}
		}
	})
}
