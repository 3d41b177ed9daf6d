package dictionary

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// FromTerms builds a dictionary of one segment in memory from terms in any order, with repetitions; predicates are those
// that get the IDs of edge labels, in the order of their keys. It is for tests and small data: everything is sorted in
// memory.
func FromTerms(terms []rdf.Term, predicates ...rdf.Term) (*Dictionary, error) {
	s, err := segmentOf(terms, predicates, func([]byte) bool { return false })
	if err != nil {
		return nil, err
	}
	return Join(s)
}

// Extend is a dictionary with the segments of d and one more, made as FromTerms does, of those terms and predicates that
// d does not have. It is for tests.
func (d *Dictionary) Extend(terms []rdf.Term, predicates ...rdf.Term) (*Dictionary, error) {
	s, err := segmentOf(terms, predicates, func(key []byte) bool { _, ok := d.LookupKey(key); return ok })
	if err != nil {
		return nil, err
	}
	return Join(append(slices.Clone(d.segments), s)...)
}

// segmentOf builds a segment of terms and predicates that are not known.
func segmentOf(terms, predicates []rdf.Term, known func(key []byte) bool) (*Segment, error) {
	rows, err := sortRows(predicates, known)
	if err != nil {
		return nil, err
	}
	w := newMemoryWriter()
	taken := make(map[string]bool, len(rows))
	for _, r := range rows {
		taken[string(r.key)] = true
		if _, err := w.Predicate(r.key); err != nil {
			return nil, err
		}
	}
	if rows, err = sortRows(terms, func(key []byte) bool { return taken[string(key)] || known(key) }); err != nil {
		return nil, err
	}
	w.Group()
	for _, r := range rows {
		if _, err := w.Add(r.key); err != nil {
			return nil, err
		}
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	return w.Segment()
}

type sortRow struct {
	section    Section
	order, key []byte
}

// sortRows is the terms that are not known, each once, in the order of their IDs.
func sortRows(terms []rdf.Term, known func(key []byte) bool) ([]sortRow, error) {
	rows := make([]sortRow, 0, len(terms))
	for _, t := range terms {
		key, ok := AppendKey(nil, t)
		if !ok {
			return nil, fmt.Errorf("dictionary: %w: %q", ErrTerm, t)
		}
		if known(key) {
			continue
		}
		order, section, err := AppendSortKey(nil, key)
		if err != nil {
			return nil, err
		}
		rows = append(rows, sortRow{section, order, key})
	}
	slices.SortFunc(rows, func(a, b sortRow) int {
		if a.section != b.section {
			return int(a.section) - int(b.section)
		}
		return bytes.Compare(a.order, b.order)
	})
	return slices.CompactFunc(rows, func(a, b sortRow) bool { return bytes.Equal(a.key, b.key) }), nil
}
