package vector

import (
	"math/bits"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
)

// Table holds the rows of a join's build side, hashed on the variables that both sides share.
//
// A shared variable may be unbound on either side, and an unbound one agrees with everything. So rows are kept in
// groups by which of the shared variables they bind, and for each group and each such set of a probing row there
// is, made when it is first needed, an index on what both bind.
type Table struct {
	ended limits.Ended
	Rows  *Rows
	// shared are the build columns of the shared variables, at most planner.MaxShared.
	shared []int
	groups []*tableGroup
	hashes []uint64
}

// tableGroup is the build rows that bind the same shared variables.
type tableGroup struct {
	mask    uint64
	rows    []uint32
	indexes []*tableIndex
}

// tableIndex chains the rows of a group by hash bucket.
type tableIndex struct {
	mask  uint64
	key   []int // positions in shared
	build []int // the key's build columns
	heads []uint32
	next  []uint32 // parallel to group.rows; 1 + position, 0 ends
	shift uint
}

// NewTable takes over the rows, of which shared are the columns to be found by.
func NewTable(ended limits.Ended, rows *Rows, shared []int) (*Table, error) {
	t := &Table{ended: ended, Rows: rows, shared: shared}
	for r := range rows.N {
		if err := ended.Check(r); err != nil {
			return nil, err
		}
		g := t.group(BoundMask(rows.Cols, shared, r))
		g.rows = append(g.rows, uint32(r))
	}
	return t, nil
}

func (t *Table) group(mask uint64) *tableGroup {
	for _, g := range t.groups {
		if g.mask == mask {
			return g
		}
	}
	g := &tableGroup{mask: mask}
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

func (t *Table) index(g *tableGroup, mask uint64) (*tableIndex, error) {
	for _, ix := range g.indexes {
		if ix.mask == mask {
			return ix, nil
		}
	}
	ix := &tableIndex{mask: mask}
	for i, c := range t.shared {
		if mask&(1<<uint(i)) != 0 {
			ix.key, ix.build = append(ix.key, i), append(ix.build, c)
		}
	}
	size := max(16, 1<<bits.Len(uint(len(g.rows))))
	ix.shift = uint(64 - bits.Len(uint(size-1)))
	ix.heads, ix.next = make([]uint32, size), make([]uint32, len(g.rows))
	t.hashes = HashRows(t.hashes, t.Rows.Cols, ix.build, t.Rows.N)
	for i := len(g.rows) - 1; i >= 0; i-- {
		if err := t.ended.Check(i); err != nil {
			return nil, err
		}
		h := t.hashes[g.rows[i]] * hashMultiplier >> ix.shift
		ix.next[i], ix.heads[h] = ix.heads[h], uint32(i)+1
	}
	g.indexes = append(g.indexes, ix)
	return ix, nil
}

// Probe finds the rows that agree with each row of b on the shared variables, whose columns in b are shared.
// It hands over pairs of rows, left and right, in chunks of about BatchRows. overlap asks that a pair have a
// variable bound on both sides (MINUS).
func (t *Table) Probe(b *Batch, shared []int, overlap bool, pairs *Pairs) error {
	probing := map[uint64][]uint32{}
	for r := range b.N {
		mask := BoundMask(b.Cols, shared, r)
		probing[mask] = append(probing[mask], uint32(r))
	}
	for mask, rows := range probing {
		for _, g := range t.groups {
			both := mask & g.mask
			if overlap && both == 0 {
				continue
			}
			ix, err := t.index(g, both)
			if err != nil {
				return err
			}
			if err := t.probeGroup(g, ix, b, shared, rows, pairs); err != nil {
				return err
			}
		}
	}
	return nil
}

// probeGroup joins some rows of b with one group.
func (t *Table) probeGroup(g *tableGroup, ix *tableIndex, b *Batch, shared []int, rows []uint32, pairs *Pairs) error {
	probe := make([]int, len(ix.key))
	for i, k := range ix.key {
		probe[i] = shared[k]
	}
	hashes, steps := HashRows(nil, b.Cols, probe, b.N), 0
	for _, r := range rows {
		for i := ix.heads[hashes[r]*hashMultiplier>>ix.shift]; i != 0; i = ix.next[i-1] {
			row := g.rows[i-1]
			if steps++; steps%limits.CheckEvery == 0 && t.ended.Over() {
				return t.ended()
			}
			if !t.agree(ix.build, row, b.Cols, probe, r) {
				continue
			}
			if err := pairs.add(r, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Table) agree(build []int, row uint32, cols [][]dictionary.ID, probe []int, r uint32) bool {
	for i, c := range build {
		if t.Rows.Cols[c][row] != cols[probe[i]][r] {
			return false
		}
	}
	return true
}

// Pairs collects pairs of rows and flushes them when there are enough.
type Pairs struct {
	Left, Right []uint32
	Flush       func(left, right []uint32) error
}

func (p *Pairs) add(l, r uint32) error {
	p.Left, p.Right = append(p.Left, l), append(p.Right, r)
	if len(p.Left) < BatchRows {
		return nil
	}
	return p.End()
}

// End flushes what is left.
func (p *Pairs) End() error {
	if len(p.Left) == 0 {
		return nil
	}
	err := p.Flush(p.Left, p.Right)
	p.Left, p.Right = p.Left[:0], p.Right[:0]
	return err
}
