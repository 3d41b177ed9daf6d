package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/loader"
)

// Some commits are written with the store's files: the manifest gets their sequence, which is the moment of the commit, and then
// the log a record that counts what changed. The writer holds maintenance, and the turn from before the manifest is written until
// readers see the files, so the log is never ahead of what these have.

// turnToCommit opens the files that were written with a commit, logs it, and lets readers see it. An error ends updates, because the
// files are there.
func (s *Store) turnToCommit(graphs []GraphReport) error {
	files, err := store.Open(s.dir)
	if err != nil {
		return s.fail(err)
	}
	g := s.groundOf(files)
	state := g.first()
	segments := files.Manifest().Segments
	summary := summaryOf(graphs)
	summary.Segment = segments[len(segments)-1].Folder
	_, err = s.log.Append(summary.Append(nil, time.Now()))
	if err == nil {
		_, err = s.log.Sync()
	}
	if err != nil {
		return errors.Join(s.fail(err), g.close())
	}
	s.turnToState(state)
	if err := s.log.Drop(state.sequence + 1); err != nil {
		s.options.Background("drop old commits of the log", err)
	}
	return nil
}

// summaryOf is what the log has of a commit.
func summaryOf(graphs []GraphReport) (summary wal.Summary) {
	for _, g := range graphs {
		graph := wal.GraphSummary{Added: g.Added, Removed: g.Removed}
		if !g.Graph.IsZero() {
			graph.Key, _ = dictionary.AppendKey(nil, g.Graph) // it is one of the dictionary's
		}
		summary.Graphs = append(summary.Graphs, graph)
	}
	return summary
}

// undecided is the error of files that could not be written: where they are the store's all the same, updates end.
func (s *Store) undecided(err error, sequence uint64) error {
	if now, e := store.ReadManifest(s.dir); e != nil || now.Log.Sequence == sequence {
		return s.fail(errors.Join(err, e))
	}
	return err
}

// following makes sure that a commit after a state comes next in the log.
func (s *Store) following(state *State) error {
	if last := s.log.Last(); last != state.sequence {
		return s.fail(fmt.Errorf("the log ends at %d and the store is at %d", last, state.sequence))
	}
	return nil
}

// commitFiles commits the transaction with files, where it has changed something.
func (t *Transaction) commitFiles(ctx context.Context) (Report, error) {
	graphs, err := t.count()
	if err != nil || len(graphs) == 0 {
		return Report{Sequence: t.began.sequence}, err
	}
	return t.flush(ctx, graphs)
}

// flush commits the transaction with files: what it changed, and what was in memory before, becomes a segment. So a graph that is
// cleared is one word of the manifest, and none of its triples lies in the log. Documents that it took in lie beside that.
func (t *Transaction) flush(ctx context.Context, graphs []GraphReport) (Report, error) {
	s := t.store
	if err := s.following(t.began.State); err != nil {
		return Report{}, err
	}
	state := t.state.next().ready()
	state.sequence = t.began.sequence + 1
	if _, err := loader.Flush(ctx, s.lock, state, loader.Options{Threads: s.options.Threads}); err != nil {
		return Report{}, s.undecided(err, state.sequence)
	}
	return Report{state.sequence, graphs}, s.turnToCommit(graphs)
}

// count is what Changes reports, without lists of what is gone from the graphs that were cleared whole.
func (t *Transaction) count() (graphs []GraphReport, err error) {
	if len(t.eras) > 0 {
		return t.countStaged()
	}
	for _, name := range slices.Sorted(maps.Keys(t.touched)) {
		before, err := t.began.Graph(name)
		if err != nil {
			return nil, err
		}
		after, err := t.state.Graph(name)
		if err != nil {
			return nil, err
		}
		g := GraphReport{Graph: t.state.term(name)}
		if t.whole[name] {
			common := commonEdges(before, func(id dictionary.ID) dictionary.ID { return id }, after)
			g.Added, g.Removed = after.Edges()-common, before.Edges()-common
		} else {
			c := netOf(name, t.touched[name], before, after)
			g.Added, g.Removed = uint64(len(c.added)), uint64(len(c.removed))
		}
		if g.Added+g.Removed > 0 {
			graphs = append(graphs, g)
		}
	}
	return graphs, nil
}
