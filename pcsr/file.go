package pcsr

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// The sections of a graph file.
const (
	sectionPartitions = "partitions" // the arrays of all partitions and of the label sets
	sectionTable      = "table"      // one record a partition, by label, Out before In
	sectionLabelSets  = "label sets" // four records: vertex → set and set → labels, Out then In
	sectionHeader     = "header"
)

// The header's fields, 64 bits each.
const (
	headerVertices = iota
	headerLabels
	headerEdges
	headerType // the type label plus one; 0 where there is none
	headerSignatureBase
	headerSignatureRows
	headerSignatureWords
	headerSignatureStride
	headerFields
)

// Open maps the graph file at path. It reads and checks the header and the partition table; the rest is checked when it is
// first read: where it is not what was written, the method that reads it panics with a *section.Damage, which
// section.Guard makes an error.
func Open(path string) (*Graph, error) {
	f, err := section.Open(path, fileKind, fileVersion)
	if err != nil {
		return nil, fmt.Errorf("pcsr: %w", err)
	}
	g, err := read(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pcsr: %w", err), f.Close())
	}
	if err := g.checkInvariants(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// read makes the graph that a file holds.
func read(f *section.File) (*Graph, error) {
	if err := f.CheckSections(openChecked...); err != nil {
		return nil, err
	}
	g, err := readHeader(f)
	if err != nil {
		return nil, err
	}
	words, err := f.Uint32s(sectionPartitions)
	if err != nil {
		return nil, err
	}
	table, err := readRecords(f, sectionTable)
	if err != nil {
		return nil, err
	}
	edges := g.edges
	if err := g.attach(table, words); err != nil {
		return nil, f.Damaged("%w", err)
	}
	if g.edges != edges {
		return nil, f.Damaged("its partitions have %d edges, its header says %d", g.edges, edges)
	}
	if err := g.readLabelSets(f, words); err != nil {
		return nil, err
	}
	for _, a := range g.derivedArrays() {
		if *a.words, err = f.Uint32s(a.name); err != nil {
			return nil, err
		}
	}
	if !g.signatures.checkShape() {
		return nil, f.Damaged("the signature table has %d words", len(g.signatures.columns))
	}
	g.file = f
	g.guard(f)
	return g, nil
}

func readHeader(f *section.File) (*Graph, error) {
	h, err := f.Uint64s(sectionHeader)
	if err != nil {
		return nil, err
	}
	if len(h) != headerFields || h[headerVertices] > math.MaxUint32 || h[headerLabels] > h[headerVertices] || h[headerType] > h[headerLabels] {
		return nil, f.Damaged("the numbers of vertices and labels make no sense: %d", h)
	}
	s := settings{hasType: h[headerType] > 0, typeLabel: Label(h[headerType]) - 1}
	g, err := newGraph(int(h[headerVertices]), int(h[headerLabels]), s)
	if err != nil {
		return nil, f.Damaged("%w", err)
	}
	g.edges = h[headerEdges]
	signature := h[headerSignatureBase:]
	if slices.Max(signature) > math.MaxUint32 {
		return nil, f.Damaged("the shape of the signature table makes no sense: %d", signature)
	}
	g.signatures = SignatureTable{
		g: g, base: uint32(signature[0]), rows: uint32(signature[1]), words: uint32(signature[2]), stride: uint32(signature[3]),
	}
	return g, nil
}

func readRecords(f *section.File, name string) ([]record, error) {
	words, err := f.Uint32s(name)
	if err != nil {
		return nil, err
	}
	if len(words)%recordWords != 0 {
		return nil, f.Damaged("section %q has %d words, which is no multiple of %d", name, len(words), recordWords)
	}
	records := make([]record, len(words)/recordWords)
	for i := range records {
		records[i] = decodeRecord(words[i*recordWords:])
	}
	return records, nil
}

// attach adds the partitions whose arrays lie in words. The records are in the order of the table.
func (g *Graph) attach(records []record, words []uint32) error {
	if err := checkPairs(records); err != nil {
		return err
	}
	used, parts := make([]Label, 0, len(records)/2), make([][2]Partition, 0, len(records)/2)
	for i := 0; i < len(records); i += 2 {
		l := records[i].label
		if uint64(l) >= uint64(g.labels) {
			return fmt.Errorf("label %d is outside %d labels", l, g.labels)
		}
		out, err := records[i].partition(words)
		if err != nil {
			return fmt.Errorf("label %d out: %w", l, err)
		}
		in, err := records[i+1].partition(words)
		if err != nil {
			return fmt.Errorf("label %d in: %w", l, err)
		}
		used, parts = append(used, l), append(parts, [2]Partition{Out: out, In: in})
	}
	g.records = records
	g.setParts(used, parts)
	return nil
}

// checkPairs checks that the records are those of ascending labels, Out before In, with the same edges.
func checkPairs(records []record) error {
	for i := range records {
		r := &records[i]
		if r.direction != Direction(i%2) || i%2 == 1 && r.label != records[i-1].label || i%2 == 0 && i > 0 && r.label <= records[i-1].label {
			return fmt.Errorf("label %d %v has no partition in the other direction, or two in one", r.label, r.direction)
		}
		if i%2 == 1 && (r.edges != records[i-1].edges || r.hash != records[i-1].hash) {
			return fmt.Errorf("label %d: its %d edges out and %d edges in are not the same", r.label, records[i-1].edges, r.edges)
		}
	}
	if len(records)%2 != 0 {
		return fmt.Errorf("label %d has no partition in", records[len(records)-1].label)
	}
	return nil
}

func (g *Graph) readLabelSets(f *section.File, words []uint32) error {
	records, err := readRecords(f, sectionLabelSets)
	if err != nil {
		return err
	}
	if len(records) != 4 {
		return f.Damaged("section %q has %d records", sectionLabelSets, len(records))
	}
	for i := range records {
		r, p := &records[i], &g.sets[i/2].of
		if i%2 == 1 {
			p = &g.sets[i/2].labels
		}
		if r.rows == 0 && r.edges == 0 && len(g.parts) == 0 {
			continue
		}
		if *p, err = r.partition(words); err != nil {
			return f.Damaged("label sets: %w", err)
		}
		if i%2 == 0 && !p.Single() || i%2 == 1 && (p.layer != Range || p.base != 0) {
			return f.Damaged("label sets: the partition has another shape")
		}
	}
	return nil
}

// writeDerived writes every section but the partitions themselves.
func (w *Writer) writeDerived() {
	g := w.graph
	var sets []record
	for d := range g.sets {
		sets = append(sets, w.writePartition(&g.sets[d].of), w.writePartition(&g.sets[d].labels))
	}
	w.writeRecords(sectionTable, w.records)
	w.writeRecords(sectionLabelSets, sets)
	header := make([]uint64, headerFields)
	header[headerVertices], header[headerLabels], header[headerEdges] = uint64(g.vertices), uint64(g.labels), g.edges
	if g.hasType {
		header[headerType] = uint64(g.typeLabel) + 1
	}
	t := &g.signatures
	for i, n := range []uint32{t.base, t.rows, t.words, t.stride} {
		header[headerSignatureBase+i] = uint64(n)
	}
	w.fail(w.file.Section(sectionHeader))
	w.fail(section.WriteNumbers(w.file, header))
	for _, a := range g.derivedArrays() {
		w.fail(w.file.Section(a.name))
		w.fail(section.WriteNumbers(w.file, *a.words))
	}
}

// namedArray is one array of words that the file keeps as a section of its own.
type namedArray struct {
	name  string
	words *[]uint32
}

// derivedArrays are those of the signatures, a section each.
func (g *Graph) derivedArrays() []namedArray {
	t := &g.signatures
	return []namedArray{
		{"signatures", &t.columns}, {"signature sides", &t.sideBits}, {"signature classes", &t.classBits},
		{"class places", &t.classAt}, {"class sides", &t.classSides},
	}
}

// writePartition writes all arrays of p.
func (w *Writer) writePartition(p *Partition) record {
	r := record{edges: uint32(len(p.neighbours)), neighbours: w.array(p.neighbours)}
	w.writeRowLayer(&r, p)
	return r
}

func (w *Writer) writeRecords(name string, records []record) {
	w.fail(w.file.Section(name))
	for i := range records {
		words := records[i].encode()
		w.fail(section.WriteNumbers(w.file, words[:]))
	}
}

// Close unmaps the graph, if it was opened from a file, and those that an Overlay took over; nothing it handed out may be
// used any more.
func (g *Graph) Close() error {
	if g.file == nil && g.owned == nil {
		return nil
	}
	f, err := g.file, g.closeOwned()
	*g = Graph{}
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Prefetch asks the system to read the whole file ahead.
func (g *Graph) Prefetch() {
	if g.live != nil {
		g.live.line.ground.Prefetch()
	}
	for _, part := range g.owned {
		part.Prefetch()
	}
	if g.file != nil {
		g.file.Prefetch()
	}
}
