package vector

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
)

// Table holds the rows of a join's build side, hashed on the variables that both sides share.
//
// A shared variable may be unbound on either side, and an unbound one agrees with everything. So rows are kept in
// groups by which of the shared variables they bind, and for each group and each such set of a probing row there
// is, made when it is first needed, an index on what both bind.
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
}

// row is the number of the i-th row of the group.
func (g *tableGroup) row(i uint32) uint32 {
	if g.rows == nil {
		return i
	}
	return g.rows[i]
}

// tableIndex chains the rows of a group by hash bucket.
type tableIndex struct {
	mask  uint64
	key   []int // positions in shared
	build []int // the key's build columns
	heads []uint32
	next  []uint32 // of each row of the group; 1 + position, 0 ends
	shift uint
}

// NewTable takes over the rows, of which shared are the columns to be found by. With each, an index of many rows is made by it;
// it may be nil.
func NewTable(ended limits.Ended, rows *Rows, shared []int, each Each) (*Table, error) {
	t := &Table{ended: ended, Rows: rows, shared: shared, each: each}
	bound, err := t.allBound()
	if err != nil {
		return nil, err
	}
	if bound {
		g := t.group(1<<len(shared) - 1)
		g.n = rows.N
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

// allBound reports whether each row binds all shared variables.
func (t *Table) allBound() (bool, error) {
	var unbound atomic.Bool
	look := func(unit int) error {
		for _, c := range t.shared {
			if slices.Contains(t.Rows.Cols[c][unit*chainRows:min((unit+1)*chainRows, t.Rows.N)], dictionary.None) {
				unbound.Store(true)
			}
		}
		return t.ended.Check(0)
	}
	units := (t.Rows.N + chainRows - 1) / chainRows
	if t.each != nil && t.Rows.N >= chainTogether {
		err := t.each(units, look)
		return !unbound.Load(), err
	}
	for unit := range units {
		if err := look(unit); err != nil {
			return false, err
		}
	}
	return !unbound.Load(), nil
}

// OneIndex reports whether rows that bind all shared variables need no index but one, which there is.
func (t *Table) OneIndex() bool {
	return len(t.groups) == 1 && t.groups[0].rows == nil && t.groups[0].find(t.groups[0].mask) != nil
}

func (t *Table) group(mask uint64) *tableGroup {
	for _, g := range t.groups {
		if g.mask == mask {
			return g
		}
	}
	g := &tableGroup{mask: mask}
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

// find returns the index of a group on what mask says; nil where it is not made.
func (g *tableGroup) find(mask uint64) *tableIndex {
	for _, ix := range *g.indexes.Load() {
		if ix.mask == mask {
			return ix
		}
	}
	return nil
}

// index makes an index of a group.
func (t *Table) index(g *tableGroup, mask uint64) (*tableIndex, error) {
	ix := &tableIndex{mask: mask}
	for i, c := range t.shared {
		if mask&(1<<uint(i)) != 0 {
			ix.key, ix.build = append(ix.key, i), append(ix.build, c)
		}
	}
	size := max(16, 1<<bits.Len(uint(g.n)))
	ix.shift = uint(64 - bits.Len(uint(size-1)))
	chain := t.chain
	if t.each != nil && g.n == t.Rows.N && t.Rows.N >= chainTogether {
		chain = t.chainParts
	}
	if err := chain(g, ix); err != nil {
		return nil, err
	}
	made := append(slices.Clip(*g.indexes.Load()), ix)
	g.indexes.Store(&made)
	return ix, nil
}

// chain puts the rows of a group into their buckets, the last first, so that the first is found first.
func (t *Table) chain(g *tableGroup, ix *tableIndex) error {
	ix.heads, ix.next = make([]uint32, ix.size()), make([]uint32, g.n)
	hashes := HashRows(nil, t.Rows.Cols, ix.build, t.Rows.N)
	for i := g.n - 1; i >= 0; i-- {
		if err := t.ended.Check(i); err != nil {
			return err
		}
		h := hashes[g.row(uint32(i))] * hashMultiplier >> ix.shift
		ix.next[i], ix.heads[h] = ix.heads[h], uint32(i)+1
	}
	return nil
}

// chainTogether is from how many rows on they are chained by several goroutines, chainRows of them in a unit of work.
const (
	chainTogether = 1 << 16
	chainRows     = 1 << 14
)

// chainParts is chain for a group of all rows: they are split by their buckets first, and then each part of the buckets is filled.
func (t *Table) chainParts(_ *tableGroup, ix *tableIndex) error {
	n := t.Rows.N
	ix.heads, ix.next = Borrow(ix.size()), Borrow(n)
	// The buckets are the highest bits of the hashes.
	tops, splits := Borrow(n), make([]Split, (n+chainRows-1)/chainRows)
	defer Return(tops)
	err := t.each(len(splits), func(unit int) error {
		from := unit * chainRows
		some := tops[from:min(from+chainRows, n)]
		hashes := HashRows(nil, view(t.Rows.Cols, from), ix.build, len(some))
		for i := range hashes {
			hashes[i] *= hashMultiplier
			some[i] = uint32(hashes[i] >> 32)
		}
		splits[unit].Set(hashes)
		return nil
	})
	if err != nil {
		return err
	}
	shift, part := ix.shift-32, len(ix.heads)/Parts
	return t.each(Parts, func(p int) error {
		clear(ix.heads[p*part : (p+1)*part])
		for unit := len(splits) - 1; unit >= 0; unit-- {
			if t.ended.Over() {
				return t.ended()
			}
			first := uint32(unit * chainRows)
			for _, r := range slices.Backward(splits[unit].Part(p)) {
				h := tops[first+r] >> shift
				ix.next[first+r], ix.heads[h] = ix.heads[h], first+r+1
			}
		}
		return nil
	})
}

// size is how many buckets the index has.
func (ix *tableIndex) size() int { return 1 << (64 - ix.shift) }

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
