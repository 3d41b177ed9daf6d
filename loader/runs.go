package loader

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// termRuns are the sorted runs that a term table was spilled to, one nameless file each.
//
// A record is the provisional ID, the length of the key, the length of the sort key (0 where the key sorts by its own
// bytes), the section, the key and the sort key.
type termRuns struct {
	memory  *memory
	folder  string
	files   []*os.File
	written int64
}

func (r *termRuns) count() int { return len(r.files) }

const runHeader = 13

// runBuffer is how much of a run is read or written at a time.
const runBuffer = 1 << 20

// spill writes the terms of the table as one more run.
func (r *termRuns) spill(t *termTable) error {
	resources, literals, err := sortTable(t, nil)
	if err != nil {
		return err
	}
	defer release(t.memory, resources)
	defer release(t.memory, literals)
	f, err := namelessFile(r.folder)
	if err != nil {
		return fmt.Errorf("loader: %w", err)
	}
	r.files = append(r.files, f)
	w := bufio.NewWriterSize(f, runBuffer)
	var record []byte
	for _, items := range [][]item{resources, literals} {
		for _, it := range items {
			record = appendRunRecord(record[:0], t.idAt(it.ref), t.keyAt(it.ref))
			if _, err := w.Write(record); err != nil {
				return fmt.Errorf("loader: spill terms: %w", err)
			}
			r.written += int64(len(record))
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("loader: spill terms: %w", err)
	}
	return nil
}

func appendRunRecord(dst []byte, id uint32, key []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, id)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(key)))
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0)
	dst = append(dst, key...)
	end := len(dst)
	section := dictionary.SectionOf(key)
	if key[0] == '#' || key[0] == '^' {
		dst, section, _ = dictionary.AppendSortKey(dst, key) // a key of ours
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-end))
	dst[at+4] = byte(section)
	return dst
}

// release closes the files, which removes them.
func (r *termRuns) release() (err error) {
	for _, f := range r.files {
		err = errors.Join(err, f.Close())
	}
	r.files = nil
	return err
}

// runReader reads one run.
type runReader struct {
	r       *bufio.Reader
	id      uint32
	section dictionary.Section
	record  []byte // key and sort key
	key     []byte
	sort    []byte
}

func (r *runReader) next() error {
	var head [runHeader]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return err
	}
	r.id = binary.LittleEndian.Uint32(head[:])
	n := int(binary.LittleEndian.Uint32(head[4:]))
	m := int(binary.LittleEndian.Uint32(head[8:]))
	r.section = dictionary.Section(head[12])
	r.record = slices.Grow(r.record[:0], n+m)[:n+m]
	if _, err := io.ReadFull(r.r, r.record); err != nil {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	r.key, r.sort = r.record[:n], r.record[:n]
	if m > 0 {
		r.sort = r.record[n:]
	}
	return nil
}

func (r *runReader) compare(o *runReader) int {
	return cmp.Or(cmp.Compare(r.section, o.section), bytes.Compare(r.sort, o.sort))
}

