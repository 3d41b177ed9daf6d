package vector

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
)

// Prober finds the rows of a table that agree with those of batches. It is for one goroutine.
type Prober struct {
	Table *Table
	// Shared are the batches' columns of the shared variables.
	Shared []int
	// Overlap asks that a pair have a variable bound on both sides (MINUS).
	Overlap bool
	// Fixed: the goroutine must not make indexes. Where one is missing, Probe ends with ErrIndex.
	Fixed bool

	hashes []uint64
	probe  []int
	// left and right are the columns that have to agree.
	left, right [][]dictionary.ID
}

// ErrIndex: a table lacks an index.
var ErrIndex = errors.New("vector: the table is not indexed for such rows")

// Probe finds the rows that agree with each row of b on the shared variables. It hands over pairs of rows, left and right, in
// chunks of about BatchRows.
func (p *Prober) Probe(b *Batch, pairs *Pairs) error {
	if b.N == 0 {
		return nil
	}
	mask := BoundMask(b.Cols, p.Shared, 0)
	for r := 1; r < b.N; r++ {
		if BoundMask(b.Cols, p.Shared, r) != mask {
			return p.probeMasks(b, pairs)
		}
	}
	return p.probeRows(b, mask, nil, pairs)
}

// probeMasks is Probe for rows that do not all bind the same variables.
func (p *Prober) probeMasks(b *Batch, pairs *Pairs) error {
	probing := map[uint64][]uint32{}
	for r := range b.N {
		mask := BoundMask(b.Cols, p.Shared, r)
		probing[mask] = append(probing[mask], uint32(r))
	}
	for mask, rows := range probing {
		if err := p.probeRows(b, mask, rows, pairs); err != nil {
			return err
		}
	}
	return nil
}

// probeRows is Probe for rows (nil: all) that bind the variables of a mask.
func (p *Prober) probeRows(b *Batch, mask uint64, rows []uint32, pairs *Pairs) error {
	for _, g := range p.Table.groups {
		both := mask & g.mask
		if p.Overlap && both == 0 {
			continue
		}
		ix := g.find(both)
		if ix == nil {
			if p.Fixed {
				return ErrIndex
			}
			var err error
			if ix, err = p.Table.index(g, both); err != nil {
				return err
			}
		}
		if err := p.probeGroup(g, ix, b, rows, pairs); err != nil {
			return err
		}
	}
	return nil
}

// probeGroup joins some rows of b (nil: all) with one group.
func (p *Prober) probeGroup(g *tableGroup, ix *tableIndex, b *Batch, rows []uint32, pairs *Pairs) error {
	p.probe, p.left, p.right = p.probe[:0], p.left[:0], p.right[:0]
	for i, k := range ix.key {
		c := p.Shared[k]
		p.probe, p.left, p.right = append(p.probe, c), append(p.left, b.Cols[c]), append(p.right, p.Table.Rows.Cols[ix.build[i]])
	}
	p.hashes = HashRows(p.hashes, b.Cols, p.probe, b.N)
	n := b.N
	if rows != nil {
		n = len(rows)
	}
	steps := 0
	for i := range n {
		r := uint32(i)
		if rows != nil {
			r = rows[i]
		}
		for at := ix.heads[p.hashes[r]*hashMultiplier>>ix.shift]; at != 0; at = ix.next[at-1] {
			row := g.rows[at-1]
			if steps++; steps%limits.CheckEvery == 0 && p.Table.ended.Over() {
				return p.Table.ended()
			}
			if !p.agree(r, row) {
				continue
			}
			if err := pairs.add(r, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Prober) agree(left, right uint32) bool {
	for i, col := range p.right {
		if col[right] != p.left[i][left] {
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
