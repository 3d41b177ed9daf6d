package store

import (
	"context"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// CheckAll compares the checksums of what has not been read yet of the dictionary and of the graphs that are open,
// slowly, beside other work. From then on reading them costs no checks. The error is ErrDamaged and names the file, or it
// is the context's.
func (s *Store) CheckAll(ctx context.Context) error {
	if err := s.Dictionary.CheckAll(ctx); err != nil {
		return err
	}
	for _, l := range s.lists {
		if err := l.CheckAll(ctx); err != nil {
			return err
		}
	}
	for _, g := range s.openFiles() {
		if err := g.CheckAll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// openFiles are the files of all graphs that are open, the default graph's first.
func (s *Store) openFiles() (open []*pcsr.Graph) {
	s.mu.Lock()
	defer s.mu.Unlock()
	graphs := []*graph{s.standard}
	for _, name := range s.names {
		graphs = append(graphs, s.named[name])
	}
	for _, g := range graphs {
		for _, f := range g.files() {
			if f.open != nil {
				open = append(open, f.open)
			}
		}
	}
	return open
}
