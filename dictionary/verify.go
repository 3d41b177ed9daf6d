package dictionary

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/section"
	"golang.org/x/sync/errgroup"
)

// Verify reads the whole dictionary: the checksums of its files, then for every term that it lies in its section and in
// order, that its value is that of its text, and that the hash tables find it, in the first segment that has it, and
// nothing else under its key; so no segment repeats a term of an earlier one. The error names the file and the ID, local
// to the file's segment. A tail has no files, and is not looked at.
func (d *Dictionary) Verify() error { return section.Guard(d.verify) }

func (d *Dictionary) verify() error {
	for i, s := range d.segments {
		for _, f := range s.files {
			if err := f.Verify(); err != nil {
				return err
			}
		}
		if err := s.verifyGroups(); err != nil {
			return err
		}
		if err := d.verifyTerms(i); err != nil {
			return err
		}
		if err := s.verifySlots(); err != nil {
			return err
		}
	}
	return nil
}

// verifyTerms checks all terms of segment i, on all cores.
func (d *Dictionary) verifyTerms(i int) error {
	n, workers := d.segments[i].Len(), runtime.GOMAXPROCS(0)
	step := (n/workers/blockTerms + 1) * blockTerms
	var group errgroup.Group
	for k := range workers {
		group.Go(func() error {
			return section.Guard(func() error { return d.verifyRange(i, min(k*step, n), min((k+1)*step, n)) })
		})
	}
	return group.Wait()
}

func (s *Segment) verifyGroups() error {
	for i, g := range s.groups {
		if g < s.starts[Resources] || g > s.starts[Numbers] || i > 0 && g <= s.groups[i-1] {
			return s.files[0].Damaged("group %d of the resources is out of place", i)
		}
	}
	return nil
}

// verifyRange checks the terms of segment number from the local ID first to end, and the order of first and the one
// before it.
func (d *Dictionary) verifyRange(number, first, end int) error {
	s, start := d.segments[number], d.starts[number]
	var key, order, previous []byte
	if first > 0 && first < end {
		previous, _, _ = AppendSortKey(nil, d.AppendKey(nil, start+ID(first-1)))
	}
	for i := first; i < end; i++ {
		id := ID(i)
		key = d.AppendKey(key[:0], start+id)
		var section Section
		var err error
		order, section, err = AppendSortKey(order[:0], key)
		if err != nil {
			return s.files[0].Damaged("the term of ID %d: %w", id, err)
		}
		own := s.section(id)
		if section != max(own, Resources) {
			return s.files[0].Damaged("the term of ID %d is not one of the %v", id, own)
		}
		if !s.startsOrder(id, own) && bytes.Compare(previous, order) >= 0 {
			return s.files[0].Damaged("the term of ID %d is out of order", id)
		}
		if err := d.verifyTerm(number, id, key); err != nil {
			return err
		}
		order, previous = previous, order
	}
	return nil
}

// startsOrder reports whether a section or a group starts at a local ID.
func (s *Segment) startsOrder(id ID, own Section) bool {
	if id == s.starts[own] {
		return true
	}
	_, found := slices.BinarySearch(s.groups, id)
	return found && own == Resources
}

// verifyTerm checks the value and the key of a local ID of segment number, and that lookups lead there.
func (d *Dictionary) verifyTerm(number int, id ID, key []byte) error {
	s, start := d.segments[number], d.starts[number]
	own := s.section(id)
	p, err := splitKey(key)
	if err != nil {
		return s.files[0].Damaged("the term of ID %d: %w", id, err)
	}
	if _, value := p.classify(); own >= Numbers && own <= Booleans && !equalValues(value, d.Value(start+id)) {
		return s.files[1].Damaged("the value of ID %d is not that of its term", id)
	}
	switch found, ok := d.LookupKey(key); {
	case ok && found < start:
		return s.files[0].Damaged("the term of ID %d is one of an earlier segment", id)
	case !ok || found != start+id:
		return s.files[2].Damaged("ID %d is not found by its term", id)
	}
	if t, _ := s.text(id); !t.escapes {
		table := &literalEscapes
		text := p.text
		if own <= Resources {
			table, text = &iriEscapes, text[1:]
		}
		if slices.ContainsFunc(text, func(c byte) bool { return table[c] }) {
			return s.files[0].Damaged("the block of ID %d is not marked for escapes", id)
		}
	}
	return nil
}

func equalValues(a, b Value) bool {
	if (a.Big == nil) != (b.Big == nil) || a.Big != nil && a.Big.Cmp(b.Big) != 0 || math.Float64bits(a.Float) != math.Float64bits(b.Float) {
		return false
	}
	a.Big, b.Big, a.Float, b.Float = nil, nil, 0, 0
	return a == b
}

// verifySlots checks that the table has one slot for each term: together with the lookups of all, no slot is wrong.
func (s *Segment) verifySlots() error {
	used := 0
	for _, slot := range s.hash.slots {
		if slot != emptySlot {
			used++
		}
	}
	if used != s.Len() {
		return fmt.Errorf("dictionary: %w", s.files[2].Damaged("%d slots are in use for %d terms", used, s.Len()))
	}
	return nil
}
