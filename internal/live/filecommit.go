package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/loader"
)

// Some commits are written with the store's files: the manifest gets their sequence, which is the moment of the commit, and then
// the log a record that counts what changed. The writer holds maintenance, and the turn from before the files are written until
// readers see them, so the log is never ahead of what the files have.

// turnToCommit opens the files that were written with a commit, logs it, and lets readers see it. An error ends updates, because the
// files are there.
func (s *Store) turnToCommit(summarise func(files *State) (wal.Summary, error)) error {
	files, err := store.Open(s.dir)
	if err != nil {
		return s.fail(err)
	}
	g := &ground{files: files, tail: dictionary.NewTail(files.Dictionary), holders: 1}
	state := g.first()
	summary, err := summarise(state)
	if err == nil {
		segments := files.Manifest().Segments
		summary.Segment = segments[len(segments)-1].Folder
		_, err = s.log.Append(summary.Append(nil, time.Now()))
	}
	if err == nil {
		_, err = s.log.Sync()
	}
	if err != nil {
		return errors.Join(s.fail(err), files.Close())
	}
	s.turnToState(state)
	if err := s.log.Drop(state.sequence + 1); err != nil {
		s.options.Background("drop old commits of the log", err)
	}
	return nil
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

// flush commits the transaction with files: what it changed, and what was in memory before, becomes a segment. So a graph that is
// cleared is one word of the manifest, and none of its triples lies in the log.
func (t *Transaction) flush(ctx context.Context) (r Report, err error) {
	s := t.store
	if r, err = t.count(); err != nil || len(r.Graphs) == 0 {
		return r, err
	}
	if err := s.following(t.began.State); err != nil {
		return Report{}, err
	}
	state := t.state.next().ready()
	state.sequence = t.began.sequence + 1
	if _, err := loader.Flush(ctx, s.lock, state, loader.Options{Threads: s.options.Threads}); err != nil {
		return Report{}, s.undecided(err, state.sequence)
	}
	r.Sequence = state.sequence
	return r, s.turnToCommit(func(*State) (summary wal.Summary, err error) {
		for _, g := range r.Graphs {
			graph := wal.GraphSummary{Added: g.Added, Removed: g.Removed}
			if g.Name != dictionary.None {
				graph.Key = state.dictionary.AppendKey(nil, g.Name)
			}
			summary.Graphs = append(summary.Graphs, graph)
		}
		return summary, nil
	})
}

// count is what Changes reports, without lists of what is gone from the graphs that were cleared whole.
func (t *Transaction) count() (r Report, err error) {
	r.Sequence = t.began.sequence
	for name, edges := range t.touched {
		before, err := t.began.Graph(name)
		if err != nil {
			return r, err
		}
		after, err := t.state.Graph(name)
		if err != nil {
			return r, err
		}
		g := GraphReport{Name: name}
		if t.whole[name] {
			common := commonEdges(before, func(id dictionary.ID) dictionary.ID { return id }, after)
			g.Added, g.Removed = after.Edges()-common, before.Edges()-common
		} else {
			c := netOf(name, edges, before, after)
			g.Added, g.Removed = uint64(len(c.added)), uint64(len(c.removed))
		}
		if g.Added+g.Removed > 0 {
			r.Graphs = append(r.Graphs, g)
		}
	}
	slices.SortFunc(r.Graphs, func(a, b GraphReport) int { return cmp.Compare(a.Name, b.Name) })
	return r, nil
}
