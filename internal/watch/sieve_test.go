package watch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestManyEdgesAreSifted: of so many edges and vertices that several goroutines look at them, those pass whose ends have the classes that are needed,
// in their order. With few classes vertices are encoded by the members of these, with few edges by the classes of their ends.
func TestManyEdgesAreSifted(t *testing.T) {
	for _, c := range []struct {
		name           string
		classes, edges int
		each           float64 // how many classes a vertex has
	}{
		{"some classes", 5, 100_000, 1.5}, {"more sets of classes than have numbers", 9, 100_000, 4}, {"few edges", 5, 200, 1.5}, {"no class", 0, 50_000, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			const vertices, label, typeLabel = 5 * siftedEdges, 0, 1
			random := rand.New(rand.NewPCG(7, 9))
			has := make([]uint64, vertices)
			var all []pcsr.Edge
			for v := range has {
				for class := range c.classes {
					if random.Float64() < c.each/float64(c.classes) {
						has[v] |= 1 << class
						all = append(all, pcsr.Edge{From: pcsr.Vertex(v), Label: typeLabel, To: vertices - 1 - pcsr.Vertex(class)})
					}
				}
			}
			var edges []pcsr.Edge
			for range c.edges {
				edges = append(edges, pcsr.Edge{From: pcsr.Vertex(random.IntN(vertices)), Label: label, To: pcsr.Vertex(random.IntN(vertices))})
			}
			g, err := pcsr.Build(vertices, 2, append(all, edges...), pcsr.WithTypeLabel(typeLabel))
			if err != nil {
				t.Fatal(err)
			}
			var v sieve
			var wants [][2]uint64
			for range 6 {
				m, want := &mesh{}, [2]uint64{}
				for end := range want {
					for class := range c.classes {
						if random.IntN(c.classes) == 0 {
							want[end] |= 1 << class
							m.needs[end] = append(m.needs[end], vertices-1-dictionary.ID(class))
						}
					}
					slices.Sort(m.needs[end])
				}
				v.meshes, wants = append(v.meshes, m), append(wants, want)
			}
			v.sift(g, typeLabel, edges)
			for i, m := range v.meshes {
				var from, to []dictionary.ID
				for _, e := range edges {
					if wants[i][0]&^has[e.From]|wants[i][1]&^has[e.To] == 0 {
						from, to = append(from, e.From), append(to, e.To)
					}
				}
				if c.classes < 6 && !(slices.Equal(m.from, from) && slices.Equal(m.to, to)) {
					t.Errorf("%d edges pass that need %v, %d are right", len(m.from), m.needs, len(from))
				}
				passed := map[[2]dictionary.ID]bool{}
				for k := range m.from {
					passed[[2]dictionary.ID{m.from[k], m.to[k]}] = true
				}
				for k := range from { // of vertices whose sets have no number anything may pass
					if !passed[[2]dictionary.ID{from[k], to[k]}] {
						t.Fatalf("an edge that has %v does not pass", m.needs)
					}
				}
			}
		})
	}
}
