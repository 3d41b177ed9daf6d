package live

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// ErrInFiles says that what a commit changed was in the store's files alone, and that these do not tell it any more.
var ErrInFiles = errors.New("its quads cannot be told any more: dump the store, or back it up")

// FileChange is a quad that a commit added or removed.
type FileChange struct {
	Quad   rdf.Quad
	Delete bool
}

// FileChanges are those of a commit that was written with the store's files: what its segments say, less what earlier commits did that lie
// in the same ones, which the log has. They are read as they are yielded, each once, and take memory for those earlier commits alone. The
// error wraps ErrInFiles where the segments are not there any more, or have other triples too.
func (s *Store) FileChanges(sequence uint64) iter.Seq2[FileChange, error] {
	return func(yield func(FileChange, error) bool) {
		snapshot := s.Snapshot()
		defer snapshot.Release()
		err := section.Guard(func() error {
			told, err := s.tellingOf(snapshot.Files(), sequence)
			if err != nil {
				return err
			}
			return told.each(func(c FileChange) bool { return yield(c, nil) })
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(FileChange{}, err)
		}
	}
}

// errEnough ends FileChanges where its caller has enough.
var errEnough = errors.New("enough")

// telling is what is needed to tell what a commit changed.
type telling struct {
	files      *store.Store
	first, end int              // its segments
	tail       *dictionary.Tail // for terms that only earlier commits had
	// earlier is, by graph, what became of edges in the commits before this one that lie in the segments too.
	earlier map[dictionary.ID]*fates
}

// tellingOf finds the segments of a commit, and reads the commits that share them.
func (s *Store) tellingOf(files *store.Store, sequence uint64) (*telling, error) {
	gone := func(format string, args ...any) error {
		return fmt.Errorf("live: commit %d: %s: %w", sequence, fmt.Sprintf(format, args...), ErrInFiles)
	}
	segments := files.Manifest().Segments
	first := slices.IndexFunc(segments, func(s store.Segment) bool { return s.Commits != nil && s.Commits.Last == sequence })
	if first < 0 {
		return nil, gone("no files of the store have it alone: they were compacted since, or it was written as a new base with what was there")
	}
	end := first + 1
	for end < len(segments) && segments[end].Commits != nil && segments[end].Commits.Last == sequence {
		end++
	}
	state := &State{ground: &ground{files: files, tail: dictionary.NewTail(files.Dictionary)}}
	b := newBatch(state)
	for after := segments[first].Commits.After; after+1 < sequence; after++ {
		record, err := s.Record(after + 1)
		if errors.Is(err, wal.ErrGone) || err == nil && wal.InFiles(record.Payload) {
			return nil, gone("%s has commit %d too, which the log does not have any more", segments[first].Folder, after+1)
		}
		if err == nil {
			err = b.gather(record)
		}
		if err != nil {
			return nil, err
		}
	}
	return &telling{files, first, end, state.ground.tail, b.graphs}, nil
}

// Record is one commit of the log; wal.ErrGone where that does not have it any more.
func (s *Store) Record(sequence uint64) (wal.Record, error) {
	for record, err := range s.Records(sequence) {
		if err == nil && record.Sequence != sequence {
			err = wal.ErrGone
		}
		return record, err
	}
	return wal.Record{}, wal.ErrGone
}

// each yields the changes, graph by graph, until yield has enough.
func (t *telling) each(yield func(FileChange) bool) error {
	names := slices.Collect(maps.Keys(t.earlier))
	for i := range t.files.Manifest().Segments[t.first:t.end] {
		names = append(names, t.files.Manifest().Segments[t.first+i].GraphNames()...)
	}
	slices.Sort(names)
	var graphs []*toldGraph // all are opened before any is told: once they are, compacting the store does not take them away
	for _, name := range slices.Compact(names) {
		change, err := t.files.Change(name, t.first, t.end)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("live: the store was compacted meanwhile: %w", ErrInFiles)
		}
		if err != nil {
			return err
		}
		graphs = append(graphs, &toldGraph{change, name, t.earlier[name], t.tail.Dictionary(t.tail.Len()), yield})
	}
	for _, g := range graphs {
		if !g.each() {
			return errEnough
		}
	}
	return nil
}

// toldGraph is telling of one graph.
type toldGraph struct {
	store.Change
	name    dictionary.ID
	earlier *fates
	terms   *dictionary.Dictionary
	yield   func(FileChange) bool
}

// each tells of the edges that the segments speak of, and of those that they do not speak of because the commit undid what earlier ones did. It
// reports whether yield wants more.
func (g *toldGraph) each() bool {
	for i, part := range g.Parts {
		for e := range listed(part) {
			if !inSome(g.Parts[:i], e) && !g.tell(e) {
				return false
			}
		}
	}
	for e := range g.earlier.all() {
		if !inSome(g.Parts, e) && !g.tell(e) {
			return false
		}
	}
	return true
}

// tell tells of an edge where the commit changed it.
func (g *toldGraph) tell(e pcsr.Edge) bool {
	was, is := has(g.Before, e), has(g.After, e)
	if f, known := g.earlier.of(e); known {
		was = !f.lastGone
	}
	if was == is {
		return true
	}
	q := rdf.Quad{Subject: g.terms.Term(e.From), Predicate: g.terms.Term(e.Label), Object: g.terms.Term(e.To)}
	if g.name != dictionary.None {
		q.Graph = g.terms.Term(g.name)
	}
	return g.yield(FileChange{q, was})
}

// has is HasEdge of a graph that may be nil.
func has(g *pcsr.Graph, e pcsr.Edge) bool { return g != nil && g.HasEdge(e.From, e.Label, e.To) }

func inSome(graphs []*pcsr.Graph, e pcsr.Edge) bool {
	return slices.ContainsFunc(graphs, func(g *pcsr.Graph) bool { return has(g, e) })
}

// listed are the edges of a graph, for which partitions of a union are not merged.
func listed(g *pcsr.Graph) iter.Seq[pcsr.Edge] {
	return func(yield func(pcsr.Edge) bool) {
		for _, l := range g.UsedLabels() {
			for from, list := range g.Lists(l, pcsr.Out) {
				for _, to := range list {
					if !yield(pcsr.Edge{From: from, Label: l, To: to}) {
						return
					}
				}
			}
		}
	}
}
