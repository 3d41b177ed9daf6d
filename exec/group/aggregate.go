package group

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// accumulator is the state of one aggregate for all groups.
type accumulator interface {
	add(in *groupedRows)
	// results are the values for groups 0 … n-1.
	results(n int) []dictionary.ID
	bytes() int64
	// distinct is how many values it keeps to tell repeated ones.
	distinct() int
	// merges reports whether it and another one, of other rows, can be merged into what one of all rows would be.
	merges() bool
	// merge adds another one's state: its group g is groups[g] of n here.
	merge(of accumulator, n int, groups []uint32)
}

// counting is an accumulator that tells how many rows there were.
type counting interface {
	// overflowed reports whether there were too many in one of n groups.
	overflowed(n int) bool
}

// groupedRows are rows that an accumulator takes: row i belongs to group groups[i] of n and its argument has the value
// ids[i] (dictionary.None for an error); ids is nil for COUNT(*).
type groupedRows struct {
	n      int
	groups []uint32
	ids    []dictionary.ID
	// rows are all columns and the weights, which COUNT reads; nil where they do not matter.
	rows *vector.Batch
	// at is where they stand in the source.
	at places
}

// places says where rows stand in the source: row i at place first+i or, with rows, first+rows[i].
type places struct {
	first uint64
	rows  []uint32
}

func (p places) of(i int) uint64 {
	if p.rows == nil {
		return p.first + uint64(i)
	}
	return p.first + uint64(p.rows[i])
}

// accumulator makes the state of an aggregate; the input columns begin at column first of a row.
func (a *Aggregate) accumulator(x *operator.Execution, first int) (accumulator, error) {
	var acc accumulator
	var err error
	switch {
	case a.Function == "COUNT":
		acc = &counts{x: x, identity: a.Identity}
	case a.Function == "SAMPLE":
		acc = &samples{}
	default:
		if acc, err = newFold(a, x.Env, first); err != nil {
			return nil, err
		}
	}
	switch {
	case a.Rows != nil:
		return &distinctRows{x: x, of: acc, first: first, width: len(a.Rows)}, nil
	case a.Distinct && a.Function != "MIN" && a.Function != "MAX" && a.Function != "SAMPLE":
		return &distinctValues{of: acc, seen: vector.NewRowSet(2, x.Ended)}, nil
	}
	return acc, nil
}

// counts is COUNT: of rows, or of values that are no error.
type counts struct {
	x        *operator.Execution
	identity dictionary.Identity
	n        []uint64
}

func (c *counts) add(in *groupedRows) {
	c.n = grown(c.n, in.n)
	switch {
	case in.rows != nil && in.rows.Weights != nil:
		for i, g := range in.groups {
			if in.ids == nil || in.ids[i] != dictionary.None {
				c.n[g] = addWeight(c.n[g], in.rows.Weights[i])
			}
		}
	case in.ids == nil:
		for _, g := range in.groups {
			c.n[g]++
		}
	default:
		for i, g := range in.groups {
			if in.ids[i] != dictionary.None {
				c.n[g]++
			}
		}
	}
}

func (c *counts) distinct() int { return 0 }

func (c *counts) merges() bool { return true }

func (c *counts) merge(of accumulator, n int, groups []uint32) {
	c.n = grown(c.n, n)
	for g, k := range of.(*counts).n {
		c.n[groups[g]] = addWeight(c.n[groups[g]], k)
	}
}

// addWeight adds, up to tooMany.
func addWeight(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return tooMany
}

// tooMany stands for all numbers of more than 64 bits.
const tooMany = math.MaxUint64

// overflowed reports whether the count of one of n groups has more than 64 bits.
func (c *counts) overflowed(n int) bool { return slices.Contains(c.n[:min(n, len(c.n))], tooMany) }

func (c *counts) results(n int) []dictionary.ID {
	out := make([]dictionary.ID, n)
	known := integers{x: c.x, identity: c.identity, large: map[uint64]dictionary.ID{}}
	for g, k := range grown(c.n, n)[:n] {
		if c.x.Ended.Check(g) != nil {
			return out
		}
		out[g] = known.of(k)
	}
	return out
}

// integers are numbers as terms: most groups are as large as another, and small.
type integers struct {
	x        *operator.Execution
	identity dictionary.Identity
	small    [256]dictionary.ID // one more than the term; 0: not known yet
	large    map[uint64]dictionary.ID
}

func (s *integers) of(k uint64) dictionary.ID {
	if k < uint64(len(s.small)) {
		if s.small[k] == 0 {
			s.small[k] = s.term(k) + 1
		}
		return s.small[k] - 1
	}
	if s.identity != dictionary.IdentityFull {
		return s.term(k)
	}
	id, ok := s.large[k]
	if !ok {
		id = s.term(k)
		s.large[k] = id
	}
	return id
}

