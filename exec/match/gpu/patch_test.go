package gpu

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"pgregory.net/rapid"
)

// download fetches an array.
func download(t rapid.TB, d *Device, at kernels.Address, words uint32) []uint32 {
	if at == 0 {
		return nil
	}
	data := make([]uint32, words)
	stream := d.partitions.stream
	if err := stream.Download(kernels.Bytes(data), at); err != nil {
		t.Fatal(err)
	}
	if err := stream.Synchronize(); err != nil {
		t.Fatal(err)
	}
	return data
}

// sameArrays compares a partition on the device with the one in memory. A hash may have its entries in another order: those are
// counted, and every row is looked up by the twin of the kernels' search.
func sameArrays(t rapid.TB, d *Device, e kernels.Partition, p *pcsr.Partition) error {
	a := p.Arrays()
	if e.Rows != a.Rows || e.Edges != a.Edges || e.Rows > 0 && (e.Layer != kernels.Layer(a.Layer) || e.Base != a.Base || int(e.Words) != len(a.Index)) {
		return fmt.Errorf("%+v, want layer %v, base %d, %d rows, %d edges, %d words", e, a.Layer, a.Base, a.Rows, a.Edges, len(a.Index))
	}
	if got := download(t, d, e.Neighbours, e.Edges); !slices.Equal(got, a.Neighbours) {
		return fmt.Errorf("neighbours %v, want %v", got, a.Neighbours)
	}
	if got := download(t, d, e.Offsets, e.Rows+1); !slices.Equal(got, a.Offsets) {
		return fmt.Errorf("offsets %v, want %v", got, a.Offsets)
	}
	vertices := p.AppendVertices(nil, 0, p.Rows())
	if e.Vertices != 0 {
		if got := download(t, d, e.Vertices, e.Rows); !slices.Equal(got, vertices) {
			return fmt.Errorf("row vertices %v, want %v", got, vertices)
		}
	}
	index := download(t, d, e.Index, e.Words)
	if a.Layer == pcsr.Hash {
		return sameHash(index, vertices, e.Probes)
	}
	if !slices.Equal(index, a.Index) {
		return fmt.Errorf("index %v, want %v", index, a.Index)
	}
	return nil
}

// sameHash looks every row up (docs/STORE.md).
func sameHash(index []uint32, vertices []pcsr.Vertex, probes uint32) error {
	buckets, used := uint32(len(index)/8), 0
	for b := range buckets {
		for i := range uint32(4) {
			if index[8*b+i] != kernels.None {
				used++
			} else if i < 3 && index[8*b+i+1] != kernels.None {
				return fmt.Errorf("bucket %d has a gap: %v", b, index[8*b:8*b+8])
			}
		}
	}
	if used != len(vertices) {
		return fmt.Errorf("%d entries, want %d", used, len(vertices))
	}
	for row, v := range vertices {
		b := uint32(uint64(v*0x9E3779B1) * uint64(buckets) >> 32)
		found := false
		for range probes {
			bucket := index[8*b:][:8]
			if i := slices.Index(bucket[:4], v); i >= 0 && bucket[4+i] == uint32(row) {
				found = true
				break
			}
			if bucket[3] == kernels.None {
				break
			}
			b = (b + 1) % buckets
		}
		if !found {
			return fmt.Errorf("row %d of vertex %d is not found within %d probes", row, v, probes)
		}
	}
	return nil
}

// world is a graph that is changed, with vertices far apart or close together so that all row layers come up.
type world struct {
	graph           *pcsr.Graph
	edges           map[pcsr.Edge]bool
	vertices, apart int
}

func drawWorld(t *rapid.T) *world {
	w := &world{
		vertices: rapid.SampledFrom([]int{3, 40, 700}).Draw(t, "vertices"), apart: rapid.SampledFrom([]int{1, 1, 3, 150}).Draw(t, "apart"),
		edges: map[pcsr.Edge]bool{},
	}
	added, _ := w.draw(t, rapid.SampledFrom([]int{0, 5, 300}).Draw(t, "edges"))
	for _, e := range added {
		w.edges[e] = true
	}
	var err error
	if w.graph, err = pcsr.Build(w.size(), 3, added, pcsr.WithTypeLabel(2)); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) size() int { return w.vertices*w.apart + 3 }

