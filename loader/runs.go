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

// spill writes the terms of the table as one more run, but for those that skip tells.
func (r *termRuns) spill(t *termTable, skip func(id uint32) bool) error {
	resources, literals, err := sortTable(t, skip)
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
