package pcsr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/internal/radix"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// MostListed is how many edges a graph of Lists has at the most.
const MostListed = 512

// Lists are the edges of many small graphs, in one file: a graph of ten edges takes 120 bytes there, and 3 KiB as a file of its own. Of each graph they are ordered by label,
// source and target. Which are whose, who wrote the file knows. An index, which a file may have, says which edges a vertex is the source and the target of. Its methods are safe for concurrent use, except Close.
type Lists struct {
	file             *section.File
	vertices, labels int
	options          []Option
	edges            []Edge
	indexed          bool
	by               [2][]uint32 // places of edges, by source and by target, where they are indexed
}

const (
	listsKind    = "lists"
	listsVersion = 1

	sectionEdges    = "edges"     // source, label, target, 32 bits each
	sectionBySource = "by source" // places of edges, ordered by their sources and then themselves, 32 bits each
	sectionByTarget = "by target"
	edgeWords       = 3
)

// The header's fields, 64 bits each.
const (
	listsVertices = iota
	listsLabels
	listsType // the type label plus one; 0 where there is none
	listsFields
)

// ListsWriter writes a file of lists: for each graph Next, then Append for each of its labels, in ascending order; then Finish or Abort. Not for concurrent use.
type ListsWriter struct {
	file             *section.Writer
	vertices, labels int
	n                uint64
	last             Edge // of the graph
	begun            bool
	buffer           []uint32
}

// CreateLists starts a file of lists at path, which must not exist yet. The rest is as for Create.
func CreateLists(path string, vertices, labels int, options ...Option) (*ListsWriter, error) {
	s := newSettings(options)
	if _, err := newGraph(vertices, labels, s); err != nil {
		return nil, err
	}
	file, err := s.disk.Create(path, listsKind, listsVersion)
	if err != nil {
		return nil, fmt.Errorf("pcsr: %w", err)
	}
	w := &ListsWriter{file: file, vertices: vertices, labels: labels}
	header := make([]uint64, listsFields)
	header[listsVertices], header[listsLabels] = uint64(vertices), uint64(labels)
	if s.hasType {
		header[listsType] = uint64(s.typeLabel) + 1
	}
	err = file.Section(sectionHeader)
	if err == nil {
		err = section.WriteNumbers(file, header)
	}
	if err == nil {
		err = file.Section(sectionEdges)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pcsr: %w", err), file.Abort())
	}
	return w, nil
}

// Next begins the next graph and returns the place of its first edge.
func (w *ListsWriter) Next() uint64 {
	w.begun = false
	return w.n
}

// Append adds edges of a label: source<<32 | target, each above the one before.
func (w *ListsWriter) Append(l Label, keys []uint64) error {
	w.buffer = w.buffer[:0]
	for _, k := range keys {
		e := Edge{From: Vertex(k >> 32), Label: l, To: Vertex(k)}
		if uint64(e.From) >= uint64(w.vertices) || uint64(e.To) >= uint64(w.vertices) || uint64(l) >= uint64(w.labels) {
			return outsideError(e, w.vertices, w.labels)
		}
		if w.begun && !listedBefore(w.last, e) {
			return fmt.Errorf("pcsr: %s: edge %v comes after %v", sectionEdges, e, w.last)
		}
		w.last, w.begun = e, true
		w.buffer = append(w.buffer, e.From, e.Label, e.To)
	}
	w.n += uint64(len(keys))
	return section.WriteNumbers(w.file, w.buffer)
}

// listedBefore is the order of the edges of a graph.
func listedBefore(a, b Edge) bool {
	if a.Label != b.Label {
		return a.Label < b.Label
	}
	return edgeKey(a.From, a.To) < edgeKey(b.From, b.To)
}

// IndexBytes is how much memory making an index takes, for each edge.
const IndexBytes = 24

// Index writes the index, after the last edge. A file of more than 2³² − 1 edges has none.
func (w *ListsWriter) Index() error {
	if w.n > math.MaxUint32 {
		return nil
	}
	data, release, err := w.file.Written()
	if err != nil {
		return err
	}
	edges := viewEdges(numbersOf(data))
	places := [2][]uint32{make([]uint32, len(edges)), make([]uint32, len(edges))}
	keys, scratch := make([]uint64, len(edges)), make([]uint64, len(edges))
	for d := range places {
		for i, e := range edges {
			keys[i] = edgeKey(e.Start(Direction(d)), Vertex(i))
		}
		for i, k := range radix.SortUpper(keys, scratch, 32) {
			places[d][i] = uint32(k)
		}
	}
	if err := release(); err != nil {
		return fmt.Errorf("pcsr: unmap: %w", err)
	}
	for d, name := range []string{sectionBySource, sectionByTarget} {
		if err := w.file.Section(name); err != nil {
			return err
		}
		if err := section.WriteNumbers(w.file, places[d]); err != nil {
			return err
		}
	}
	return nil
}

// Start is the vertex that the edge is walked from in a direction: its source, or its target.
func (e Edge) Start(d Direction) Vertex {
	if d == Out {
		return e.From
	}
	return e.To
}

// viewEdges views numbers as edges.
func viewEdges(words []uint32) []Edge {
	return unsafe.Slice((*Edge)(unsafe.Pointer(unsafe.SliceData(words))), len(words)/edgeWords)
}

// Finish writes the rest of the file.
func (w *ListsWriter) Finish() error { return w.file.Finish() }

