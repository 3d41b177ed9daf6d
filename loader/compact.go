package loader

import (
	"context"
	"errors"

	"github.com/rdfgpu/rdfgpu/internal/store"
)

// Compact makes all segments of the store in dir one base, without what was removed. A store of one segment stays as it is:
// Report.Merged is 0 then. Like a load it leaves either the old store or the new one, whenever it ends; of the store's log
// it keeps what comes after its segments. Options.Append and SkipBad mean nothing.
func Compact(ctx context.Context, dir string, options Options) (Report, error) {
	if err := checkStore(dir); err != nil {
		return Report{}, err
	}
	target, err := options.begin(dir)
	if err != nil {
		return Report{}, err
	}
	l := newLoad(nil, options.withDefaults())
	l.aim(target)
	if m := target.Current(); m != nil && len(m.Segments) == 1 {
		l.report.Kept = m.Triples
		l.describe(m)
		return l.report, target.Abort()
	}
	l.old, err = openOld(dir)
	return l.rebuild(ctx, err)
}

// checkStore tells what is wrong with a store before it is changed.
func checkStore(dir string) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	return s.Close()
}

// Rebuild writes all that is there in a snapshot of the store whose lock the caller holds as a new base, which takes the
// place of all segments: with new IDs, without what was removed, and without the terms that no triple uses any more.
// The snapshot stays as it is, also when its segments are gone from the disk. No other load may be begun meanwhile. It takes the memory
// of a load, whatever the snapshot holds, and leaves the old store or the new one whenever it ends.
func Rebuild(ctx context.Context, lock *store.Lock, s Snapshot, options Options) (Report, error) {
	l, err := newSnapshotLoad(lock, s, options)
	if err != nil {
		return Report{}, err
	}
	return l.rebuild(ctx, nil)
}

// newSnapshotLoad begins a load of what a snapshot has.
func newSnapshotLoad(lock *store.Lock, s Snapshot, options Options) (*load, error) {
	l := newLoad(nil, options.withDefaults())
	return l, l.begin(lock, s)
}

// begin begins a segment of the store that a snapshot is of.
func (l *load) begin(lock *store.Lock, s Snapshot) error {
	target, err := lock.Begin()
	if err != nil {
		return err
	}
	m := target.Current()
	if m == nil || m.Terms != int(s.Dictionary().Ordered()) || m.Sequence > s.Sequence() {
		return errors.Join(errors.New("loader: the snapshot is not one of the store's segments"), target.Abort())
	}
	l.aim(target)
	l.old = newOld(s, m)
	return nil
}

// rebuild makes everything one base.
func (l *load) rebuild(ctx context.Context, err error) (Report, error) {
	l.combine = func(ctx context.Context) (done bool, err error) {
		l.old.keepFirst(0)
		edges, err := l.old.allEdges()
		if err != nil {
			return false, err
		}
		return false, l.timed(TakingOver, func() error { return l.takeOver(ctx, edges) })
	}
	report, err := l.finish(ctx, err)
	report.Kept = report.Triples
	return report, err
}
