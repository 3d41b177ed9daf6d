package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// An append reads its inputs like any load. Then it looks their terms and triples up in the store: a term that the store
// has keeps its ID, a triple that it has is dropped, and what is left becomes a segment of its own.
//
// So that there are never many segments, the last ones are made one with the new one as long as they are no more than
// twice as large; where what is added is more than half of the base, everything is made one base again. A triple is so
// written again a number of times that grows with the logarithm of the store.

// skips reports whether a term needs no new ID. A nil store skips nothing.
func (o *oldStore) skips(id uint32) bool {
	return o != nil && uint64(id) < uint64(len(o.known)) && o.known[id] != 0 && o.known[id]-1 < o.start
}

// first is the ID of the first new term.
func (o *oldStore) first() uint32 {
	if o == nil {
		return 0
	}
	return o.start
}

// label is the label that a predicate keeps.
func (o *oldStore) label(number int) (label uint32, ok bool) {
	if o == nil || number >= len(o.labels) || o.labels[number] >= o.start {
		return 0, false
	}
	return o.labels[number], true
}

// chooseSegments decides which segments stay when so many triples are added. One that removes triples goes only with all
// before it: what it removes is not in those that go.
func (o *oldStore) chooseSegments(added uint64) {
	segments := o.manifest.Segments
	keep := len(segments)
	for keep > 1 && segments[keep-1].Triples <= 2*added && !segments[keep-1].Removes() {
		keep--
		added += segments[keep].Triples
	}
	if added > segments[0].Triples/2 {
		keep = 0
	}
	o.keepFirst(keep)
}

// isPredicate reports whether a term is an edge label in the segments that stay.
func (o *oldStore) isPredicate(id uint32) bool {
	start := uint32(0)
	for _, s := range o.manifest.Segments[:o.keep] {
		if id >= start && id-start < uint32(s.Predicates) {
			return true
		}
		if _, late := slices.BinarySearch(s.LatePredicates, dictionary.ID(id)); late {
			return true
		}
		start += uint32(s.Terms)
	}
	return false
}

// typeLabel is the label of rdf:type where the segments that stay have it.
func (o *oldStore) typeLabel() (label uint32, ok bool) {
	if o == nil {
		return 0, false
	}
	label, ok = o.label(typeNumber)
	return label, ok && o.isPredicate(label)
}

// latePredicates are the labels that were no predicates in the segments that stay, ascending.
func (o *oldStore) latePredicates(labels []uint32) (late []dictionary.ID) {
	for _, label := range labels {
		if o != nil && label < o.start && !o.isPredicate(label) {
			late = append(late, label)
		}
	}
	slices.Sort(late)
	return late
}

// join decides how the inputs become part of the old store. done says that there was nothing to add, and that the load
// has ended.
func (l *load) join(ctx context.Context) (done bool, err error) {
	err = l.timed(Comparing, func() error {
		if err := l.resolve(ctx); err != nil {
			return err
		}
		if err := l.resolvePredicates(); err != nil {
			return err
		}
		return l.dropKnown(ctx)
	})
	if err != nil {
		return false, err
	}
	added := uint64(l.triples.rows.Load())
	if added == 0 {
		return true, l.timed(Committing, l.commitNothing)
	}
	l.old.chooseSegments(added)
	if l.old.keep == len(l.old.manifest.Segments) {
		return false, nil
	}
	edges, err := l.old.goneEdges()
	if err != nil {
		return false, err
	}
	return false, l.timed(TakingOver, func() error { return l.takeOver(ctx, edges) })
}

func (l *load) commitNothing() error {
	m := l.old.manifest
	if err := l.target.CommitNothing(l.sourceNames(), l.old.log()); err != nil {
		return err
	}
	l.report.Kept = m.Triples
	l.describe(m)
	return nil
}

// settle gives the terms that the store has their ranks.
func (l *load) settle(order *termOrder) {
	o := l.old
	if o == nil {
		return
	}
	n := uint32(order.size())
	order.first = o.start
	l.memory.inRanges(len(o.known), func(from, to int) {
		for id := from; id < to; id++ {
			switch k := o.known[id]; {
			case k == 0:
			case k-1 < o.start:
				order.rank[id] = n + k - 1
			default:
				if taken := o.taken[k-1-o.start]; taken != uint32(id) {
					order.rank[id] = order.rank[taken]
				}
			}
		}
	})
	for i, id := range o.borrowed {
		order.rank[int(o.borrowedFrom)+i] = n + id
	}
	release(l.memory, o.known)
	release(l.memory, o.taken)
	release(l.memory, o.used)
	o.known, o.taken, o.used, o.borrowed = nil, nil, nil, nil
}

// checkSize refuses a store with more terms than IDs.
func (l *load) checkSize(order *termOrder) error {
	if uint64(order.first)+uint64(order.size()) >= uint64(dictionary.None) {
		return fmt.Errorf("loader: %w", errTooManyTerms)
	}
	return nil
}

// finish runs the load unless there was an error before, and gives back what it holds.
func (l *load) finish(ctx context.Context, err error) (Report, error) {
	if err == nil {
		err = section.Guard(func() error { return l.run(ctx) }) // it reads the old store
	}
	if err != nil {
		err = errors.Join(err, l.target.Abort())
	}
	err = errors.Join(err, l.old.close())
	l.memory.releaseAll()
	l.report.Elapsed = time.Since(l.start)
	return l.report, err
}