// Abort gives the file up and removes it; after Finish it does nothing.
func (w *ListsWriter) Abort() error { return w.file.Abort() }

// OpenLists maps a file of lists, and checks its header; the edges are checked when they are read.
func OpenLists(path string) (*Lists, error) {
	f, err := section.Open(path, listsKind, listsVersion)
	if err != nil {
		return nil, fmt.Errorf("pcsr: %w", err)
	}
	l, err := readLists(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pcsr: %w", err), f.Close())
	}
	return l, nil
}

func readLists(f *section.File) (*Lists, error) {
	if err := f.CheckSections(sectionHeader); err != nil {
		return nil, err
	}
	header, err := f.Uint64s(sectionHeader)
	if err != nil {
		return nil, err
	}
	words, err := f.Uint32s(sectionEdges)
	if err != nil {
		return nil, err
	}
	if len(header) != listsFields || len(words)%edgeWords != 0 || header[listsVertices] >= uint64(noVertex) || header[listsLabels] > header[listsVertices] || header[listsType] > header[listsLabels] {
		return nil, f.Damaged("its header does not fit")
	}
	l := &Lists{file: f, vertices: int(header[listsVertices]), labels: int(header[listsLabels])}
	if t := header[listsType]; t > 0 {
		l.options = []Option{WithTypeLabel(Label(t - 1))}
	}
	l.edges = viewEdges(words)
	l.indexed = f.Has(sectionBySource)
	for d, name := range []string{sectionBySource, sectionByTarget} {
		if !l.indexed {
			break
		}
		if l.by[d], err = f.Uint32s(name); err != nil {
			return nil, err
		}
		if len(l.by[d]) != len(l.edges) {
			return nil, f.Damaged("its index has %d of %d edges", len(l.by[d]), len(l.edges))
		}
	}
	return l, nil
}

// Indexed reports whether the file has an index.
func (l *Lists) Indexed() bool { return l.indexed }

// Meeting appends the places of the edges of all graphs that a vertex is the source of (Out) or the target of (In), in ascending order, as the index tells. What is not as it was
// written panics as in Edges.
func (l *Lists) Meeting(places []uint64, v Vertex, d Direction) []uint64 {
	by := l.by[d]
	for i := sort.Search(len(by), func(i int) bool { return l.endAt(by, i, d) >= v }); i < len(by) && l.endAt(by, i, d) == v; i++ {
		places = append(places, uint64(by[i]))
	}
	return places
}

// endAt is the end of the edge whose place stands somewhere in the index.
func (l *Lists) endAt(by []uint32, i int, d Direction) Vertex {
	if l.file.Unchecked() {
		section.Check(l.file, by[i:i+1])
	}
	place := by[i]
	if uint64(place) >= uint64(len(l.edges)) {
		panic(&section.Damage{Err: l.file.Damaged("its index tells of edge %d of %d", place, len(l.edges))})
	}
	if l.file.Unchecked() {
		section.Check(l.file, unsafe.Slice(&l.edges[place].From, edgeWords))
	}
	return l.edges[place].Start(d)
}

// Edges are so many edges from a place on, those of one graph; not to be changed. What is not as it was written panics with a *section.Damage.
func (l *Lists) Edges(first, n uint64) []Edge {
	if n > uint64(len(l.edges)) || first > uint64(len(l.edges))-n {
		panic(&section.Damage{Err: l.file.Damaged("it has %d edges, not %d from %d on", len(l.edges), n, first)})
	}
	edges := l.edges[first : first+n : first+n]
	if n > 0 && l.file.Unchecked() {
		section.Check(l.file, unsafe.Slice(&edges[0].From, edgeWords*len(edges)))
	}
	for i, e := range edges {
		if uint64(e.From) >= uint64(l.vertices) || uint64(e.To) >= uint64(l.vertices) || uint64(e.Label) >= uint64(l.labels) || i > 0 && !listedBefore(edges[i-1], e) {
			panic(&section.Damage{Err: l.file.Damaged("edge %d is out of place", first+uint64(i))})
		}
	}
	return edges
}

// Graph makes a graph of the edges that are Edges.
func (l *Lists) Graph(first, n uint64) (g *Graph, err error) {
	err = section.Guard(func() error {
		if g, err = Build(l.vertices, l.labels, l.Edges(first, n), l.options...); err == nil {
			g.listed = true
		}
		return err
	})
	return g, err
}

// Len is the number of edges of all graphs.
func (l *Lists) Len() int { return len(l.edges) }

// Verify compares every checksum, and the index with the edges.
func (l *Lists) Verify() error {
	if err := l.file.Verify(); err != nil {
		return err
	}
	return section.Guard(func() error {
		for d, by := range l.by {
			for i := range by {
				end := l.endAt(by, i, Direction(d))
				if i > 0 && edgeKey(end, by[i]) <= edgeKey(l.endAt(by, i-1, Direction(d)), by[i-1]) {
					return l.file.Damaged("its index has edge %d out of place", by[i])
				}
			}
		}
		return nil
	})
}

// CheckAll compares the checksums that have not been compared yet, slowly, as that of a Graph.
func (l *Lists) CheckAll(ctx context.Context) error { return l.file.CheckAll(ctx) }

// Close unmaps the file; no edges of it may be used any more.
func (l *Lists) Close() error { return l.file.Close() }
