package store

import (
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Verify reads every file whole: checksums, then the invariants of each part and what they must agree on: that no
// segment has a term or a triple that an earlier one has. The error names the file.
func (s *Store) Verify() error { return section.Guard(s.verify) }

func (s *Store) verify() error {
	if err := s.Dictionary.Verify(); err != nil {
		return err
	}
	predicates := s.predicates()
	for _, name := range append([]dictionary.ID{dictionary.None}, s.names...) {
		if err := s.verifyGraph(name, predicates); err != nil {
			return err
		}
	}
	return nil
}

// predicates are the terms that are edge labels, by the segment that made them so, as the manifest tells.
func (s *Store) predicates() (all []map[dictionary.ID]bool) {
	start := 0
	for i := range s.manifest.Segments {
		m := &s.manifest.Segments[i]
		labels := make(map[dictionary.ID]bool, m.Predicates+len(m.LatePredicates))
		for k := range m.Predicates {
			labels[dictionary.ID(start+k)] = true
		}
		for _, id := range m.LatePredicates {
			labels[id] = true
		}
		all = append(all, labels)
		start = s.ends[i]
	}
	return all
}

// verifyGraph checks what the segments have of one graph.
func (s *Store) verifyGraph(name dictionary.ID, predicates []map[dictionary.ID]bool) error {
	g := s.parts
	if name != dictionary.None {
		g = s.named[name]
		if kind := s.Dictionary.Kind(name); kind != rdf.IRI && kind != rdf.BlankNode {
			first := g.files[0]
			return damaged(s.path(first.segment, first.Name), fmt.Errorf("the name of its graph is %v", s.Dictionary.Term(name)))
		}
	}
	parts, err := s.Parts(name)
	if err != nil {
		return err
	}
	for _, f := range g.files {
		p := parts[f.segment]
		if err := p.Verify(); err != nil {
			return err
		}
		for _, label := range p.UsedLabels() {
			known := slices.ContainsFunc(predicates[:f.segment+1], func(ids map[dictionary.ID]bool) bool { return ids[label] })
			if !known {
				return damaged(s.path(f.segment, f.Name), fmt.Errorf("label %d is no predicate", label))
			}
			for i, earlier := range parts[:f.segment] {
				if earlier != nil && meet(earlier.Partition(label, pcsr.Out), p.Partition(label, pcsr.Out)) {
					return damaged(s.path(f.segment, f.Name), fmt.Errorf("a triple of label %d is in segment %s too", label, s.manifest.Segments[i].Folder))
				}
			}
		}
	}
	return nil
}

// meet reports whether two partitions have an edge in common.
func meet(a, b *pcsr.Partition) bool {
	if a.Rows() > b.Rows() {
		a, b = b, a
	}
	for v, list := range a.Lists() {
		other := b.Neighbours(v)
		if len(other) > len(list) {
			list, other = other, list
		}
		for _, w := range other {
			if pcsr.Contains(list, w) {
				return true
			}
		}
	}
	return false
}
