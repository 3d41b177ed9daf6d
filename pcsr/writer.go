package pcsr

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Writer writes a graph file, a partition at a time:
//
//	w, err := pcsr.Create(path, vertices, labels, pcsr.WithTypeLabel(0))
//	for each label that has edges, for both directions, in any order:
//		w.Partition(label, direction)
//		w.Append(keys) …              // key<<32 | neighbour, ascending, without repeats
//	err = w.Finish()                      // or w.Abort()
//
// Neighbours go to the file as they come; the row vertices of the open partition are kept in memory and, when they are
// many, in a file beside it. The first error stays and is returned by every later call. Not for concurrent use.
type Writer struct {
	settings settings
	graph    *Graph // the header; parts come last
	file     *section.Writer
	path     string

	records    []record
	open       bool
	current    record
	last       uint64 // key appended last
	neighbours []Vertex
	vertices   spool
	offsets    spool
	err        error
}

// Create starts a graph file at path, which must not exist yet. vertices is the size of the ID space and labels the
// number of predicates.
func Create(path string, vertices, labels int, options ...Option) (*Writer, error) {
	s := newSettings(options)
	g, err := newGraph(vertices, labels, s)
	if err != nil {
		return nil, err
	}
	file, err := s.disk.Create(path, fileKind, fileVersion)
	if err != nil {
		return nil, fmt.Errorf("pcsr: %w", err)
	}
	return newWriter(g, s, file, path), nil
}

// newWriter starts a graph file on a container; path is where spools may lie, "" for none.
func newWriter(g *Graph, s settings, file *section.Writer, path string) *Writer {
	w := &Writer{settings: s, graph: g, file: file, path: path}
	w.neighbours = make([]Vertex, 0, writeNeighbours)
	if path != "" {
		w.vertices = spool{path: path + ".vertices", disk: s.disk, most: spoolNumbers}
		w.offsets = spool{path: path + ".offsets", disk: s.disk, most: spoolNumbers}
	}
	w.fail(file.Section(sectionPartitions))
	return w
}

// writeNeighbours is how many neighbours are gathered before they are written.
const writeNeighbours = 1 << 15

// Partition ends the partition before and starts that of a label in a direction.
func (w *Writer) Partition(l Label, d Direction) error {
	w.endPartition()
	if uint64(l) >= uint64(w.graph.labels) || d > In {
		w.fail(fmt.Errorf("label %d %v is outside %d labels", l, d, w.graph.labels))
	}
	if w.err == nil {
		w.open = true
		w.current = record{label: l, direction: d, neighbours: w.place()}
	}
	return w.err
}

// Append adds edges to the open partition: row vertex<<32 | neighbour, each above the one before.
func (w *Writer) Append(keys []uint64) error {
	if !w.open {
		w.fail(errors.New("edges are appended to no partition"))
	}
	for _, k := range keys {
		if w.err != nil {
			return w.err
		}
		w.append(k)
	}
	return w.err
}

func (w *Writer) append(key uint64) {
	r := &w.current
	v, n := Vertex(key>>32), Vertex(key)
	switch {
	case r.edges > 0 && key <= w.last:
		w.fail(fmt.Errorf("label %d %v: edge %d, %d comes after %d, %d", r.label, r.direction, v, n, w.last>>32, uint32(w.last)))
		return
	case uint64(v) >= uint64(w.graph.vertices) || uint64(n) >= uint64(w.graph.vertices):
		w.fail(fmt.Errorf("label %d %v: edge %d, %d is outside %d vertices", r.label, r.direction, v, n, w.graph.vertices))
		return
	case r.edges == math.MaxUint32-1:
		w.fail(fmt.Errorf("label %d %v has more than %d edges", r.label, r.direction, r.edges))
		return
	}
	if r.edges == 0 || v != Vertex(w.last>>32) {
		w.fail(w.vertices.append(v))
		w.fail(w.offsets.append(r.edges))
		r.rows++
	}
	w.last = key
	r.edges++
	r.hash += keyHash(r.direction, v, n)
	w.neighbours = append(w.neighbours, n)
	if len(w.neighbours) == cap(w.neighbours) {
		w.flushNeighbours()
	}
}

