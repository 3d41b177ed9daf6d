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
	for _, g := range s.openParts() {
		if err := g.CheckAll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// openParts are the parts of all graphs that are open, the default graph's first.
func (s *Store) openParts() (open []*pcsr.Graph) {
	s.mu.Lock()
	defer s.mu.Unlock()
	graphs := []*graph{s.parts}
	for _, name := range s.names {
		graphs = append(graphs, s.named[name])
	}
	for _, g := range graphs {
		for i := range g.files {
			if p := g.files[i].open; p != nil {
				open = append(open, p)
			}
		}
	}
	return open
}
