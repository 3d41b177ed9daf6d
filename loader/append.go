package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// An append reads its inputs like any load. Then it looks their terms and triples up in the store: a term that the store
// has keeps its ID, a triple that it has is dropped, and what is left becomes a segment of its own.
//
// So that there are never many segments, the last ones are made one with the new one as long as they are no more than
// twice as large; where what is added is more than half of the base, everything is made one base again. A triple is so
// written again a number of times that grows with the logarithm of the store.

// oldStore is the store that a load adds to.
type oldStore struct {
	*store.Store
	// keep is how many of its segments stay as they are, start the number of their terms: the IDs below stay.
	keep  int
	start uint32

	// known are the IDs plus one, by provisional ID, of the inputs' terms that the store has; labels likewise by
	// predicate number, without the plus one (None).
	known  []uint32
	labels []uint32

	// Of the segments that do not stay: the provisional IDs of their terms, by ID less start, and the terms of
	// segments that stay which their triples name, ascending, with provisional IDs from borrowedFrom on.
	taken        []uint32
	borrowed     []uint32
	borrowedFrom uint32
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
	o := &oldStore{Store: s}
	o.keepFirst(len(s.Manifest().Segments))
	return o, nil
}

func (o *oldStore) keepFirst(n int) {
	o.keep, o.start = n, 0
	for _, s := range o.Manifest().Segments[:n] {
		o.start += uint32(s.Terms)
	}
}

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

// chooseSegments decides which segments stay when so many triples are added.
func (o *oldStore) chooseSegments(added uint64) {
	segments := o.Manifest().Segments
	keep := len(segments)
	for keep > 1 && segments[keep-1].Triples <= 2*added {
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
	for _, s := range o.Manifest().Segments[:o.keep] {
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
	if added == 0 && len(l.sources) > 0 {
		return true, l.timed(Committing, l.commitNothing)
	}
	if len(l.sources) == 0 {
		l.old.keepFirst(0) // Compact
	} else {
		l.old.chooseSegments(added)
	}
	if l.old.keep == len(l.old.Manifest().Segments) {
		return false, nil
	}
	return false, l.timed(TakingOver, func() error { return l.takeOver(ctx) })
}

func (l *load) commitNothing() error {
	m := l.old.Manifest()
	if err := l.target.CommitNothing(l.sourceNames()); err != nil {
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
	o.known, o.taken, o.borrowed = nil, nil, nil
}

// checkSize refuses a store with more terms than IDs.
func (l *load) checkSize(order *termOrder) error {
	if uint64(order.first)+uint64(order.size()) >= uint64(dictionary.None) {
		return fmt.Errorf("loader: %w", errTooManyTerms)
	}
	return nil
}

// Compact makes all segments of the store in dir one base. A store of one segment stays as it is: Report.Merged is 0
// then. Like a load it leaves either the old store or the new one, whenever it ends; Options.Append and SkipBad mean
// nothing.
func Compact(ctx context.Context, dir string, options Options) (Report, error) {
	old, err := store.Open(dir)
	if err != nil {
		return Report{}, err
	}
	if err := old.Close(); err != nil {
		return Report{}, err
	}
	target, err := store.Begin(dir)
	if err != nil {
		return Report{}, err
	}
	l := newLoad(target, nil, options.withDefaults())
	if m := target.Current(); m != nil && len(m.Segments) == 1 {
		l.report.Kept = m.Triples
		l.describe(m)
		return l.report, target.Abort()
	}
	l.old, err = openOld(dir)
	return l.finish(ctx, err)
}

// finish runs the load unless there was an error before, and gives back what it holds.
func (l *load) finish(ctx context.Context, err error) (Report, error) {
	if err == nil {
		err = section.Guard(func() error { return l.run(ctx) }) // it reads the old store
	}
	if err != nil {
		err = errors.Join(err, l.target.Abort())
	}
	if l.old != nil {
		err = errors.Join(err, l.old.Close())
	}
	l.memory.releaseAll()
	l.report.Elapsed = time.Since(l.start)
	return l.report, err
}

// partsOf are the graphs of one name in the segments of the old store, nil where a segment has none.
func (o *oldStore) partsOf(name uint32) ([]*pcsr.Graph, error) {
	if name == defaultGraph {
		return o.Parts(dictionary.None)
	}
	return o.Parts(dictionary.ID(name))
}
