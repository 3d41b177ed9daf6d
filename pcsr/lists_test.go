package pcsr

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

const listedVertices, listedLabels = 40, 5

// drawLists draws the edges of some graphs, as they are listed.
func drawLists(t *rapid.T) (graphs [][]Edge) {
	for range rapid.IntRange(0, 20).Draw(t, "graphs") {
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
			vertex := rapid.Uint32Range(0, listedVertices-1)
			return Edge{vertex.Draw(t, "from"), rapid.Uint32Range(0, listedLabels-1).Draw(t, "label"), vertex.Draw(t, "to")}
		}), 1, 60).Draw(t, "edges")
		slices.SortFunc(edges, func(a, b Edge) int {
			return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
		graphs = append(graphs, slices.Compact(edges))
	}
	return graphs
}

// writeLists writes graphs and returns where each begins.
func writeLists(t interface{ Fatal(...any) }, path string, graphs [][]Edge) (first []uint64) {
	w, err := CreateLists(path, listedVertices, listedLabels, WithTypeLabel(2))
	if err != nil {
		t.Fatal(err)
	}
	for _, edges := range graphs {
		first = append(first, w.Next())
		for len(edges) > 0 {
			var keys []uint64
			label := edges[0].Label
			for ; len(edges) > 0 && edges[0].Label == label; edges = edges[1:] {
				keys = append(keys, edgeKey(edges[0].From, edges[0].To))
			}
			if err := w.Append(label, keys); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(graphs)%2 == 0 {
		if err := w.Index(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return first
}

// manyEdges are more edges than a list has.
func manyEdges() (edges []Edge) {
	for from := range Vertex(listedVertices) {
		for to := range Vertex(listedVertices) {
			edges = append(edges, Edge{from, 1, to})
		}
	}
	return edges
}

// meeting is Lists.Meeting by looking at all edges.
func meeting(graphs [][]Edge, v Vertex, d Direction) (places []uint64) {
	at := uint64(0)
	for _, edges := range graphs {
		for _, e := range edges {
			if d == Out && e.From == v || d == In && e.To == v {
				places = append(places, at)
			}
			at++
		}
	}
	return places
}

func TestListsAreTheGraphsThatWereWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	other, err := Build(listedVertices, listedLabels, []Edge{{1, 2, 3}})
	if err != nil || other.Listed() {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		graphs, path := drawLists(t), filepath.Join(folder, "lists")
		first := writeLists(t, path, graphs)
		l, err := OpenLists(path)
		if err != nil {
			t.Fatal(err)
		}
		all := 0
		for i, edges := range graphs {
			all += len(edges)
			if got := l.Edges(first[i], uint64(len(edges))); !slices.Equal(got, edges) {
				t.Fatalf("graph %d: %v, want %v", i, got, edges)
			}
			g, err := l.Graph(first[i], uint64(len(edges)))
			if err != nil {
				t.Fatal(err)
			}
			if err := newModel(listedVertices, listedLabels, edges).check(g); err != nil {
				t.Fatal(err)
			}
			grown := g.Change(listedVertices+3, nil, nil)
			much := g.Change(listedVertices, manyEdges(), nil)
			if !g.Listed() || !grown.Listed() || much.Listed() || !Overlay(listedVertices, Segment{Added: g}, Segment{Added: g, Removed: g}).Listed() || Overlay(listedVertices, Segment{Added: g}, Segment{Added: other}).Listed() {
				t.Fatal("it is not told which graphs are made of lists")
			}
			if label, ok := g.TypeLabel(); !ok || label != 2 {
				t.Fatalf("the type label is %d, %v", label, ok)
			}
		}
		for v := range Vertex(listedVertices + 1) {
			for _, d := range []Direction{Out, In} {
				if !l.Indexed() {
					break
				}
				if got, want := l.Meeting(nil, v, d), meeting(graphs, v, d); !slices.Equal(got, want) {
					t.Fatalf("vertex %d %v: %v, want %v", v, d, got, want)
				}
			}
		}
		if err := l.Verify(); err != nil || l.Len() != all {
			t.Fatalf("%d edges, want %d: %v", l.Len(), all, err)
		}
		if err := errors.Join(l.Close(), os.Remove(path)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestDamagedListsGiveErrors: what is read of lists of which bytes were changed is what was written, or the error names the file; reading all of them finds every change.
func TestDamagedListsGiveErrors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		graphs, path := drawLists(t), filepath.Join(folder, "lists")
		first := writeLists(t, path, graphs)
		bytes, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
			bytes = bytes[:rapid.IntRange(0, len(bytes)-1).Draw(t, "at")]
		} else {
			bytes[rapid.IntRange(0, len(bytes)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		}
		if err := os.WriteFile(path, bytes, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLists(path)
		if err == nil {
			for i, edges := range graphs {
				err = errors.Join(err, section.Guard(func() error {
					if got := l.Edges(first[i], uint64(len(edges))); !slices.Equal(got, edges) {
						return errors.New("wrong edges")
					}
					return nil
				}))
			}
			for v := range Vertex(listedVertices) {
				err = errors.Join(err, section.Guard(func() error {
					if l.Indexed() && !slices.Equal(l.Meeting(nil, v, Direction(v%2)), meeting(graphs, v, Direction(v%2))) {
						return errors.New("wrong edges")
					}
					return nil
				}))
			}
			err = errors.Join(err, l.CheckAll(context.Background()), l.Close())
		}
		if !errors.Is(err, section.ErrDamaged) && !errors.Is(err, section.ErrVersion) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "wrong edges") {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	})
}

func TestListsThatNobodyCanReadAreNotWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		label Label
		keys  []uint64
	}{{0, []uint64{3, 3}}, {0, []uint64{3, 2}}, {1, []uint64{listedVertices}}, {1, []uint64{listedVertices << 32}}, {listedLabels, []uint64{1}}, {0, []uint64{0}}} {
		path := filepath.Join(t.TempDir(), "lists")
		w, err := CreateLists(path, listedVertices, listedLabels)
		if err == nil {
			w.Next()
			err = w.Append(0, []uint64{0})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append(c.label, c.keys); err == nil {
			t.Errorf("label %d, keys %d: no error", c.label, c.keys)
		}
		if err := w.Abort(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file that was given up is there: %v", err)
		}
	}
	if _, err := CreateLists(filepath.Join(t.TempDir(), "lists"), 3, 4); err == nil {
		t.Error("there are more labels than vertices")
	}
}

// FuzzLists reads any bytes as lists.
func FuzzLists(f *testing.F) {
	path := filepath.Join(f.TempDir(), "lists")
	writeLists(f, path, [][]Edge{{{1, 0, 2}, {1, 2, 3}}, {{4, 4, 4}}})
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, uint64(0), uint64(2))
	f.Add(bytes.Repeat([]byte{0xff}, 400), uint64(1), ^uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, first, n uint64) {
		file, err := section.Parse("fuzz", data, listsKind, listsVersion)
		if err != nil {
			return
		}
		l, err := readLists(file)
		if err != nil {
			return
		}
		_, _ = l.Graph(first, n)
		_ = section.Guard(func() error {
			if !l.Indexed() {
				return nil
			}
			l.Meeting(l.Meeting(nil, Vertex(first), Out), Vertex(n), In)
			return nil
		})
		_ = l.Verify()
	})
}
