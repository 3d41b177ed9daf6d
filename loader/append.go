package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// An append is a load whose first input is the old store itself: its terms are taken from the dictionary, its triples
// from the partitions, and the next generation holds both. The inputs of old are not needed.

// oldStore is the store that an append adds to.
type oldStore struct {
	*store.Store
	graphs  []oldGraph
	ids     []uint32     // provisional IDs by ID
	numbers []uint32     // predicate numbers by label
	scope   atomic.Int64 // the highest of its blank nodes
}

type oldGraph struct {
	graph *pcsr.Graph
	name  dictionary.ID // None for the default graph
}

// openOld opens the store in dir; nil when there is none yet.
func openOld(dir string) (*oldStore, error) {
	s, err := store.Open(dir)
	if errors.Is(err, store.ErrNotStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := &oldStore{Store: s, graphs: []oldGraph{{s.Default, dictionary.None}}}
	for _, name := range s.NamedGraphs() {
		g, err := s.Named(name)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		o.graphs = append(o.graphs, oldGraph{g, name})
	}
	return o, nil
}

// takeOld encodes the terms and triples of the old store.
func (l *load) takeOld(ctx context.Context) (err error) {
	d := l.old.Dictionary
	if l.old.ids, err = allocate[uint32](l.memory, d.Len()); err != nil {
		return err
	}
	l.old.numbers = make([]uint32, d.Section(0, dictionary.Predicates).Len())
	var key []byte
	for label := range l.old.numbers {
		key = d.AppendKey(key[:0], dictionary.ID(label))
		l.old.numbers[label] = l.names.id(key)
	}
	if err := l.takeTerms(ctx, d); err != nil {
		return err
	}
	if err := l.takeEdges(ctx); err != nil {
		return err
	}
	if err := d.Err(); err != nil {
		return err
	}
	l.firstScope = int(l.old.scope.Load()) + 1
	release(l.memory, l.old.ids)
	l.old.ids = nil
	l.report.Kept = uint64(l.triples.rows.Load())
	return nil
}

// takeTerms gives every term of the old store a provisional ID.
func (l *load) takeTerms(ctx context.Context, d *dictionary.Dictionary) error {
	const size = 1 << 14
	var next atomic.Int64
	return parallel(ctx, l.options.Threads, func(ctx context.Context, _ int) error {
		var key []byte
		for from := int(next.Add(size)) - size; from < d.Len(); from = int(next.Add(size)) - size {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			l.gate.RLock()
			for id := from; id < min(from+size, d.Len()); id++ {
				key = d.AppendKey(key[:0], dictionary.ID(id))
				provisional, err := l.takeTerm(key)
				if err != nil {
					l.gate.RUnlock()
					return err
				}
				l.old.ids[id] = provisional
				l.old.noteScope(key)
			}
			l.gate.RUnlock()
			if err := l.relieve(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *load) takeTerm(key []byte) (uint32, error) {
	if len(key) < 2 && string(key) != `"` && string(key) != "<" || bytes.IndexByte([]byte(`<_"@#^`), key[0]) < 0 {
		return 0, fmt.Errorf("loader: %w: its dictionary has %q for a term", store.ErrDamaged, key)
	}
	return l.terms.id(key)
}

// noteScope remembers the highest scope among the blank nodes of the old store.
func (o *oldStore) noteScope(key []byte) {
	if len(key) < 3 || key[0] != '_' {
		return
	}
	k, ok := scopeOf(key[2:])
	for old := o.scope.Load(); ok && int64(k) > old; old = o.scope.Load() {
		if o.scope.CompareAndSwap(old, int64(k)) {
			return
		}
	}
}

// takeEdges adds the triples of the old store, a partition at a time.
func (l *load) takeEdges(ctx context.Context) error {
	labels := len(l.old.numbers)
	var next atomic.Int64
	return parallel(ctx, l.options.Threads, func(ctx context.Context, _ int) error {
		e, err := l.newEncoder()
		if err != nil {
			return err
		}
		for i := int(next.Add(1)) - 1; i < len(l.old.graphs)*labels; i = int(next.Add(1)) - 1 {
			if err := l.takePartition(ctx, e, l.old.graphs[i/labels], pcsr.Label(i%labels)); err != nil {
				return err
			}
		}
		return l.endEncoder(e)
	})
}

func (l *load) takePartition(ctx context.Context, e *encoder, g oldGraph, label pcsr.Label) error {
	p := g.graph.Partition(label, pcsr.Out)
	ids, name := l.old.ids, defaultGraph
	if g.name != dictionary.None {
		name = ids[g.name]
	}
	for v, list := range p.Lists() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, w := range list {
			if int(v) >= len(ids) || int(w) >= len(ids) {
				return fmt.Errorf("loader: %w: an edge of label %d has no terms", store.ErrDamaged, label)
			}
			if err := e.add(ids[v], l.old.numbers[label], ids[w], name); err != nil {
				return err
			}
		}
	}
	return nil
}
