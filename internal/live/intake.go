package live

import (
	"context"

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

// Commit adds what was read to the graph, or replaces the graph with it, as one transaction. It waits for flushing and compacting to end,
// writes the files beside reads and writes, and then waits for its turn, in which these files follow what was committed meanwhile and become
// the store's. check, where it is not nil, looks at the state that the commit follows; its error ends the commit. Once the files are
// the store's, the context's end does not take them back. An error means that nothing has changed, unless it is ErrFailed.
func (in *Intake) Commit(ctx context.Context, replace bool, check func(*State) error) (Report, error) {
	s := in.store
	if err := s.takeFiles(ctx); err != nil {
		return Report{}, err
	}
	m := &merge{Intake: in, replace: replace}
	defer m.release()
	err := section.Guard(func() error { return m.stage(ctx) })
	if err == nil {
		m.tx, err = s.Begin(ctx)
	}
	if err != nil {
		m.drop()
		return Report{}, err
	}
	m.takeOver()
	err = section.Guard(func() error {
		if check != nil {
			if err := check(m.tx.began.State); err != nil {
				return err
			}
		}
		return m.run(ctx)
	})
	if failed := m.tx.Withdraw(ctx); failed != nil {
		return Report{}, failed
	}
	return m.report, err
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