// draw draws edges to be added, some of a hub, and to be removed: single ones, rows, and all that begins low or ends high.
func (w *world) draw(t *rapid.T, most int) (added, removed []pcsr.Edge) {
	vertex := rapid.Custom(func(t *rapid.T) pcsr.Vertex {
		return pcsr.Vertex(rapid.IntRange(0, w.vertices-1).Draw(t, "v") * w.apart)
	})
	hub := vertex.Draw(t, "hub")
	for i := range rapid.IntRange(0, most).Draw(t, "added") {
		e := pcsr.Edge{From: vertex.Draw(t, "from"), Label: pcsr.Label(i % 3), To: vertex.Draw(t, "to")}
		if i%4 == 0 {
			e.To = hub
		}
		added = append(added, e)
	}
	low, high := vertex.Draw(t, "low")/4, pcsr.Vertex(w.size())-vertex.Draw(t, "high")/4
	share := rapid.SampledFrom([]uint32{0, 0, 1, 3, 100}).Draw(t, "share")
	for e := range w.edges {
		if share > 0 && (e.From*7+e.To*3)%100 < share || share == 3 && (e.From < low || e.From > high) {
			removed = append(removed, e)
		}
	}
	slices.SortFunc(removed, func(a, b pcsr.Edge) int {
		return int(int64(a.From)<<20+int64(a.To)<<2+int64(a.Label)) - int(int64(b.From)<<20+int64(b.To)<<2+int64(b.Label))
	})
	return added, removed
}

// change changes the world.
func (w *world) change(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "grow") == 0 {
		w.vertices += rapid.IntRange(1, 100).Draw(t, "by")
	}
	added, removed := w.draw(t, 40)
	for _, e := range removed {
		delete(w.edges, e)
	}
	for _, e := range added {
		w.edges[e] = true
	}
	settled := w.graph.Settle()
	w.graph = w.graph.Change(w.size(), added, removed).Adopt(settled)
}

// checkPatches changes a graph and compares all that is made of it on the device after each change, whatever states were there.
func checkPatches(t *rapid.T, d *Device) {
	leave, err := d.driver.Enter() // the calls below are the matcher's own, on its thread
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	w := drawWorld(t)
	graphs := []*pcsr.Graph{w.graph}
	for range rapid.IntRange(1, 5).Draw(t, "changes") {
		w.change(t)
		graphs = append(graphs, w.graph)
		g := graphs[len(graphs)-1-rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "back")]
		r, err := d.read(g)
		if err != nil {
			t.Fatal(err)
		}
		lists := rapid.Bool().Draw(t, "lists")
		for at := range 2*len(r.labels) + 4 {
			if rapid.IntRange(0, 4).Draw(t, "left out") == 0 {
				continue
			}
			e, err := r.load(context.Background(), at, lists)
			if err != nil {
				t.Fatal(err)
			}
			p := r.part(at)
			if err := sameArrays(t, d, e, p); err != nil {
				t.Fatalf("partition %d: %v", at, err)
			}
			if lists && e.Layer != kernels.LayerRange && e.Vertices == 0 {
				t.Fatalf("partition %d has no list of row vertices", at)
			}
		}
		if err := r.end(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Forget(graphs...); err != nil {
		t.Fatal(err)
	}
	if info, err := d.Info(); err != nil || info.Partitions != 0 || info.GraphBytes != 0 {
		t.Fatalf("%+v is left, error %v", info, err)
	}
}

func TestPatchesAreWhatTheGraphHas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := open(t, Options{Memory: int64(rapid.SampledFrom([]int{1 << 20, 64 << 20}).Draw(rt, "memory"))})
		checkPatches(rt, d)
		if err := d.Close(); err != nil || d.memory.inUse() != 0 {
			rt.Fatalf("%d bytes are left after Close, error %v", d.memory.inUse(), err)
		}
	})
}

func TestDevicePatchesAreWhatTheGraphHas(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := open(t, Options{Driver: gpu, Memory: 64 << 20})
		checkPatches(rt, d)
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}
