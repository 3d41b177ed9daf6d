package path

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestAListIsReadAsTheGraphMadeOfIt: the neighbours of vertices, their labels, and the vertices.
func TestAListIsReadAsTheGraphMadeOfIt(t *testing.T) {
	const vertices, labels = 9, 4
	over := NewSearch(&pcsr.Graph{})
	rapid.Check(t, func(t *rapid.T) {
		vertex := rapid.Uint32Range(0, vertices-1)
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pcsr.Edge {
			return pcsr.Edge{From: vertex.Draw(t, "from"), Label: rapid.Uint32Range(0, labels-1).Draw(t, "label"), To: vertex.Draw(t, "to")}
		}), 0, 30).Draw(t, "edges")
		slices.SortFunc(edges, func(a, b pcsr.Edge) int {
			return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
		edges = slices.Compact(edges)
		g, err := pcsr.Build(vertices, labels, edges)
		if err != nil {
			t.Fatal(err)
		}
		of := NewSearch(g)
		over.Over(edges)
		type found struct {
			label pcsr.Label
			list  []pcsr.Vertex
		}
		each := func(s *Search, v pcsr.Vertex, d pcsr.Direction) (all []found) {
			_ = s.eachLabel(v, d, func(l pcsr.Label, list []pcsr.Vertex) error {
				all = append(all, found{l, slices.Clone(list)})
				return nil
			})
			return all
		}
		same := func(a, b found) bool { return a.label == b.label && slices.Equal(a.list, b.list) }
		for v := range pcsr.Vertex(vertices) {
			for _, d := range []pcsr.Direction{pcsr.Out, pcsr.In} {
				for l := range pcsr.Label(labels) {
					if got, want := over.neighbours(l, v, d), of.neighbours(l, v, d); !slices.Equal(got, want) {
						t.Fatalf("from %d by %d: %v, not %v", v, l, got, want)
					}
				}
				if got, want := each(over, v, d), each(of, v, d); !slices.EqualFunc(got, want, same) {
					t.Fatalf("from %d: %v, not %v", v, got, want)
				}
			}
			if slices.Contains(over.list.nodes, v) != of.IsNode(v) {
				t.Fatalf("vertex %d: %v", v, over.list.nodes)
			}
		}
	})
}
