package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Verify reads every file whole: checksums, then the invariants of each part and what they must agree on: that no segment
// has a term that an earlier one has, that it adds no triple that is there after those before it, and removes none that is
// not. The error names the file.
func (s *Store) Verify() error { return section.Guard(s.verify) }

func (s *Store) verify() error {
	if err := s.Dictionary.Verify(); err != nil {
		return err
	}
	for _, l := range s.lists {
		if err := l.Verify(); err != nil {
			return err
		}
	}
	predicates := s.predicates()
	if err := s.verifyGraph(s.standard, predicates); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.named)) {
		g := s.named[name]
		if kind := s.Dictionary.Kind(name); kind != rdf.IRI && kind != rdf.BlankNode {
			return damaged(s.manifestPath(), fmt.Errorf("the name of a graph is %v", s.Dictionary.Term(name)))
		}
		if err := s.verifyGraph(g, predicates); err != nil {
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

// verifyGraph checks what the segments say of one graph.
func (s *Store) verifyGraph(g *graph, predicates []map[dictionary.ID]bool) error {
	for i := range g.parts {
		p := &g.parts[i]
		for _, f := range p.appendFiles(nil) {
			if err := s.openFile(g, f); err != nil {
				return err
			}
			if err := f.open.Verify(); err != nil {
				return err
			}
			for _, label := range f.open.UsedLabels() {
				known := slices.ContainsFunc(predicates[:f.segment+1], func(ids map[dictionary.ID]bool) bool { return ids[label] })
				if !known {
					return damaged(s.pathOf(f), fmt.Errorf("label %d is no predicate", label))
				}
			}
		}
		if err := s.verifyPart(g.parts[:i], p); err != nil {
			return err
		}
	}
	whole, err := s.union(g)
	if err == nil && whole.Edges() != g.triples {
		err = damaged(s.manifestPath(), fmt.Errorf("a graph has %d triples, not %d", whole.Edges(), g.triples))
	}
	return err
}

// verifyPart checks that a part adds only triples that are not there after the parts before it, or that it removes from these, and removes
// only those that are there.
func (s *Store) verifyPart(before []part, p *part) error {
	if p.cleared {
		before = nil
	}
	if f := p.added; f != nil {
		below := before
		if p.removed != nil {
			below = append(before[:len(before):len(before)], part{removed: p.removed})
		}
		err := f.eachList(below, func(there, of int) error {
			if there > 0 {
				return errors.New("it adds a triple that is there already")
			}
			return nil
		})
		if err != nil {
			return damaged(s.pathOf(f), err)
		}
	}
	if f := p.removed; f != nil {
		err := f.eachList(before, func(there, of int) error {
			if there < of {
				return errors.New("it removes a triple that is not there")
			}
			return nil
		})
		if err != nil {
			return damaged(s.pathOf(f), err)
		}
	}
	return nil
}

// eachList tells of each list of the file how many of its triples are there after some parts.
func (f *graphFile) eachList(before []part, do func(there, of int) error) error {
	for _, label := range f.open.UsedLabels() {
		b := newBelow(before, label)
		for v, list := range f.open.Partition(label, pcsr.Out).Lists() {
			if err := do(b.count(v, list), len(list)); err != nil {
				return fmt.Errorf("label %d: %w", label, err)
			}
		}
	}
	return nil
}

// below is what some parts say of the edges of a label, the last first.
type below struct {
	parts []belowPart
	rest  []pcsr.Vertex
}

type belowPart struct{ added, removed *pcsr.Partition }

func newBelow(parts []part, label pcsr.Label) *below {
	b := &below{}
	partition := func(f *graphFile) *pcsr.Partition {
		if f == nil {
			return &pcsr.Partition{}
		}
		return f.open.Partition(label, pcsr.Out)
	}
	for _, p := range slices.Backward(parts) {
		if l := (belowPart{partition(p.added), partition(p.removed)}); l.added.Rows()+l.removed.Rows() > 0 {
			b.parts = append(b.parts, l)
		}
		if p.cleared {
			break
		}
	}
	return b
}

// count is how many of v's neighbours in a list are there.
func (b *below) count(v pcsr.Vertex, list []pcsr.Vertex) int {
	there := 0
	b.rest = append(b.rest[:0], list...)
	for _, p := range b.parts {
		there += b.take(p.added.Neighbours(v))
		b.take(p.removed.Neighbours(v))
	}
	return there
}

// take drops those that are in a list from the rest, and tells how many they were.
func (b *below) take(list []pcsr.Vertex) int {
	if len(list) == 0 {
		return 0
	}
	n := len(b.rest)
	b.rest = slices.DeleteFunc(b.rest, func(w pcsr.Vertex) bool { return pcsr.Contains(list, w) })
	return n - len(b.rest)
}
