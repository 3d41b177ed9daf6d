package pcsr

import (
	"testing"

	"pgregory.net/rapid"
)

func TestMergeAgreesWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, labels, edges := drawEdges(t)
		n := rapid.IntRange(0, 4).Draw(t, "graphs")
		graphs := make([]*Graph, n)
		var all []Edge
		for i := range graphs {
			var some []Edge
			for _, e := range edges {
				if rapid.IntRange(0, 2).Draw(t, "take") == 0 {
					some = append(some, e)
				}
			}
			all = append(all, some...)
			g, err := Build(vertices, labels, some, WithTypeLabel(0))
			if err != nil {
				t.Fatal(err)
			}
			graphs[i] = g
		}
		if n == 0 {
			vertices, labels = 0, 0
		}
		merged := Merge(graphs...)
		if err := newModel(vertices, labels, all).check(merged); err != nil {
			t.Fatal(err)
		}
		if err := merged.Verify(); err != nil {
			t.Fatal(err)
		}
	})
}
