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
	steps       int
	read        uint32 // so that what is read ahead is not left out
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
	var heads [probeAhead]uint32
	for from := 0; from < n; from += probeAhead {
		some := heads[:min(probeAhead, n-from)]
		p.look(g, ix, rows, from, some)
		if err := p.walk(g, ix, rows, from, some, pairs); err != nil {
			return err
		}
	}
	return nil
}

// probeAhead is how many rows are looked up together.
const probeAhead = 64

// look finds where the chains of some rows begin, and reads what walking them begins with: the processor waits for many places of memory at once, where it
// would wait for one after the other.
func (p *Prober) look(g *tableGroup, ix *tableIndex, rows []uint32, from int, heads []uint32) {
	for i := range heads {
		heads[i] = ix.heads[p.hashes[at(rows, from+i)]*hashMultiplier>>ix.shift]
	}
	if g.rows != nil || len(p.right) == 0 {
		return
	}
	read, first := uint32(0), p.right[0]
	for _, at := range heads {
		if at != 0 {
			read += first[at-1] + ix.next[at-1]
		}
	}
	p.read = read
}

// at is the i-th of some rows (nil: all).
func at(rows []uint32, i int) uint32 {
	if rows == nil {
		return uint32(i)
	}
	return rows[i]
}

// walk finds the partners of some rows, whose chains begin at heads.
func (p *Prober) walk(g *tableGroup, ix *tableIndex, rows []uint32, from int, heads []uint32, pairs *Pairs) error {
	for i, head := range heads {
		r := at(rows, from+i)
		for at := head; at != 0; at = ix.next[at-1] {
			row := g.row(at - 1)
			if p.steps++; p.steps%limits.CheckEvery == 0 && p.Table.ended.Over() {
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
