package store

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Verify reads every file whole: checksums, then the invariants of each part and what they must agree on. The error
// names the file.
func (s *Store) Verify() error {
	if err := s.Dictionary.Verify(); err != nil {
		return err
	}
	if err := s.Default.Verify(); err != nil {
		return err
	}
	for _, id := range s.names {
		if err := s.verifyNamed(id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) verifyNamed(id dictionary.ID) error {
	n := s.named[id]
	if kind := s.Dictionary.Kind(id); kind != rdf.IRI && kind != rdf.BlankNode {
		return damaged(s.path(n.Name), fmt.Errorf("the name of its graph is %v", s.Dictionary.Term(id)))
	}
	if err := s.checkFile(n.File); err != nil {
		return err
	}
	graph, err := s.Named(id)
	if err != nil {
		return err
	}
	return graph.Verify()
}
