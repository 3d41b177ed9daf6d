package exec

import (
	"math"
	"slices"
	"strconv"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// accumulator is the state of one aggregate for all groups.
type accumulator interface {
	// add takes rows: row i belongs to group groups[i] of n and its argument has the value ids[i] (dictionary.None for
	// an error); ids is nil for COUNT(*). rows are all columns and the weights, which COUNT reads; nil where they do not
	// matter.
	add(n int, groups []uint32, ids []dictionary.ID, rows *Batch)
	// results are the values for groups 0 … n-1.
	results(n int) []dictionary.ID
	bytes() int64
}

// accumulator makes the state of an aggregate; the input columns begin at column first of a row.
func (a *aggregate) accumulator(x *execution, first int) (accumulator, error) {
	var acc accumulator
	var err error
	switch {
	case a.Function == "COUNT":
		acc = &counts{x: x}
	case a.Function == "SAMPLE":
		acc = &samples{}
	default:
		if acc, err = newFold(a, x.env); err != nil {
			return nil, err
		}
	}
	switch {
	case a.rows != nil:
		return &distinctRows{of: acc, first: first, width: len(a.rows)}, nil
	case a.Distinct:
		return &distinctValues{of: acc, seen: newRowSet(2)}, nil
	}
	return acc, nil
}

// counts is COUNT: of rows, or of values that are no error.
type counts struct {
	x *execution
	n []uint64
}

func (c *counts) add(n int, groups []uint32, ids []dictionary.ID, rows *Batch) {
	c.n = grown(c.n, n)
	if rows != nil && rows.Weights != nil {
		for i, g := range groups {
			if ids == nil || ids[i] != dictionary.None {
				c.n[g] = addWeight(c.n[g], rows.Weights[i])
			}
		}
		return
	}
	if ids == nil {
		for _, g := range groups {
			c.n[g]++
		}
		return
	}
	for i, g := range groups {
		if ids[i] != dictionary.None {
			c.n[g]++
		}
	}
}

// addWeight adds, up to the largest number.
func addWeight(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
}

func (c *counts) results(n int) []dictionary.ID {
	out := make([]dictionary.ID, n)
	for g, k := range grown(c.n, n) {
		out[g] = integerID(c.x, k)
	}
	return out
}

func (c *counts) bytes() int64 { return int64(cap(c.n)) * 8 }

func integerID(x *execution, n uint64) dictionary.ID {
	return x.terms.ID(rdf.NewTyped(strconv.FormatUint(n, 10), rdf.XSDInteger))
}

// grown returns s with at least n elements.
func grown[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}

// samples is SAMPLE: the first value that is no error.
type samples struct{ ids []dictionary.ID }

func (s *samples) grow(n int) {
	for len(s.ids) < n {
		s.ids = append(s.ids, dictionary.None)
	}
}

func (s *samples) add(n int, groups []uint32, ids []dictionary.ID, _ *Batch) {
	s.grow(n)
	for i, g := range groups {
		if s.ids[g] == dictionary.None {
			s.ids[g] = ids[i]
		}
	}
}

func (s *samples) results(n int) []dictionary.ID {
	s.grow(n)
	return slices.Clone(s.ids[:n])
}

func (s *samples) bytes() int64 { return int64(cap(s.ids)) * 4 }

// distinctValues hands each value of a group on once.
type distinctValues struct {
	of     accumulator
	seen   *rowSet
	groups []uint32
	ids    []dictionary.ID
	hashes []uint64
}

func (d *distinctValues) add(n int, groups []uint32, ids []dictionary.ID, _ *Batch) {
	d.groups, d.ids = d.groups[:0], d.ids[:0]
	pair := [][]dictionary.ID{groups, ids}
	d.hashes = hashRows(d.hashes, pair, []int{0, 1}, len(groups))
	for i := range groups {
		if _, fresh := d.seen.add(pair, i, d.hashes[i]); fresh {
			d.groups, d.ids = append(d.groups, groups[i]), append(d.ids, ids[i])
		}
	}
	d.of.add(n, d.groups, d.ids, nil)
}

func (d *distinctValues) results(n int) []dictionary.ID { return d.of.results(n) }

func (d *distinctValues) bytes() int64 { return d.seen.bytes() + d.of.bytes() }

// distinctRows hands each solution of a group on once: COUNT(DISTINCT *).
type distinctRows struct {
	of     accumulator
	first  int
	width  int
	seen   *rowSet
	groups []uint32
	hashes []uint64
}

func (d *distinctRows) add(n int, groups []uint32, _ []dictionary.ID, rows *Batch) {
	if d.seen == nil {
		d.seen = newRowSet(1 + d.width)
	}
	cols := append([][]dictionary.ID{groups}, rows.Cols[d.first:d.first+d.width]...)
	d.hashes = hashRows(d.hashes, cols, allColumns(1+d.width), len(groups))
	d.groups = d.groups[:0]
	for i := range groups {
		if _, fresh := d.seen.add(cols, i, d.hashes[i]); fresh {
			d.groups = append(d.groups, groups[i])
		}
	}
	d.of.add(n, d.groups, nil, nil)
}

func (d *distinctRows) results(n int) []dictionary.ID { return d.of.results(n) }

func (d *distinctRows) bytes() int64 {
	if d.seen == nil {
		return d.of.bytes()
	}
	return d.seen.bytes() + d.of.bytes()
}