func (s *integers) term(k uint64) dictionary.ID {
	if s.identity != dictionary.IdentityFull && k <= math.MaxInt64 {
		return s.x.Terms.ComputedNumber(dictionary.IntegerUnits, int64(k))
	}
	return s.x.Integer(k)
}

func (c *counts) bytes() int64 { return int64(cap(c.n)) * 8 }

// grown returns s with at least n elements.
func grown[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	s, _ = vector.Room(s, n-len(s), nil)
	return append(s, make([]T, n-len(s))...)
}

// samples is SAMPLE: the first value that is no error, and where it stands.
type samples struct {
	ids []dictionary.ID
	at  []uint64
}

func (s *samples) grow(n int) {
	for len(s.ids) < n {
		s.ids, s.at = append(s.ids, dictionary.None), append(s.at, 0)
	}
}

func (s *samples) add(in *groupedRows) {
	s.grow(in.n)
	for i, g := range in.groups {
		if s.ids[g] == dictionary.None {
			s.ids[g], s.at[g] = in.ids[i], in.at.of(i)
		}
	}
}

func (s *samples) results(n int) []dictionary.ID {
	s.grow(n)
	return slices.Clone(s.ids[:n])
}

func (s *samples) bytes() int64 { return int64(cap(s.ids))*4 + int64(cap(s.at))*8 }

func (s *samples) distinct() int { return 0 }

func (s *samples) merges() bool { return true }

func (s *samples) merge(of accumulator, n int, groups []uint32) {
	s.grow(n)
	o := of.(*samples)
	for i, id := range o.ids {
		g := groups[i]
		if id != dictionary.None && (s.ids[g] == dictionary.None || o.at[i] < s.at[g]) {
			s.ids[g], s.at[g] = id, o.at[i]
		}
	}
}

// distinctValues hands each value of a group on once.
type distinctValues struct {
	of     accumulator
	seen   *vector.RowSet
	groups []uint32
	ids    []dictionary.ID
	hashes []uint64
}

func (d *distinctValues) add(in *groupedRows) {
	d.groups, d.ids = d.groups[:0], d.ids[:0]
	pair := [][]dictionary.ID{in.groups, in.ids}
	d.hashes = vector.HashRows(d.hashes, pair, []int{0, 1}, len(in.groups))
	for i := range in.groups {
		if _, fresh := d.seen.Add(pair, i, d.hashes[i]); fresh {
			d.groups, d.ids = append(d.groups, in.groups[i]), append(d.ids, in.ids[i])
		}
	}
	d.of.add(&groupedRows{n: in.n, groups: d.groups, ids: d.ids})
}

func (d *distinctValues) results(n int) []dictionary.ID { return d.of.results(n) }

func (d *distinctValues) bytes() int64 { return d.seen.Bytes() + d.of.bytes() }

func (d *distinctValues) distinct() int { return d.seen.Rows.N }

func (d *distinctValues) merges() bool { return d.of.merges() }

func (d *distinctValues) merge(of accumulator, n int, groups []uint32) {
	seen := of.(*distinctValues).seen.Rows
	d.add(&groupedRows{n: n, groups: vector.Gather(nil, groups, seen.Cols[0]), ids: seen.Cols[1]})
}

// distinctRows hands each solution of a group on once: COUNT(DISTINCT *).
type distinctRows struct {
	x      *operator.Execution
	of     accumulator
	first  int
	width  int
	seen   *vector.RowSet
	groups []uint32
	hashes []uint64
}

func (d *distinctRows) add(in *groupedRows) {
	d.addRows(in.n, append([][]dictionary.ID{in.groups}, in.rows.Cols[d.first:d.first+d.width]...))
}

// addRows takes rows of groups (of n) and columns.
func (d *distinctRows) addRows(n int, cols [][]dictionary.ID) {
	if d.seen == nil {
		d.seen = vector.NewRowSet(1+d.width, d.x.Ended)
	}
	d.hashes = vector.HashRows(d.hashes, cols, vector.AllColumns(1+d.width), len(cols[0]))
	d.groups = d.groups[:0]
	for i, g := range cols[0] {
		if _, fresh := d.seen.Add(cols, i, d.hashes[i]); fresh {
			d.groups = append(d.groups, g)
		}
	}
	d.of.add(&groupedRows{n: n, groups: d.groups})
}

func (d *distinctRows) results(n int) []dictionary.ID { return d.of.results(n) }

func (d *distinctRows) bytes() int64 {
	if d.seen == nil {
		return d.of.bytes()
	}
	return d.seen.Bytes() + d.of.bytes()
}

func (d *distinctRows) distinct() int {
	if d.seen == nil {
		return 0
	}
	return d.seen.Rows.N
}

func (d *distinctRows) merges() bool { return d.of.merges() }

func (d *distinctRows) merge(of accumulator, n int, groups []uint32) {
	o := of.(*distinctRows)
	if o.seen == nil {
		return
	}
	cols := slices.Clone(o.seen.Rows.Cols)
	cols[0] = vector.Gather(nil, groups, cols[0])
	d.addRows(n, cols)
}
