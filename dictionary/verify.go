package dictionary

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
)

// Verify reads the whole dictionary: the checksums of its files, then for every term that it lies in its section and in
// order, that its value is that of its text, and that the hash table finds it and nothing else under its key. The error
// names the file and the ID.
func (d *Dictionary) Verify() error {
	for _, f := range d.files {
		if err := f.Verify(); err != nil {
			return err
		}
	}
	if err := d.verifyGroups(); err != nil {
		return err
	}
	workers := runtime.GOMAXPROCS(0)
	step := (d.Len()/workers/blockTerms + 1) * blockTerms
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for i := range workers {
		wait.Go(func() { errs[i] = d.verifyRange(min(i*step, d.Len()), min((i+1)*step, d.Len())) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return d.verifySlots()
}

func (d *Dictionary) verifyGroups() error {
	for i, g := range d.groups {
		if g < d.starts[Resources] || g > d.starts[Numbers] || i > 0 && g <= d.groups[i-1] {
			return d.files[0].Damaged("group %d of the resources is out of place", i)
		}
	}
	return nil
}

// verifyRange checks the terms from first to end, and the order of first and the one before it.
func (d *Dictionary) verifyRange(first, end int) error {
	var key, order, previous []byte
	if first > 0 && first < end {
		previous, _, _ = AppendSortKey(nil, d.AppendKey(nil, ID(first-1)))
	}
	for i := first; i < end; i++ {
		id := ID(i)
		key = d.AppendKey(key[:0], id)
		var section Section
		var err error
		order, section, err = AppendSortKey(order[:0], key)
		if err != nil {
			return d.files[0].Damaged("the term of ID %d: %w", id, err)
		}
		own := d.SectionOfID(id)
		if section != max(own, Resources) {
			return d.files[0].Damaged("the term of ID %d is not one of the %v", id, own)
		}
		if !d.startsOrder(id, own) && bytes.Compare(previous, order) >= 0 {
			return d.files[0].Damaged("the term of ID %d is out of order", id)
		}
		if err := d.verifyTerm(id, key, own); err != nil {
			return err
		}
		order, previous = previous, order
	}
	return nil
}

// startsOrder reports whether a section or a group starts at an ID.
func (d *Dictionary) startsOrder(id ID, own Section) bool {
	if id == d.starts[own] {
		return true
	}
	_, found := slices.BinarySearch(d.groups, id)
	return found && own == Resources
}

func (d *Dictionary) verifyTerm(id ID, key []byte, own Section) error {
	p, err := splitKey(key)
	if err != nil {
		return d.files[0].Damaged("the term of ID %d: %w", id, err)
	}
	if _, value := p.classify(); own >= Numbers && own <= Booleans && !equalValues(value, d.Value(id)) {
		return d.files[1].Damaged("the value of ID %d is not that of its term", id)
	}
	if found, ok := d.LookupKey(key); !ok || found != id {
		return d.files[2].Damaged("ID %d is not found by its term", id)
	}
	if t, _ := d.text(id); !t.escapes {
		table := &literalEscapes
		text := p.text
		if own <= Resources {
			table, text = &iriEscapes, text[1:]
		}
		if slices.ContainsFunc(text, func(c byte) bool { return table[c] }) {
			return d.files[0].Damaged("the block of ID %d is not marked for escapes", id)
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
func (d *Dictionary) verifySlots() error {
	used := 0
	for _, s := range d.hash.slots {
		if s != emptySlot {
			used++
		}
	}
	if used != d.Len() {
		return fmt.Errorf("dictionary: %w", d.files[2].Damaged("%d slots are in use for %d terms", used, d.Len()))
	}
	return nil
}
