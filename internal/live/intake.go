package live

import (
	"context"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Intake is documents that are read for one graph, beside reads and writes, and then committed with the store's files: their
// quads never lie in the log, nor in memory all together. Not for concurrent use.
type Intake struct {
	store *Store
	graph rdf.Term
	read  *loader.Intake
}

// NewIntake begins an intake for a graph; the zero Term is the default graph. Close it.
func (s *Store) NewIntake(graph rdf.Term) (*Intake, error) {
	if s.turn == nil {
		return nil, ErrReadOnly
	}
	read, err := loader.NewIntake(graph, loader.Options{Memory: s.options.IntakeMemory, TempDir: s.options.TempDir, Spill: s.options.Spill})
	if err != nil {
		return nil, err
	}
	return &Intake{s, graph, read}, nil
}

// Loader reads the documents.
func (in *Intake) Loader() *loader.Intake { return in.read }

// Close gives back what the intake holds. It may be called again.
func (in *Intake) Close() error { return in.read.Close() }

// Commit adds what was read to the graph, or replaces the graph with it, as one transaction. It waits for flushing and compacting
// to end, then for its turn to write, which it keeps until the files are there: other writers wait for these, readers do not. check, where
// it is not nil, looks at the state that the commit follows; its error ends the commit. Once the files are the store's, the
// context's end does not take them back. An error means that nothing has changed, unless it is ErrFailed.
func (in *Intake) Commit(ctx context.Context, replace bool, check func(*State) error) (Report, error) {
	t, err := in.store.BeginWithFiles(ctx)
	if err != nil {
		return Report{}, err
	}
	defer t.Abort()
	m := &merge{Intake: in, tx: t}
	err = section.Guard(func() error {
		if check != nil {
			if err := check(t.state); err != nil {
				return err
			}
		}
		return m.run(ctx, replace)
	})
	if failed := t.Withdraw(ctx); failed != nil {
		return Report{}, failed
	}
	return m.report, err
}

// merge is the commit of an intake under way.
type merge struct {
	*Intake
	tx *Transaction
	// replaced is what the graph had, where the documents replace something.
	replaced *pcsr.Graph
	report   Report
}

func (m *merge) run(ctx context.Context, replace bool) error {
	s, before := m.store, m.tx.state
	m.report.Sequence = before.sequence
	if err := s.following(before); err != nil {
		return err
	}
	if replace {
		if err := m.clear(); err != nil {
			return err
		}
	}
	state := m.tx.state.next().ready()
	state.sequence = before.sequence + 1
	merged, err := m.read.Merge(ctx, s.lock, state, m.replaced)
	if err != nil {
		return s.undecided(err, state.sequence)
	}
	if merged.Unchanged {
		return nil
	}
	err = s.turnToCommit(func(files *State) ([]GraphReport, error) {
		err := m.count(before, files)
		return m.report.Graphs, err
	})
	if err == nil {
		m.report.Sequence = state.sequence
	}
	return err
}

// clear empties the graph in the transaction's state.
func (m *merge) clear() error {
	name, known := m.tx.state.lookup(m.graph)
	if !known {
		return nil
	}
	whole := m.tx.state.next().ready() // over all IDs that there are
	g, err := whole.Graph(name)
	if err != nil || g.Edges() == 0 {
		return err
	}
	m.replaced = g
	m.tx.state = whole.without(name)
	return nil
}

// count finds out how many triples came and went.
func (m *merge) count(before, after *State) error {
	if m.replaced != nil {
		name, _ := after.lookup(m.graph)
		g, err := after.Graph(name)
		if err != nil {
			return err
		}
		common := commonEdges(m.replaced, before.translation(after), g)
		m.changed(m.graph, g.Edges()-common, m.replaced.Edges()-common)
	}
	was, is := before.counts(), after.counts()
	for _, name := range slices.Sorted(maps.Keys(is)) {
		var graph rdf.Term
		if name != dictionary.None {
			graph = after.dictionary.Term(name)
		}
		if m.replaced != nil && graph == m.graph {
			continue
		}
		added := is[name]
		if old, known := before.lookup(graph); known {
			added -= was[old]
		}
		m.changed(graph, added, 0)
	}
	return nil
}

// changed notes what changed in a graph.
func (m *merge) changed(graph rdf.Term, added, removed uint64) {
	if added+removed > 0 {
		m.report.Graphs = append(m.report.Graphs, GraphReport{graph, added, removed})
	}
}

// lookup is the ID of a graph's name, None for the default graph and where there is no such term.
func (s *State) lookup(graph rdf.Term) (id dictionary.ID, known bool) {
	if graph.IsZero() {
		return dictionary.None, true
	}
	return s.dictionary.Lookup(graph)
}

// counts is how many triples each graph has that has some, the default graph under None.
func (s *State) counts() map[dictionary.ID]uint64 {
	counts := s.ground.files.Manifest().Counts()
	s.named.Scan(func(name dictionary.ID, g *pcsr.Graph) bool {
		counts[name] = g.Edges()
		return true
	})
	counts[dictionary.None] = s.graph.Edges()
	return counts
}
