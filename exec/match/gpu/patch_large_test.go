package gpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// largeVertices is the size of the ID space of largeEdge's edges.
const largeVertices = 1 << 20

// largeEdge draws an edge of one of four labels, whose rows have different layers: all vertices up to 20,000, most of them, one of 150,
// and few.
func largeEdge(r *rand.Rand) pcsr.Edge {
	e := pcsr.Edge{Label: r.Uint32N(4)}
	switch e.Label {
	case 0:
		e.From, e.To = r.Uint32N(20_000), r.Uint32N(20_000)
	case 1:
		e.From, e.To = 100+3*r.Uint32N(10_000), 5+r.Uint32N(8)*r.Uint32N(8) // into hubs
	case 2:
		e.From, e.To = 150*r.Uint32N(6_000), 150*r.Uint32N(6_000)
	default:
		e.From, e.To = 30_000*r.Uint32N(20), r.Uint32N(largeVertices)
	}
	return e
}

// largeGraph has every vertex up to 20,000 as a row of label 0, in both directions.
func largeGraph(t testing.TB, r *rand.Rand) (*pcsr.Graph, []pcsr.Edge) {
	var edges []pcsr.Edge
	for v := range uint32(20_000) {
		edges = append(edges, pcsr.Edge{From: v, To: v})
	}
	for range 120_000 {
		edges = append(edges, largeEdge(r))
	}
	g, err := pcsr.Build(largeVertices, 4, edges, pcsr.WithTypeLabel(1))
	if err != nil {
		t.Fatal(err)
	}
	return g, edges
}

// largeChange draws edges to be added and removed: single ones, those of whole rows, and at either end.
func largeChange(r *rand.Rand, edges []pcsr.Edge) (added, removed []pcsr.Edge) {
	for range 1 + r.IntN(800) {
		added = append(added, largeEdge(r))
		removed = append(removed, edges[r.IntN(len(edges))])
	}
	gone, low, high := pcsr.Vertex(150*r.Uint32N(6_000)), r.Uint32N(50), 20_000-r.Uint32N(50)
	for _, e := range edges {
		if e.From == gone || e.To == gone || r.IntN(2) == 0 && e.Label == 0 && (e.From < low || e.From >= high) {
			removed = append(removed, e)
		}
	}
	return added, removed
}

// checkLargePatches compares partitions of many tiles and of all layers.
func checkLargePatches(t *testing.T, driver func() kernels.Driver, rounds int) {
	layers := map[pcsr.Layer]int{}
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 13))
		g, edges := largeGraph(t, r)
		d := open(t, Options{Driver: driver()})
		for range rounds {
			added, removed := largeChange(r, edges)
			g = g.Change(largeVertices, added, removed)
			edges = append(edges, added...)
			if compareAll(t, d, g, layers); r.IntN(3) == 0 {
				g = g.Adopt(g.Settle())
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range []pcsr.Layer{pcsr.Range, pcsr.Bitmap, pcsr.Hash, pcsr.List} {
		if layers[l] == 0 {
			t.Errorf("no partition had the layer %v: %v", l, layers)
		}
	}
}

func compareAll(t *testing.T, d *Device, g *pcsr.Graph, layers map[pcsr.Layer]int) {
	leave, err := d.driver.Enter()
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	r, err := d.read(g)
	if err != nil {
		t.Fatal(err)
	}
	for at := range 2*len(r.labels) + 4 {
		p := r.part(at)
		e, err := r.load(context.Background(), at, at%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		if p.Layer() == pcsr.Patched {
			layers[pcsr.Layer(e.Layer)]++
		}
		if err := sameArrays(t, d, e, p); err != nil {
			t.Fatalf("partition %d: %.300v", at, err)
		}
	}
	if err := r.end(); err != nil {
		t.Fatal(err)
	}
}

func TestPatchesOfManyTiles(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have as many goroutines")
	}
	t.Parallel()
	checkLargePatches(t, func() kernels.Driver { return kernels.Emulate(1 << 30) }, 2)
}

func TestDevicePatchesOfManyTiles(t *testing.T) {
	gpu := driver(t)
	checkLargePatches(t, func() kernels.Driver { return gpu }, 6)
}

// TestPatchesOfOnePartitionForBothDirections: what a large change makes of an undirected label is one partition, which later changes patch in
// each direction apart.
func TestPatchesOfOnePartitionForBothDirections(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 13))
	both := func(n int) (edges []pcsr.Edge) {
		for range n {
			v, w := r.Uint32N(20_000), r.Uint32N(20_000)
			edges = append(edges, pcsr.Edge{From: v, To: w}, pcsr.Edge{From: w, To: v})
		}
		return edges
	}
	first := both(20_000)
	g, err := pcsr.Build(20_000, 1, first)
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, Options{})
	for i, c := range []struct{ added, removed []pcsr.Edge }{
		{both(2_000), first[:800]}, {both(3), []pcsr.Edge{first[1_000]}}, {[]pcsr.Edge{{From: 7, To: 19_999}}, first[1_002:1_009]}, {first, nil},
	} {
		g = g.Change(0, c.added, c.removed)
		if one := g.Partition(0, pcsr.Out) == g.Partition(0, pcsr.In); one != (i == 0) {
			t.Errorf("after change %d, both directions are one: %v", i, one)
		}
		compareAll(t, d, g, map[pcsr.Layer]int{})
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
