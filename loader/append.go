package loader

import "context"

// An append reads its inputs like any load. Then it looks their terms and triples up in the store: a term that the store
// has keeps its ID, a triple that it has is dropped, and what is left becomes a segment of its own.
//
// So that there are never many segments, the last ones are made one with the new one as long as they are no more than
// twice as large; where what is added is more than half of the base, everything is made one base again. A triple is so
// written again a number of times that grows with the logarithm of the store.

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
