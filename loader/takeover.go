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

// takeOver adds the terms and triples of the old store's segments that do not stay to those that were read: terms come
// from the dictionary, triples from the partitions. The inputs of old are not needed.
func (l *load) takeOver(ctx context.Context) (err error) {
	o := l.old
	d := o.Dictionary
	if o.taken, err = allocate[uint32](l.memory, d.Len()-int(o.start)); err != nil {
		return err
	}
	if err := l.takeTerms(ctx, d); err != nil {
		return err
	}
	lists, err := l.oldLists()
	if err != nil {
		return err
	}
	limit := l.terms.limit()
	o.borrow(lists)
	if limit+uint64(len(o.borrowed)) > maxProvisional {
		return errTooManyTerms
	}
	o.borrowedFrom = uint32(limit)
	if err := l.takeEdges(ctx, lists); err != nil {
		return err
	}
	return d.Err()
}

// takeTerms gives every term of the segments that do not stay a provisional ID.
func (l *load) takeTerms(ctx context.Context, d *dictionary.Dictionary) error {
	const size = 1 << 14
	start := int(l.old.start)
	var next atomic.Int64
	return parallel(ctx, l.options.Threads, func(ctx context.Context, _ int) error {
		for from := start + int(next.Add(size)) - size; from < d.Len(); from = start + int(next.Add(size)) - size {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := l.takeTermsFrom(d, from, min(from+size, d.Len())); err != nil {
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
	var key []byte
	for id := from; id < to; id++ {
		key = d.AppendKey(key[:0], dictionary.ID(id))
		provisional, err := l.takeTerm(key)
		if err != nil {
			return err
		}
		l.old.taken[id-int(l.old.start)] = provisional
	}
	return nil
}

func (l *load) takeTerm(key []byte) (uint32, error) {
	if len(key) < 2 && string(key) != `"` && string(key) != "<" || bytes.IndexByte([]byte(`<_"@#^`), key[0]) < 0 {
		return 0, fmt.Errorf("loader: %w: its dictionary has %q for a term", store.ErrDamaged, key)
	}
	return l.terms.id(key)
}

// oldList is the edges of one label in one graph of a segment that does not stay.
type oldList struct {
	graph  *pcsr.Graph
	name   uint32 // ID, or defaultGraph
	label  pcsr.Label
	number uint32 // of the predicate
}

func (l *load) oldLists() (lists []oldList, err error) {
	o := l.old
	numbers := map[pcsr.Label]uint32{}
	var key []byte
	for i, segment := range o.Manifest().Segments {
		if i < o.keep {
			continue
		}
		for _, g := range segment.Graphs() {
			parts, err := o.Parts(g.ID)
			if err != nil {
				return nil, err
			}
			name := uint32(g.ID)
			if g.ID == dictionary.None {
				name = defaultGraph
			}
			for _, label := range parts[i].UsedLabels() {
				number, ok := numbers[label]
				if !ok {
					key = o.Dictionary.AppendKey(key[:0], dictionary.ID(label))
					number = l.names.id(key)
					numbers[label] = number
				}
				lists = append(lists, oldList{parts[i], name, label, number})
			}
		}
	}
	for n := len(o.labels); n < len(l.names.keys); n++ { // predicates that only these have
		o.labels = append(o.labels, dictionary.None)
	}
	for label, number := range numbers {
		o.labels[number] = label
	}
	return lists, nil
}

// borrow notes the terms of segments that stay which occur in the lists.
func (o *oldStore) borrow(lists []oldList) {
	o.borrowed = nil
	if o.start == 0 {
		return
	}
	add := func(id uint32) {
		if id < o.start {
			o.borrowed = append(o.borrowed, id)
		}
	}
	seen := 0
	for _, list := range lists {
		if list.name != defaultGraph {
			add(list.name)
		}
		for _, direction := range []pcsr.Direction{pcsr.Out, pcsr.In} {
			for v := range list.graph.Partition(list.label, direction).RowVertices() {
				add(v)
			}
		}
		if len(o.borrowed) > 2*seen+1<<16 { // keep repeats in bounds
			slices.Sort(o.borrowed)
			o.borrowed = slices.Compact(o.borrowed)
			seen = len(o.borrowed)
		}
	}
	slices.Sort(o.borrowed)
	o.borrowed = slices.Compact(o.borrowed)
}

// provisional is the provisional ID of a term of the lists.
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

// takeEdges adds the triples of the lists.
func (l *load) takeEdges(ctx context.Context, lists []oldList) error {
	var next atomic.Int64
	return parallel(ctx, l.options.Threads, func(ctx context.Context, _ int) error {
		e, err := l.newEncoder()
		if err != nil {
			return err
		}
		for i := int(next.Add(1)) - 1; i < len(lists); i = int(next.Add(1)) - 1 {
			if err := l.takeList(ctx, e, &lists[i]); err != nil {
				return err
			}
		}
		return l.endEncoder(e)
	})
}

func (l *load) takeList(ctx context.Context, e *encoder, from *oldList) error {
	damaged := func() error {
		return fmt.Errorf("loader: %w: an edge of label %d has no terms", store.ErrDamaged, from.label)
	}
	name, ok := defaultGraph, true
	if from.name != defaultGraph {
		if name, ok = l.old.provisional(from.name); !ok {
			return damaged()
		}
	}
	for v, list := range from.graph.Partition(from.label, pcsr.Out).Lists() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s, ok := l.old.provisional(v)
		if !ok {
			return damaged()
		}
		for _, w := range list {
			o, ok := l.old.provisional(w)
			if !ok {
				return damaged()
			}
			if err := e.add(s, from.number, o, name); err != nil {
				return err
			}
		}
	}
	return nil
}
