package loader

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// spillTerms writes the term table out as a run; of an append, once the store's own terms are known.
func (l *load) spillTerms() error {
	if l.old != nil && *l.phase.Load() == Reading {
		if err := l.resolve(context.Background()); err != nil {
			return err
		}
	}
	return l.runs.spill(l.terms, l.old.skips)
}

// resolve looks all terms of the table up in the old store.
func (l *load) resolve(ctx context.Context) (err error) {
	o := l.old
	if o.known, err = grown(l.memory, o.known, int(l.terms.limit())); err != nil {
		return err
	}
	var next atomic.Int64
	return parallel(ctx, l.options.Threads, func(ctx context.Context, _ int) error {
		for i := int(next.Add(1)) - 1; i < tableShards && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			l.terms.shards[i].each(func(_ uint64, number uint32, key []byte) {
				if id, ok := o.Dictionary().LookupKey(key); ok {
					o.known[l.terms.base+number<<shardBits+uint32(i)] = id + 1
				}
			})
		}
		return ctx.Err()
	})
}

// grown returns an array with room for n elements, the first of them those of the given one, which it releases.
func grown(m *memory, array []uint32, n int) ([]uint32, error) {
	larger, err := allocate[uint32](m, n)
	if err != nil {
		return array, err
	}
	copy(larger, array)
	release(m, array)
	return larger, nil
}

func (l *load) resolvePredicates() error {
	for _, key := range l.names.keys {
		id, ok := l.old.Dictionary().LookupKey([]byte(key))
		if !ok {
			id = dictionary.None
		}
		l.old.labels = append(l.old.labels, id)
	}
	return l.old.Dictionary().Err()
}

// dropKnown drops the rows whose triples the old store has, and counts the uses of the predicates anew.
func (l *load) dropKnown(ctx context.Context) error {
	workers := make([]*edgeFinder, l.options.Threads)
	for i := range workers {
		workers[i] = &edgeFinder{old: l.old, triples: l.triples, graphs: map[uint32]*pcsr.Graph{}, uses: make([]uint64, len(l.names.keys)), met: metWriter{list: l.met}}
	}
	err := l.triples.filter(ctx, func(worker int, row []uint32) (bool, error) { return workers[worker].isNew(row) })
	if err != nil {
		return err
	}
	clear(l.uses)
	for _, w := range workers {
		if err := w.met.end(); err != nil {
			return err
		}
		l.report.Known += w.known
		for n, used := range w.uses {
			if used > 0 {
				l.uses[n] += used
			}
		}
	}
	return nil
}

// edgeFinder finds rows in the old store. One worker owns it.
type edgeFinder struct {
	old     *oldStore
	triples *tripleList
	graphs  map[uint32]*pcsr.Graph // by ID of the name, nil where there is none
	uses    []uint64
	known   uint64
	found   Triple // what find has found
	met     metWriter
}

func (f *edgeFinder) isNew(row []uint32) (bool, error) {
	known, err := f.find(row)
	if err != nil {
		return false, err
	}
	if known {
		f.known++
		err = f.met.add(f.found)
	} else {
		f.uses[row[rowPredicate]]++
	}
	return !known, err
}

func (f *edgeFinder) find(row []uint32) (bool, error) {
	s, o, label := f.old.known[row[rowSubject]], f.old.known[row[rowObject]], f.old.labels[row[rowPredicate]]
	if s == 0 || o == 0 || label == dictionary.None {
		return false, nil
	}
	name := f.triples.graphOf(row)
	if name != defaultGraph {
		if name = f.old.known[name]; name == 0 {
			return false, nil
		}
		name--
	}
	g, ok := f.graphs[name]
	if !ok {
		var err error
		if g, err = f.old.Graph(name); err != nil { // dictionary.None is defaultGraph
			return false, err
		}
		f.graphs[name] = g
	}
	f.found = Triple{Graph: name, Subject: s - 1, Predicate: label, Object: o - 1} // dictionary.None is defaultGraph
	return g != nil && g.HasEdge(s-1, label, o-1), nil
}