// runHeap merges runs: the run with the least term is first.
type runHeap []*runReader

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return h[i].compare(h[j]) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*runReader)) }
func (h *runHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// order merges the runs: every provisional ID gets the rank of its term, and the terms go, in order, to two files.
func (r *termRuns) order(ctx context.Context, predicateKeys []string, limit uint64) (o *termOrder, err error) {
	m := &runMerge{order: &termOrder{predicates: uint32(len(predicateKeys))}, labels: predicateKeys}
	if m.order.rank, err = allocate[uint32](r.memory, int(limit)); err != nil {
		return nil, err
	}
	if m.source, err = newFileSource(r.memory, r.folder); err != nil {
		return nil, err
	}
	m.order.terms = m.source
	if err := m.run(ctx, r.files); err != nil {
		return nil, errors.Join(fmt.Errorf("loader: merge terms: %w", err), m.source.release())
	}
	r.written += m.source.resources.size + m.source.literals.size
	return m.order, nil
}

// runMerge is a merge at work.
type runMerge struct {
	order  *termOrder
	source *fileSource
	labels []string // predicates not yet met, after label
	label  int
	// pending are the IDs of predicates, whose ranks are known once all terms are counted.
	pending []uint32
	ranks   []uint32
}

func (m *runMerge) run(ctx context.Context, files []*os.File) error {
	var h runHeap
	for _, f := range files {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r := &runReader{r: bufio.NewReaderSize(f, runBuffer)}
		if err := r.next(); err == nil {
			h = append(h, r)
		} else if err != io.EOF {
			return err
		}
	}
	heap.Init(&h)
	for n := 0; len(h) > 0; n++ {
		if n%stride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := m.term(&h); err != nil {
			return err
		}
	}
	first := uint32(m.order.resources + m.order.literals)
	for i, id := range m.pending {
		m.order.rank[id] = first + m.ranks[i]
	}
	return m.source.flush()
}

// term takes the least term off all runs that have it.
func (m *runMerge) term(h *runHeap) error {
	least := (*h)[0]
	key := append([]byte(nil), least.key...)
	section := least.section
	label, predicate := m.isPredicate(key, section)
	rank := uint32(m.order.resources + m.order.literals)
	switch {
	case predicate:
	case section == dictionary.Resources:
		m.order.resources++
	default:
		m.order.literals++
	}
	for len(*h) > 0 && (*h)[0].section == section && bytes.Equal((*h)[0].key, key) {
		r := (*h)[0]
		if predicate {
			m.pending, m.ranks = append(m.pending, r.id), append(m.ranks, label)
		} else {
			m.order.rank[r.id] = rank
		}
		switch err := r.next(); err {
		case nil:
			heap.Fix(h, 0)
		case io.EOF:
			heap.Pop(h)
		default:
			return err
		}
	}
	if predicate {
		return nil
	}
	return m.source.add(section, key)
}

// isPredicate looks for a resource among the predicates, which come in the same order.
func (m *runMerge) isPredicate(key []byte, section dictionary.Section) (label uint32, ok bool) {
	if section != dictionary.Resources {
		return 0, false
	}
	for m.label < len(m.labels) && m.labels[m.label] < string(key) {
		m.label++
	}
	return uint32(m.label), m.label < len(m.labels) && m.labels[m.label] == string(key)
}

// keyFile is a nameless file of keys, each after its length.
type keyFile struct {
	file *os.File
	w    *bufio.Writer
	size int64
}

func newKeyFile(folder string, buffer int) (*keyFile, error) {
	f, err := namelessFile(folder)
	if err != nil {
		return nil, fmt.Errorf("loader: %w", err)
	}
	return &keyFile{file: f, w: bufio.NewWriterSize(f, buffer)}, nil
}

func (f *keyFile) add(key []byte) error {
	var head [binary.MaxVarintLen32]byte
	n := binary.PutUvarint(head[:], uint64(len(key)))
	if _, err := f.w.Write(head[:n]); err != nil {
		return err
	}
	f.size += int64(n + len(key))
	_, err := f.w.Write(key)
	return err
}

// each calls do for every key from the start of the file. The key is valid until the next.
func (f *keyFile) each(ctx context.Context, do func(key []byte) error) error {
	if err := f.w.Flush(); err != nil {
		return err
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(f.file, runBuffer)
	var key []byte
	for i := 0; ; i++ {
		n, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		key = slices.Grow(key[:0], int(n))[:n]
		if _, err := io.ReadFull(r, key); err != nil {
			return err
		}
		if err := do(key); err != nil {
			return err
		}
		if i%stride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// fileSource hands out terms that a merge has written, in the order of their ranks.
type fileSource struct {
	memory              *memory
	folder              string
	resources, literals *keyFile
}

func newFileSource(m *memory, folder string) (s *fileSource, err error) {
	s = &fileSource{memory: m, folder: folder}
	if s.resources, err = newKeyFile(folder, runBuffer); err != nil {
		return nil, err
	}
	if s.literals, err = newKeyFile(folder, runBuffer); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (s *fileSource) add(section dictionary.Section, key []byte) error {
	if section == dictionary.Resources {
		return s.resources.add(key)
	}
	return s.literals.add(key)
}

func (s *fileSource) flush() error { return errors.Join(s.resources.w.Flush(), s.literals.w.Flush()) }

func (s *fileSource) release() (err error) {
	for _, f := range []*keyFile{s.resources, s.literals} {
		if f != nil {
			err = errors.Join(err, f.file.Close())
		}
	}
	return err
}

func (s *fileSource) writeLiterals(ctx context.Context, w *dictionary.Writer) error {
	return s.literals.each(ctx, func(key []byte) error {
		_, err := w.Add(key)
		return err
	})
}

// bucketTerms is how many resources of small groups are put in order in memory at a time.
const bucketTerms = 1 << 20

// writeResources distributes the terms over buckets, each a run of positions that is either one group, whose terms come
// in order, or small enough to be put in order in memory.
func (s *fileSource) writeResources(ctx context.Context, w *dictionary.Writer, position, groups []uint32) (err error) {
	starts := bucketStarts(groups, len(position))
	buckets := make([]*keyFile, len(starts))
	defer func() {
		for _, b := range buckets {
			if b != nil {
				err = errors.Join(err, b.file.Close())
			}
		}
	}()
	for i := range buckets {
		if buckets[i], err = newKeyFile(s.folder, 1<<16); err != nil {
			return err
		}
	}
	rank := 0
	err = s.resources.each(ctx, func(key []byte) error {
		b, exact := slices.BinarySearch(starts, position[rank])
		if !exact {
			b--
		}
		var place [4]byte
		binary.LittleEndian.PutUint32(place[:], position[rank])
		rank++
		return buckets[b].add(append(place[:], key...))
	})
	if err != nil {
		return err
	}
	g := &groupWriter{w: w, groups: groups}
	for i, b := range buckets {
		end := len(position)
		if i+1 < len(starts) {
			end = int(starts[i+1])
		}
		if err := g.bucket(ctx, b, int(starts[i]), end); err != nil {
			return err
		}
	}
	return nil
}

// bucketStarts cuts the positions into buckets at starts of groups.
func bucketStarts(groups []uint32, terms int) (starts []uint32) {
	size := max(bucketTerms, terms/128)
	for i, g := range groups {
		end := uint32(terms)
		if i+1 < len(groups) {
			end = groups[i+1]
		}
		if len(starts) == 0 || int(end-starts[len(starts)-1]) > size {
			starts = append(starts, g)
		}
	}
	return starts
}

// groupWriter adds resources in the order of their positions and starts groups where they start.
type groupWriter struct {
	w      *dictionary.Writer
	groups []uint32
	at     uint32
}

func (g *groupWriter) add(key []byte) error {
	if len(g.groups) > 0 && g.groups[0] == g.at {
		g.w.Group()
		g.groups = g.groups[1:]
	}
	g.at++
	_, err := g.w.Add(key)
	return err
}

// bucket adds the terms of a bucket: as they come where they are in order, else after sorting them.
func (g *groupWriter) bucket(ctx context.Context, b *keyFile, from, to int) error {
	oneGroup := len(g.groups) < 2 || int(g.groups[1]) >= to
	if oneGroup {
		return b.each(ctx, func(record []byte) error { return g.add(record[4:]) })
	}
	var text []byte
	places := make([]uint64, to-from) // where the key of a position starts
	ends := make([]uint64, to-from)
	err := b.each(ctx, func(record []byte) error {
		i := int(binary.LittleEndian.Uint32(record)) - from
		places[i] = uint64(len(text))
		text = append(text, record[4:]...)
		ends[i] = uint64(len(text))
		return nil
	})
	for i := range places {
		if err == nil {
			err = g.add(text[places[i]:ends[i]])
		}
	}
	return err
}