func (w *Writer) flushNeighbours() {
	w.fail(section.WriteNumbers(w.file, w.neighbours))
	w.neighbours = w.neighbours[:0]
}

// endPartition writes what the open partition has beside its neighbours.
func (w *Writer) endPartition() {
	if !w.open || w.err != nil {
		return
	}
	w.open = false
	w.flushNeighbours()
	if w.current.edges == 0 {
		return
	}
	w.fail(w.offsets.append(w.current.edges))
	vertices, err := w.vertices.numbers()
	w.fail(err)
	offsets, err := w.offsets.numbers()
	w.fail(err)
	if w.err != nil {
		return
	}
	w.current.layer = w.settings.layerFor(vertices)
	p := layOut(w.current.layer, vertices, offsets, int(w.current.edges))
	w.writeRowLayer(&w.current, p)
	w.fail(errors.Join(w.vertices.reset(), w.offsets.reset()))
	w.records = append(w.records, w.current)
}

// writeRowLayer writes the arrays of p, but not its neighbours, and notes them in its record.
func (w *Writer) writeRowLayer(r *record, p *Partition) {
	r.layer, r.base, r.rows, r.probes = p.layer, p.base, p.rows, p.probes
	r.index, r.vertices, r.offsets = place{at: noPlace}, noPlace, noPlace
	if len(p.index) > 0 {
		r.index = place{w.array(p.index), uint32(len(p.index))}
	}
	if p.vertices != nil {
		r.vertices = w.array(p.vertices)
	}
	if p.offsets != nil {
		r.offsets = w.array(p.offsets)
	}
	if len(p.index) > math.MaxUint32 {
		w.fail(fmt.Errorf("label %d %v: its index has %d words", r.label, r.direction, len(p.index)))
	}
}

// array writes numbers at the next aligned place and returns it.
func (w *Writer) array(numbers []uint32) uint32 {
	at := w.place()
	w.fail(section.WriteNumbers(w.file, numbers))
	return at
}

// place pads the section to the alignment and returns where it is, in units of the alignment.
func (w *Writer) place() uint32 {
	var zeros [section.Alignment]byte
	if rest := w.file.Offset() % section.Alignment; rest != 0 {
		_, err := w.file.Write(zeros[rest:])
		w.fail(err)
	}
	at := w.file.Offset() / section.Alignment
	if at >= noPlace {
		w.fail(errors.New("the partitions have more than 256 GiB"))
	}
	return uint32(at)
}

// Finish writes the rest of the file: the partition table and what is derived from the partitions. It is an error when
// the two directions of a label do not hold the same edges.
func (w *Writer) Finish() error {
	w.endPartition()
	w.checkPairs()
	if w.err == nil {
		w.fail(w.finish())
	}
	if w.err != nil {
		return errors.Join(w.err, w.Abort())
	}
	return nil
}

// checkPairs sorts the partition table and checks that every label has both directions, with the same edges.
func (w *Writer) checkPairs() {
	if w.err != nil {
		return
	}
	slices.SortFunc(w.records, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.direction, b.direction))
	})
	w.fail(checkPairs(w.records))
}

func (w *Writer) finish() error {
	data, release, err := w.file.Written()
	if err != nil {
		return err
	}
	if err := w.graph.attach(w.records, numbersOf(data)); err != nil {
		return errors.Join(err, release())
	}
	w.graph.derive(w.settings)
	// What is derived is on the heap; the partitions of the graph are not read again.
	w.graph.parts = nil
	if err := release(); err != nil {
		return fmt.Errorf("unmap: %w", err)
	}
	w.writeDerived()
	if w.err != nil {
		return w.err
	}
	return w.file.Finish()
}

// numbersOf is the memory of b, whose length and place are multiples of 4, as numbers.
func numbersOf(b []byte) []uint32 {
	if len(b) < 4 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), len(b)/4)
}

// Abort gives the file up and removes it; after Finish it does nothing.
func (w *Writer) Abort() error {
	w.open = false
	w.fail(errors.New("the file was given up"))
	return errors.Join(w.vertices.reset(), w.offsets.reset(), w.file.Abort())
}

func (w *Writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("pcsr: %s: %w", w.path, err)
	}
}
