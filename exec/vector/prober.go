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
	key    []int
	// left and right are the columns of which pairs have to agree, where all rows of a bucket do not.
	left, right [][]dictionary.ID
	// Of what is found, pairs takes all, or met has a mark for each row that has a partner.
	pairs *Pairs
	met   []bool
	steps int
	read  uint32 // so that what is read ahead is not left out
}

// ErrIndex: a table lacks an index.
var ErrIndex = errors.New("vector: the table is not indexed for such rows")

// Probe finds the rows that agree with each row of b on the shared variables. It hands over pairs of rows, left and right, in
// chunks of about BatchRows.
func (p *Prober) Probe(b *Batch, pairs *Pairs) error {
	p.pairs, p.met = pairs, nil
	return p.find(b)
}

// Meet sets met[r] where a row of the table agrees with row r of b.
func (p *Prober) Meet(b *Batch, met []bool) error {
	p.pairs, p.met = nil, met
	return p.find(b)
}

// find finds partners of the rows of b, by which of the shared variables they bind.
func (p *Prober) find(b *Batch) error {
	if b.N == 0 {
		return nil
	}
	mask := BoundMask(b.Cols, p.Shared, 0)
	for r := 1; r < b.N; r++ {
		if BoundMask(b.Cols, p.Shared, r) != mask {
			return p.findByMasks(b)
		}
	}
	return p.findRows(b, mask, nil)
}

// findByMasks is find for rows that do not all bind the same variables.
func (p *Prober) findByMasks(b *Batch) error {
	probing := map[uint64][]uint32{}
	for r := range b.N {
		mask := BoundMask(b.Cols, p.Shared, r)
		probing[mask] = append(probing[mask], uint32(r))
	}
	for mask, rows := range probing {
		if err := p.findRows(b, mask, rows); err != nil {
			return err
		}
	}
	return nil
}

// findRows is find for rows (nil: all) that bind the variables of a mask.
func (p *Prober) findRows(b *Batch, mask uint64, rows []uint32) error {
	for _, g := range p.Table.groups {
		both := mask & g.mask
		if p.Overlap && both == 0 {
			continue
		}
		ix := g.find(both, p.met != nil)
		if ix == nil {
			if p.Fixed {
				return ErrIndex
			}
			var err error
			if ix, err = p.Table.index(g, both, p.met != nil); err != nil {
				return err
			}
		}
		if err := p.findIn(g, ix, b, rows); err != nil {
			return err
		}
	}
	return nil
}

// findIn joins some rows of b (nil: all) with one group.
func (p *Prober) findIn(g *tableGroup, ix *tableIndex, b *Batch, rows []uint32) error {
	p.key, p.left, p.right = p.key[:0], p.left[:0], p.right[:0]
	for i, k := range ix.key {
		c := p.Shared[k]
		p.key = append(p.key, c)
		if !ix.byID {
			p.left, p.right = append(p.left, b.Cols[c]), append(p.right, p.Table.Rows.Cols[ix.build[i]])
		}
	}
	n := b.N
	if rows != nil {
		n = len(rows)
	}
	if ix.met != nil {
		col := b.Cols[p.key[0]]
		for i := range n {
			if r := at(rows, i); ix.isMet(col[r]) {
				p.met[r] = true
			}
		}
		return p.Table.ended.Err()
	}
	if !ix.byID {
		p.hashes = ix.bucketHashes(p.hashes, b.Cols, p.key, b.N)
	}
	var heads [probeAhead]uint32
	for from := 0; from < n; from += probeAhead {
		some := heads[:min(probeAhead, n-from)]
		if ix.byID {
			ix.look(some, b.Cols[p.key[0]], rows, from)
		} else {
			p.look(ix, rows, from, some)
		}
		if p.met == nil && ix.byID && ix.next == nil {
			if err := p.pairs.addFound(rows, from, some); err != nil {
				return err
			}
			continue
		}
		p.readAhead(g, ix, some)
		if err := p.walk(g, ix, rows, from, some); err != nil {
			return err
		}
	}
	return nil
}

// probeAhead is how many rows are looked up together.
const probeAhead = 64

// look finds where the chains of some rows begin, by their hashes: the processor waits for many places of memory at once, where it would wait for one after the other.
func (p *Prober) look(ix *tableIndex, rows []uint32, from int, heads []uint32) {
	for i := range heads {
		heads[i] = ix.heads[p.hashes[at(rows, from+i)]>>ix.shift]
	}
}

// readAhead reads what walking some chains begins with, so that the processor waits for all of it at once.
func (p *Prober) readAhead(g *tableGroup, ix *tableIndex, heads []uint32) {
	if g.rows != nil || len(ix.key) == 0 || ix.next == nil {
		return
	}
	read, first := uint32(0), p.Table.Rows.Cols[ix.build[0]]
	for _, at := range heads {
		if at != 0 {
			read += ix.next[at-1]
			if !ix.byID {
				read += first[at-1]
			}
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
func (p *Prober) walk(g *tableGroup, ix *tableIndex, rows []uint32, from int, heads []uint32) error {
	for i, head := range heads {
		r := at(rows, from+i)
		for at := head; at != 0; at = ix.after(at) {
			row := g.row(at - 1)
			if p.steps++; p.steps%limits.CheckEvery == 0 && p.Table.ended.Over() {
				return p.Table.ended()
			}
			if !p.agree(r, row) {
				continue
			}
			if p.met != nil {
				p.met[r] = true
				break
			}
			if err := p.pairs.add(r, row); err != nil {
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

// addFound adds the pairs of some rows (nil: all) with the one row, or none, at which each chain begins and ends.
func (p *Pairs) addFound(rows []uint32, from int, heads []uint32) error {
	for i, head := range heads {
		if head != 0 {
			p.Left, p.Right = append(p.Left, at(rows, from+i)), append(p.Right, head-1)
		}
	}
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
