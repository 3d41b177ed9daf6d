package loader

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// runReader reads the records of a part of a run.
type runReader struct {
	file    *tempFile
	at, end int64  // what has not been read yet
	buffer  []byte // what has been read and not been taken
	memory  []byte // what buffer lies in

	// The record; key and sort key are valid until the next one.
	id      uint32
	section dictionary.Section
	key     []byte
	sort    []byte
}

// next takes a record; it returns io.EOF after the last one.
func (r *runReader) next() error {
	if err := r.need(runHeader); err != nil {
		return err
	}
	r.id = binary.LittleEndian.Uint32(r.buffer)
	n := int(binary.LittleEndian.Uint32(r.buffer[4:]))
	m := int(binary.LittleEndian.Uint32(r.buffer[8:]))
	r.section = dictionary.Section(r.buffer[12])
	size := runHeader + n + m
	if err := r.need(size); err != nil {
		return err
	}
	r.key = r.buffer[runHeader : runHeader+n]
	if r.sort = r.key; m > 0 {
		r.sort = r.buffer[runHeader+n : size]
	}
	r.buffer = r.buffer[size:]
	return nil
}

// need makes n bytes lie in the buffer.
func (r *runReader) need(n int) error {
	if len(r.buffer) >= n {
		return nil
	}
	if r.at == r.end && len(r.buffer) == 0 {
		return io.EOF
	}
	if int64(n-len(r.buffer)) > r.end-r.at {
		return io.ErrUnexpectedEOF
	}
	if len(r.memory) < max(n, runBuffer) {
		r.memory = make([]byte, max(n, runBuffer))
	}
	held := copy(r.memory, r.buffer)
	more := min(int64(len(r.memory)-held), r.end-r.at)
	if _, err := r.file.ReadAt(r.memory[held:held+int(more)], r.at); err != nil {
		return err
	}
	r.at += more
	r.buffer = r.memory[:held+int(more)]
	return nil
}

func (r *runReader) compare(o *runReader) int {
	return cmp.Or(cmp.Compare(r.section, o.section), bytes.Compare(r.sort, o.sort))
}

// runHeap orders runs by their next terms: none comes before those at 2i + 1 and 2i + 2.
type runHeap []*runReader

// sink puts the run at a place where it belongs, after its term has changed.
func (h runHeap) sink(i int) {
	for {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(h) && h[child].compare(h[least]) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// runMerge is the merge of one part of all runs: their resources or their literals.
type runMerge struct {
	rank      []uint32 // of all provisional IDs
	out       *keyFile
	skip      func(id uint32) bool // terms that get no rank
	terms     uint32               // so far, without predicates
	backwards bool                 // the rank of term n is noted as ^n, until it is known how many terms come before
	labels    []string
	label     int // labels before this one have been met
	// pending are the IDs of predicates, whose ranks are known once all terms are counted.
	pending []uint32
	ranks   []uint32
	key     []byte
}

func (m *runMerge) run(ctx context.Context, readers []*runReader) error {
	var h runHeap
	for _, r := range readers {
		if err := r.next(); err == nil {
			h = append(h, r)
		} else if err != io.EOF {
			return err
		}
	}
	for i := len(h) - 1; i >= 0; i-- {
		h.sink(i)
	}
	for n := 0; len(h) > 0; n++ {
		if n%stride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := m.term(&h); err != nil {
			return err
		}
	}
	return m.out.w.Flush()
}

// term takes the least term off all runs that have it.
func (m *runMerge) term(h *runHeap) error {
	least := (*h)[0]
	m.key = append(m.key[:0], least.key...)
	section := least.section
	label, predicate := m.isPredicate()
	skipped := m.skip(least.id)
	rank := m.terms
	if m.backwards {
		rank = ^rank
	}
	for len(*h) > 0 && (*h)[0].section == section && bytes.Equal((*h)[0].key, m.key) {
		r := (*h)[0]
		switch {
		case skipped:
		case predicate:
			m.pending, m.ranks = append(m.pending, r.id), append(m.ranks, label)
		default:
			m.rank[r.id] = rank
		}
		if err := r.next(); err == io.EOF {
			(*h)[0] = (*h)[len(*h)-1]
			*h = slices.Delete(*h, len(*h)-1, len(*h))
		} else if err != nil {
			return err
		}
		h.sink(0)
	}
	if predicate || skipped {
		return nil
	}
	m.terms++
	return m.out.add(m.key)
}

// isPredicate looks for the term among the predicates, which come in the same order.
func (m *runMerge) isPredicate() (label uint32, ok bool) {
	for m.label < len(m.labels) && m.labels[m.label] < string(m.key) {
		m.label++
	}
	return uint32(m.label), m.label < len(m.labels) && m.labels[m.label] == string(m.key)
}
