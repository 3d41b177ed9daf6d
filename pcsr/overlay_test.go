package pcsr

import (
	"testing"

	"pgregory.net/rapid"
)

// drawSplit draws edges and 1 to 4 graphs that have them, each edge one, over ID spaces that grow: in the later ones every vertex
// may be a label.
func drawSplit(t *rapid.T) (vertices int, edges []Edge, graphs []*Graph) {
	vertices, labels, edges := drawEdges(t)
	n := rapid.IntRange(1, 4).Draw(t, "graphs")
	seen := map[Edge]bool{}
	split := make([][]Edge, n)
	for i, e := range edges {
		if rapid.IntRange(0, 9).Draw(t, "late label") == 0 {
			e.Label = Label(rapid.IntRange(0, vertices-1).Draw(t, "label"))
		}
		part := rapid.IntRange(0, n-1).Draw(t, "graph")
		if int(e.Label) >= labels {
			if n == 1 {
				e.Label %= Label(labels)
			}
			part = max(part, min(n-1, 1))
		}
		edges[i] = e
		if !seen[e] {
			seen[e] = true
			split[part] = append(split[part], e)
		}
	}
	for i, some := range split {
		names := vertices
		if i == 0 {
			names = labels
		}
		g, err := Build(vertices, names, some, WithTypeLabel(0))
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	return vertices, edges, graphs
}

func TestOverlayAgreesWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, edges, graphs := drawSplit(t)
		grown := vertices + rapid.IntRange(0, 10).Draw(t, "more")
		union := Overlay(grown, graphs...)
		labels := vertices
		if len(graphs) == 1 {
			labels = graphs[0].Labels()
		}
		if err := newModel(grown, labels, edges).check(union); err != nil {
			t.Fatal(err)
		}
		if err := union.Verify(); err != nil {
			t.Fatal(err)
		}
		if err := union.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
