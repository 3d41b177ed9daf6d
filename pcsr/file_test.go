package pcsr

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// writeEdges writes edges through a Writer, in several Appends, the labels in descending order.
func writeEdges(w *Writer, labels int, edges []Edge) error {
	var some []int // those in use and some that are not
	for l := range min(labels, 100) {
		some = append(some, l)
	}
	for _, e := range edges {
		some = append(some, int(e.Label))
	}
	slices.Sort(some)
	some = slices.Compact(some)
	slices.Reverse(some)
	for _, l := range some {
		for _, d := range []Direction{In, Out} {
			var keys []uint64
			for _, e := range edges {
				if e.Label == Label(l) && d == Out {
					keys = append(keys, edgeKey(e.From, e.To))
				} else if e.Label == Label(l) {
					keys = append(keys, edgeKey(e.To, e.From))
				}
			}
			slices.Sort(keys)
			keys = slices.Compact(keys)
			half := len(keys) / 2
			if err := errors.Join(w.Partition(Label(l), d), w.Append(keys[:half]), w.Append(keys[half:])); err != nil {
				return err
			}
		}
	}
	return w.Finish()
}

// written is the graph file of edges, in memory.
func written(t interface{ Fatal(...any) }, vertices, labels int, edges []Edge, options ...Option) *section.File {
	s := newSettings(options)
	g, err := newGraph(vertices, labels, s)
	if err != nil {
		t.Fatal(err)
	}
	file := section.NewMemory(fileKind, fileVersion)
	if err := writeEdges(newWriter(g, s, file, ""), labels, edges); err != nil {
		t.Fatal(err)
	}
	f, err := file.File()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFileAgreesWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, labels, edges := drawEdges(t)
		options := []Option{WithTypeLabel(0)}
		if layer := Layer(rapid.IntRange(0, int(layers)).Draw(t, "layer")); layer < layers {
			options = append(options, WithLayer(layer))
		}
		g, err := read(written(t, vertices, labels, edges, options...))
		if err != nil {
			t.Fatal(err)
		}
		if err := newModel(vertices, labels, edges).check(g); err != nil {
			t.Fatal(err)
		}
		if l, ok := g.TypeLabel(); l != 0 || !ok {
			t.Fatal("the type label is lost")
		}
		if err := g.Verify(); err != nil {
			t.Fatal(err)
		}
	})
}

func sampleEdges() (vertices, labels int, edges []Edge) {
	vertices, labels = 3000, 4
	for i := range Vertex(1000) {
		edges = append(edges, Edge{i, 0, 10 + i%7}, Edge{i, 1, 1000 + i}, Edge{i * 3, 2, i}, Edge{i % 50, 3, i * i % 3000})
	}
	return vertices, labels, edges
}

func TestWriterOnDisk(t *testing.T) {
	t.Parallel()
	vertices, labels, edges := sampleEdges()
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.pcsr")
	w, err := Create(path, vertices, labels, WithTypeLabel(0))
	if err != nil {
		t.Fatal(err)
	}
	w.vertices.most, w.offsets.most = 64, 64
	if err := writeEdges(w, labels, edges); err != nil {
		t.Fatal(err)
	}
	g, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmp.Or(newModel(vertices, labels, edges).check(g), g.Verify(), g.Close()); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Fatalf("files are left behind: %v", files)
	}
}

func TestWriterRefuses(t *testing.T) {
	for name, write := range map[string]func(w *Writer) error{
		"edges without a partition":  func(w *Writer) error { return w.Append([]uint64{1}) },
		"edges out of order":         func(w *Writer) error { w.Partition(0, Out); return w.Append([]uint64{2, 1}) },
		"an edge twice":              func(w *Writer) error { w.Partition(0, Out); return w.Append([]uint64{1, 1}) },
		"a vertex that is not there": func(w *Writer) error { w.Partition(0, Out); return w.Append([]uint64{10}) },
		"a label that is not there":  func(w *Writer) error { return w.Partition(2, Out) },
		"one direction alone":        func(w *Writer) error { w.Partition(0, Out); w.Append([]uint64{1}); return w.Finish() },
		"a partition twice":          func(w *Writer) error { twice(w, Out, Out, 1, 1); return w.Finish() },
		"other edges out than in":    func(w *Writer) error { twice(w, Out, In, 1, 1); return w.Finish() },
	} {
		dir := t.TempDir()
		w, err := Create(filepath.Join(dir, "graph.pcsr"), 10, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(w); err == nil {
			t.Errorf("%s: no error", name)
		}
		if w.Finish() == nil {
			t.Errorf("%s: the error is forgotten", name)
		}
		if files, _ := os.ReadDir(dir); len(files) != 0 {
			t.Errorf("%s: files are left behind: %v", name, files)
		}
	}
}

func twice(w *Writer, first, second Direction, a, b uint64) {
	w.Partition(0, first)
	w.Append([]uint64{a})
	w.Partition(0, second)
	w.Append([]uint64{b})
}
