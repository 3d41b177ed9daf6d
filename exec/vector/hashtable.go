package vector

import (
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
)

// Table holds the rows of a join's build side, indexed by the variables that both sides share.
//
// A shared variable may be unbound on either side, and an unbound one agrees with everything. So rows are kept in
// groups by which of the shared variables they bind, and for each group and each such set of a probing row there
// is, made when it is first needed, an index on what both bind (tableIndex).
//
// One goroutine makes the table and its indexes; others may probe it meanwhile by Probers that make none.
type Table struct {
	ended limits.Ended
	Rows  *Rows
	// shared are the build columns of the shared variables, at most planner.MaxShared.
	shared []int
	groups []*tableGroup
	each   Each
}

// Each does units of work, at the same time where it can.
type Each func(units int, do func(unit int) error) error

// tableGroup is the build rows that bind the same shared variables: n of them.
type tableGroup struct {
	mask    uint64
	rows    []uint32 // nil: all rows of the table
	n       int
	indexes atomic.Pointer[[]*tableIndex]
	// ids are those of all rows, where there is one shared variable and each binds it.
	ids idRange
}

// row is the number of the i-th row of the group.
func (g *tableGroup) row(i uint32) uint32 {
	if g.rows == nil {
		return i
	}
	return g.rows[i]
}

// NewTable takes over the rows, of which shared are the columns to be found by. With each, an index of many rows is made by it;
// it may be nil.
func NewTable(ended limits.Ended, rows *Rows, shared []int, each Each) (*Table, error) {
	t := &Table{ended: ended, Rows: rows, shared: shared, each: each}
	ids, err := t.survey()
	if err != nil {
		return nil, err
	}
	if ids.high != dictionary.None {
		g := t.group(1<<len(shared) - 1)
		g.n = rows.N
		if len(shared) == 1 {
			g.ids = ids
		}
		return t, nil
	}
	var g *tableGroup
	for r := range rows.N {
		if err := ended.Check(r); err != nil {
			return nil, err
		}
		if mask := BoundMask(rows.Cols, shared, r); g == nil || g.mask != mask {
			g = t.group(mask)
		}
		g.rows = append(g.rows, uint32(r))
		g.n++
	}
	return t, nil
}

// survey returns the least and the greatest ID of all shared columns; the greatest is None where a row does not bind one.
func (t *Table) survey() (idRange, error) {
	all := make([]idRange, (t.Rows.N+chainRows-1)/chainRows)
	look := func(unit int) error {
		ids := noIDs
		for _, c := range t.shared {
			ids = ids.with(t.Rows.Cols[c][unit*chainRows : min((unit+1)*chainRows, t.Rows.N)])
		}
		all[unit] = ids
		return t.ended.Err()
	}
	ids := noIDs
	err := t.units(t.Rows.N, len(all), look)
	for _, some := range all {
		ids = idRange{min(ids.low, some.low), max(ids.high, some.high)}
	}
	return ids, err
}

// units does units of work on so many rows, at the same time where that is worth while.
func (t *Table) units(rows, units int, do func(unit int) error) error {
	if t.each != nil && rows >= chainTogether {
		return t.each(units, do)
	}
	for unit := range units {
		if err := do(unit); err != nil {
			return err
		}
	}
	return nil
}

// IndexAll makes the index that rows need which bind all shared variables or, with met, the one that tells whether there are such rows.
func (t *Table) IndexAll(met bool) error {
	all := uint64(1)<<len(t.shared) - 1
	for _, g := range t.groups {
		if g.mask == all && g.find(all, met) == nil {
			_, err := t.index(g, all, met)
			return err
		}
	}
	return nil
}

// OneIndex reports whether rows that bind all shared variables need no index but one, which there is.
func (t *Table) OneIndex() bool {
	return len(t.groups) == 1 && t.groups[0].rows == nil && t.groups[0].find(t.groups[0].mask, true) != nil
}

func (t *Table) group(mask uint64) *tableGroup {
	for _, g := range t.groups {
		if g.mask == mask {
			return g
		}
	}
	g := &tableGroup{mask: mask, ids: noIDs}
	g.indexes.Store(&[]*tableIndex{})
	t.groups = append(t.groups, g)
	return g
}

// BoundMask says which of the given columns row r binds.
func BoundMask(cols [][]dictionary.ID, columns []int, r int) uint64 {
	var mask uint64
	for i, c := range columns {
		if cols[c][r] != dictionary.None {
			mask |= 1 << uint(i&63)
		}
	}
	return mask
}

// find returns an index of a group on what mask says, to find rows by or, with met, whether there are any; nil where none is made.
func (g *tableGroup) find(mask uint64, met bool) *tableIndex {
	for _, ix := range *g.indexes.Load() {
		if ix.mask == mask && (met || ix.met == nil) {
			return ix
		}
	}
	return nil
}

// Release gives the memory of a table back that nobody uses any more.
func (t *Table) Release() {
	for _, g := range t.groups {
		for _, ix := range *g.indexes.Load() {
			Return(ix.heads)
			Return(ix.next)
		}
	}
	t.groups = nil
	t.Rows.Return()
}

// view is columns from a row on.
func view(cols [][]dictionary.ID, row int) [][]dictionary.ID {
	out := make([][]dictionary.ID, len(cols))
	for c, col := range cols {
		out[c] = col[row:]
	}
	return out
}
