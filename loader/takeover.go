package loader

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// takeOver adds triples that the store or a snapshot has, and those of their terms that get new IDs, to what was read: terms
// come from the dictionary, triples from the graphs. Terms that no triple uses are left behind.
func (l *load) takeOver(ctx context.Context, edges []oldEdges) (err error) {
	o := l.old
	d := o.Dictionary()
	if o.taken, err = allocate[uint32](l.memory, d.Len()-int(o.start)); err != nil {
		return err
	}
	if o.used, err = allocate[uint64](l.memory, (len(o.taken)+63)/64); err != nil {
		return err
	}
	if err := l.noteUsed(ctx, edges); err != nil {
		return err
	}
	if err := l.takeTerms(ctx, d); err != nil {
		return err
	}
	limit := l.terms.limit()
	if limit+uint64(len(o.borrowed)) > maxProvisional {
		return errTooManyTerms
	}
	o.borrowedFrom = uint32(limit)
	if err := l.takeEdges(ctx, edges); err != nil {
		return err
	}
	return d.Err()
}

// noteUsed finds the terms and predicates that the edges have, and the terms that the inputs share with the segments that do
// not stay.
func (l *load) noteUsed(ctx context.Context, edges []oldEdges) error {
	o := l.old
	l.memory.inRanges(len(o.known), func(from, to int) {
		for _, k := range o.known[from:to] {
			if k > o.start {
				o.use(k - 1)
			}
		}
	})
	found := newBorrower()
	var next atomic.Int64
	err := parallel(ctx, l.options.Threads, func(ctx context.Context, _ int) error {
		b := newBorrower()
		for i := int(next.Add(1)) - 1; i < len(edges); i = int(next.Add(1)) - 1 {
			if err := o.note(ctx, &edges[i], b); err != nil {
				return err
			}
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		found.join(b)
		return nil
	})
	found.tidy()
	o.borrowed = found.ids
	l.numberPredicates(found.labels)
	return err
}

// numberPredicates gives the labels of edges the numbers of their predicates.
func (l *load) numberPredicates(labels map[pcsr.Label]bool) {
	o := l.old
	o.numbers = map[pcsr.Label]uint32{}
	var key []byte
	for label := range labels {
		key = o.Dictionary().AppendKey(key[:0], dictionary.ID(label))
		o.numbers[label] = l.names.id(key)
	}
	for n := len(o.labels); n < len(l.names.keys); n++ { // predicates that only these have
		o.labels = append(o.labels, dictionary.None)
	}
	for label, number := range o.numbers {
		o.labels[number] = label
	}
}

// note notes the terms and labels of edges.
func (o *oldStore) note(ctx context.Context, edges *oldEdges, b *borrower) error {
	note := func(id uint32) bool {
		if id >= o.start {
			return o.use(id)
		}
		b.add(id)
		return true
	}
	last := dictionary.None
	for row, list := range edges.lists {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if row.label != last {
			b.labels[row.label], last = true, row.label
		}
		ok := note(row.from) && (edges.name == defaultGraph || note(edges.name))
		for _, w := range list {
			ok = ok && note(w)
		}
		if !ok {
			return damagedEdge(row.label)
		}
	}
	return nil
}

func damagedEdge(label pcsr.Label) error {
	return fmt.Errorf("loader: %w: an edge of label %d has no terms", store.ErrDamaged, label)
}

// use notes that a term which gets a new ID is used; false where no term has the ID.
func (o *oldStore) use(id uint32) bool {
	i := id - o.start
	if uint64(i) >= uint64(len(o.taken)) {
		return false
	}
	setBits(&o.used[i/64], 1<<(i%64))
	return true
}

// borrower gathers the labels of edges and, with few repeats, the IDs of terms. One worker owns it.
type borrower struct {
	labels map[pcsr.Label]bool
	ids    []uint32
	last   uint32 // the ID before, plus one
	seen   int    // how many were left when repeats were dropped the last time
}

func newBorrower() *borrower { return &borrower{labels: map[pcsr.Label]bool{}} }

func (b *borrower) add(id uint32) {
	if id+1 == b.last {
		return
	}
	b.last = id + 1
	b.ids = append(b.ids, id)
	if len(b.ids) > 2*b.seen+1<<16 {
		b.tidy()
	}
}

// tidy sorts the IDs and drops repeats.
func (b *borrower) tidy() {
	slices.Sort(b.ids)
	b.ids = slices.Compact(b.ids)
	b.seen = len(b.ids)
}

func (b *borrower) join(other *borrower) {
	b.ids = append(b.ids, other.ids...)
	for label := range other.labels {
		b.labels[label] = true
	}
}

// takeTerms gives every used term that gets a new ID a provisional one.
func (l *load) takeTerms(ctx context.Context, d *dictionary.Dictionary) error {
	const size = 1 << 14
	n := len(l.old.taken)
	var next atomic.Int64
	return parallel(ctx, l.options.Threads, func(ctx context.Context, _ int) error {
		for from := int(next.Add(size)) - size; from < n; from = int(next.Add(size)) - size {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := l.takeTermsFrom(d, from, min(from+size, n)); err != nil {
				return err
			}
			if err := l.relieve(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *load) takeTermsFrom(d *dictionary.Dictionary, from, to int) error {
	l.gate.RLock()
	defer l.gate.RUnlock()
	o := l.old
	var key []byte
	for i := from; i < to; i++ {
		if o.used[i/64]>>(i%64)&1 == 0 {
			continue
		}
		key = d.AppendKey(key[:0], dictionary.ID(i+int(o.start)))
		provisional, err := l.takeTerm(key)
		if err != nil {
			return err
		}
		o.taken[i] = provisional
	}
	return nil
}

func (l *load) takeTerm(key []byte) (uint32, error) {
	if len(key) < 2 && string(key) != `"` && string(key) != "<" || bytes.IndexByte([]byte(`<_"@#^`), key[0]) < 0 {
		return 0, fmt.Errorf("loader: %w: its dictionary has %q for a term", store.ErrDamaged, key)
	}
	return l.terms.id(key)
}

// provisional is the provisional ID of a term of the edges; false for one that was not noted.
func (o *oldStore) provisional(id uint32) (uint32, bool) {
	if id >= o.start {
		if i := int(id - o.start); i < len(o.taken) {
			return o.taken[i], true
		}
		return 0, false
	}
	i, ok := slices.BinarySearch(o.borrowed, id)
	return o.borrowedFrom + uint32(i), ok
}

// takeEdges adds the edges to the rows.
func (l *load) takeEdges(ctx context.Context, edges []oldEdges) error {
	var next atomic.Int64
	return parallel(ctx, l.options.Threads, func(ctx context.Context, _ int) error {
		e, err := l.newEncoder()
		if err != nil {
			return err
		}
		for i := int(next.Add(1)) - 1; i < len(edges); i = int(next.Add(1)) - 1 {
			if err := l.old.take(ctx, e, &edges[i]); err != nil {
				return err
			}
		}
		return l.endEncoder(e)
	})
}

func (o *oldStore) take(ctx context.Context, e *encoder, edges *oldEdges) error {
	name, ok := defaultGraph, true
	if edges.name != defaultGraph {
		name, ok = o.provisional(edges.name)
	}
	last, number := dictionary.None, uint32(0)
	for row, list := range edges.lists {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if row.label != last {
			last, number = row.label, o.numbers[row.label]
		}
		from, known := o.provisional(row.from)
		ok = ok && known
		for _, w := range list {
			to, known := o.provisional(w)
			if !ok || !known {
				return damagedEdge(row.label)
			}
			if err := e.add(from, number, to, name); err != nil {
				return err
			}
		}
	}
	return nil
}
