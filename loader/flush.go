package loader

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/radix"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Flush writes what a snapshot of the store whose lock the caller holds has changed as a segment: the triples that came and
// the terms of theirs that no segment has, and the triples that are gone. All segments stay, so the IDs of their terms do;
// those behind them get new ones, in the order of a segment, and terms that no triple uses are left out. Where nothing has
// changed, no segment is written and only the sequence goes on. It looks nothing up in the store, and takes time and memory for what has
// changed. It leaves the old store or the new one, whenever it ends. No other load may be begun meanwhile.
func Flush(ctx context.Context, lock *store.Lock, s Snapshot, options Options) (Report, error) {
	l, err := newSnapshotLoad(lock, s, options)
	if err != nil {
		return Report{}, err
	}
	return l.flush(ctx)
}

func (l *load) flush(ctx context.Context) (Report, error) {
	l.combine = l.takeChanges
	return l.finish(ctx, nil)
}

// takeChanges adds the triples that the snapshot has come by, and writes those that are gone.
func (l *load) takeChanges(ctx context.Context) (done bool, err error) {
	if err := l.resolvePredicates(); err != nil { // rdf:type
		return false, err
	}
	var added []oldEdges
	err = l.timed(Comparing, func() (err error) {
		added, err = l.changes(ctx)
		return err
	})
	if err != nil {
		return false, err
	}
	if len(added) == 0 && len(l.gone.removed) == 0 && len(l.gone.cleared) == 0 {
		return true, l.timed(Committing, l.commitNothing)
	}
	return false, l.timed(TakingOver, func() error { return l.takeOver(ctx, added) })
}

// changes are the edges that were added; of those that are gone, it writes the files.
func (l *load) changes(ctx context.Context) (added []oldEdges, err error) {
	before := l.old.manifest.Counts()
	for _, name := range slices.Sorted(slices.Values(l.old.Changed())) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		edges, err := l.change(ctx, name, before[name])
		if err != nil {
			return nil, err
		}
		added = append(added, edges...)
	}
	return added, nil
}

// change is changes of one graph, of which the segments have so many triples.
func (l *load) change(ctx context.Context, name dictionary.ID, before uint64) (added []oldEdges, err error) {
	g, err := l.old.Graph(name)
	switch {
	case err != nil:
		return nil, err
	case g == nil:
		l.gone.clear(name, before)
		return nil, nil
	case l.old.Cleared(name):
		l.gone.clear(name, before)
		return edgesOf(name, g), nil
	}
	came, went := g.Changes()
	n, gone := g.Changed()
	switch {
	case gone == 0:
	case gone == before:
		l.gone.clear(name, gone)
	default:
		err = l.writeRemoved(ctx, name, went)
	}
	if n > 0 {
		added = []oldEdges{{name, listsOf(came)}}
	}
	return added, err
}

// gone is what a flush takes from the segments.
type gone struct {
	removed []store.NamedContents
	cleared []dictionary.ID
	triples uint64
}

// clear notes that nothing stays of the triples that a graph has in the segments.
func (g *gone) clear(name dictionary.ID, triples uint64) {
	if triples > 0 {
		g.cleared = append(g.cleared, name)
		g.triples += triples
	}
}

// writeRemoved writes the file of the edges that are gone from a graph, which come by label and vertex.
func (l *load) writeRemoved(ctx context.Context, name dictionary.ID, edges iter.Seq[pcsr.Edge]) (err error) {
	terms := int(l.old.start)
	w, err := pcsr.Create(l.target.RemovedPath(len(l.gone.removed)), terms, terms, pcsr.OnDisk(l.target.Disk()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }() // which does nothing after Finish
	n, label := uint64(0), pcsr.Label(0)
	var keys []uint64
	for e := range edges {
		if e.Label != label {
			if err := writeBoth(ctx, w, label, keys); err != nil {
				return err
			}
			label, keys = e.Label, keys[:0]
		}
		keys = append(keys, uint64(e.From)<<32|uint64(e.To))
		n++
	}
	if err := writeBoth(ctx, w, label, keys); err != nil {
		return err
	}
	l.gone.removed = append(l.gone.removed, store.NamedContents{ID: name, Triples: n})
	l.gone.triples += n
	return w.Finish()
}

// writeBoth writes the edges of a label, which are in order, in both directions.
func writeBoth(ctx context.Context, w *pcsr.Writer, label pcsr.Label, keys []uint64) error {
	if len(keys) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	if err := errors.Join(w.Partition(label, pcsr.Out), w.Append(keys)); err != nil {
		return err
	}
	reversed := make([]uint64, len(keys))
	for i, k := range keys {
		reversed[i] = k<<32 | k>>32
	}
	reversed = radix.SortUpper(reversed, make([]uint64, len(keys)), 32) // those of one object are in order by subject
	return errors.Join(w.Partition(label, pcsr.In), w.Append(reversed))
}

func isNamed(graph dictionary.ID) bool { return graph != dictionary.None }
