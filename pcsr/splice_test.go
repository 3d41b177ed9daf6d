package pcsr

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rowLists is a partition as a map.
type rowLists map[Vertex][]Vertex

func drawRowLists(t *rapid.T, vertices int) rowLists {
	rows := rowLists{}
	low := rapid.IntRange(0, vertices-1).Draw(t, "low")
	pick := rapid.IntRange(low, vertices-1)
	for range rapid.IntRange(0, 100).Draw(t, "rows") {
		v := Vertex(pick.Draw(t, "row"))
		for range rapid.IntRange(1, 4).Draw(t, "neighbours") {
			rows[v] = append(rows[v], Vertex(rapid.IntRange(0, vertices-1).Draw(t, "neighbour")))
		}
		rows[v] = ascending(rows[v])
	}
	return rows
}

func ascending(list []Vertex) []Vertex {
	slices.Sort(list)
	return slices.Compact(list)
}

// partition returns the rows in a layer that they can have; where whole is false, rows may have no neighbours.
func (r rowLists) partition(t *rapid.T, whole bool) *Partition {
	var neighbours []Vertex
	vertices, offsets := sorted(r), []uint32{0}
	for _, v := range vertices {
		neighbours = append(neighbours, r[v]...)
		offsets = append(offsets, uint32(len(neighbours)))
	}
	if len(vertices) == 0 {
		return &emptyPartition
	}
	if !whole {
		return &Partition{layer: List, base: vertices[0], rows: uint32(len(vertices)), vertices: vertices, offsets: offsets, neighbours: neighbours}
	}
	layer := rapid.SampledFrom([]Layer{chooseLayer(vertices), List, Bitmap, Hash}).Draw(t, "layer")
	return newPartition(layer, vertices, offsets, neighbours)
}

// TestSpliceAgreesWithMaps unites partitions in chunks of a few edges each.
func TestSpliceAgreesWithMaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vertices := rapid.SampledFrom([]int{8, 100, 3000}).Draw(t, "vertices")
		large, small := drawRowLists(t, vertices), drawRowLists(t, vertices)
		over := rapid.Bool().Draw(t, "overwrite") && len(large) > 0
		for _, v := range sorted(large) {
			if over && rapid.IntRange(0, 3).Draw(t, "gone") == 0 {
				small[v] = nil
			}
		}
		want := maps.Clone(large)
		for v, list := range small {
			switch {
			case !over:
				want[v] = ascending(slices.Concat(large[v], list))
			case len(list) == 0:
				delete(want, v)
			default:
				want[v] = list
			}
		}
		s := splice{large: large.partition(t, true), small: small.partition(t, !over), overwrite: over, chunkEdges: rapid.IntRange(1, 9).Draw(t, "edges of a chunk")}
		union := s.run()
		if err := union.verify(vertices, vertices); err != nil {
			t.Fatal(err)
		}
		if got := rowLists(maps.Collect(union.Lists())); !maps.EqualFunc(got, want, slices.Equal[[]Vertex]) {
			t.Fatalf("%d chunks: %v, expected %v", len(s.chunks), got, want)
		}
	})
}
