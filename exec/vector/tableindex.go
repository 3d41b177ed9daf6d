package vector

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// tableIndex finds the rows of a group by the key that both sides bind. Rows are chained by buckets: of hashes, or, where the key is one column whose IDs lie close
// together (idRange), each ID has a bucket of its own: then nothing is hashed or compared, and where both sides come in the order of IDs, rows and
// buckets are read from front to back, as in a merge join. Where it is only asked whether there is a row (Prober.Meet), such a key has a bit for each ID.
type tableIndex struct {
	mask  uint64
	key   []int // positions in shared
	build []int // the key's build columns
	heads []uint32
	next  []uint32 // of each row of the group; 1 + position, 0 ends; nil: no bucket has two rows
	shift uint     // of hashes: what they have more bits than the numbers of buckets, which have partBits at least
	// byID: the bucket of a row is its ID less base.
	byID bool
	base dictionary.ID
	// met has a bit for each ID from base on, instead of buckets.
	met []uint64
}

// idRange is the IDs from low to high.
type idRange struct{ low, high dictionary.ID }

var noIDs = idRange{low: dictionary.None}

// with is a range in which some IDs are, too.
func (r idRange) with(ids []dictionary.ID) idRange {
	for _, id := range ids {
		r.low, r.high = min(r.low, id), max(r.high, id)
	}
	return r
}

// span is how many IDs there are in it.
func (r idRange) span() uint64 {
	if r.low > r.high {
		return 0
	}
	return uint64(r.high-r.low) + 1
}

// IDs lie close together where there is a row for so many of them, or there are no more than any table has buckets: these take no more memory then than what tables count for a row.
const (
	closeIDs  = 4
	closeBits = 64
)

// close reports whether the IDs of n rows lie so close together.
func (r idRange) close(n, most int) bool {
	return r.span() > 0 && r.span() <= max(Parts, uint64(most)*uint64(n))
}

// chainTogether is from how many rows on they are indexed by several goroutines, chainRows of them in a unit of work.
const (
	chainTogether = 1 << 16
	chainRows     = 1 << 14
)

// index makes an index of a group, to find rows by or, with met, whether there are any.
func (t *Table) index(g *tableGroup, mask uint64, met bool) (*tableIndex, error) {
	ix := &tableIndex{mask: mask}
	for i, c := range t.shared {
		if mask&(1<<uint(i)) != 0 {
			ix.key, ix.build = append(ix.key, i), append(ix.build, c)
		}
	}
	if err := t.fill(g, ix, met); err != nil {
		return nil, err
	}
	made := append(slices.Clip(*g.indexes.Load()), ix)
	g.indexes.Store(&made)
	return ix, nil
}

// fill puts the rows of a group into an index of its columns.
func (t *Table) fill(g *tableGroup, ix *tableIndex, met bool) error {
	ix.base = g.ids.low
	single := len(ix.build) == 1
	if single && met && g.ids.close(g.n, closeBits) {
		return t.mark(g, ix)
	}
	buckets := max(Parts, 1<<bits.Len(uint(g.n)))
	if ix.byID = single && g.ids.close(g.n, closeIDs); ix.byID {
		buckets = int(g.ids.span())
	}
	ix.heads, ix.next, ix.shift = Borrow(buckets), Borrow(g.n), uint(64-max(partBits, bits.Len(uint(buckets-1))))
	chain := t.chain
	if t.each != nil && g.rows == nil && g.n >= chainTogether {
		chain = t.chainParts
	}
	again, err := chain(g, ix)
	if !again {
		Return(ix.next)
		ix.next = nil
	}
	return err
}

// mark sets the bits of the rows' IDs.
func (t *Table) mark(g *tableGroup, ix *tableIndex) error {
	ix.met = make([]uint64, (g.ids.span()+63)/64)
	col := t.Rows.Cols[ix.build[0]]
	return t.units(g.n, (g.n+chainRows-1)/chainRows, func(unit int) error {
		for _, id := range col[unit*chainRows : min((unit+1)*chainRows, g.n)] {
			word, bit := &ix.met[(id-ix.base)/64], uint64(1)<<((id-ix.base)%64)
			if atomic.LoadUint64(word)&bit == 0 {
				atomic.OrUint64(word, bit)
			}
		}
		return t.ended.Err()
	})
}

// isMet reports whether there is a row with an ID, by bits.
func (ix *tableIndex) isMet(id dictionary.ID) bool {
	at := uint64(id - ix.base)
	return at/64 < uint64(len(ix.met)) && ix.met[at/64]>>(at%64)&1 != 0
}

// bucketHashes are what buckets, and parts of them, are the highest bits of: for n rows, by the key's columns.
func (ix *tableIndex) bucketHashes(out []uint64, cols [][]dictionary.ID, columns []int, n int) []uint64 {
	if !ix.byID {
		out = HashRows(out, cols, columns, n)
		for r := range out {
			out[r] *= hashMultiplier
		}
		return out
	}
	out = slices.Grow(out[:0], n)[:n]
	for r, id := range cols[columns[0]][:n] {
		out[r] = uint64(id-ix.base) << ix.shift
	}
	return out
}

// look finds where the chains of some rows (nil: all) begin, by their IDs.
func (ix *tableIndex) look(heads []uint32, col []dictionary.ID, rows []uint32, from int) {
	for i := range heads {
		heads[i] = 0
		if b := uint64(col[at(rows, from+i)] - ix.base); b < uint64(len(ix.heads)) {
			heads[i] = ix.heads[b]
		}
	}
}

// after is the position behind one in its chain, both plus 1.
func (ix *tableIndex) after(at uint32) uint32 {
	if ix.next == nil {
		return 0
	}
	return ix.next[at-1]
}

// chain puts the rows of a group into their buckets, the last first, so that the first is found first. It reports whether several come into one.
func (t *Table) chain(g *tableGroup, ix *tableIndex) (again bool, err error) {
	clear(ix.heads)
	hashes := ix.bucketHashes(nil, t.Rows.Cols, ix.build, t.Rows.N)
	for i := g.n - 1; i >= 0; i-- {
		if err := t.ended.Check(i); err != nil {
			return again, err
		}
		h := hashes[g.row(uint32(i))] >> ix.shift
		again = again || ix.heads[h] > 0
		ix.next[i], ix.heads[h] = ix.heads[h], uint32(i)+1
	}
	return again, nil
}

// chainParts is chain for a group of all rows: they are split by their buckets first, and then each part of the buckets is filled.
func (t *Table) chainParts(_ *tableGroup, ix *tableIndex) (bool, error) {
	n := t.Rows.N
	// The buckets are the highest bits of the hashes.
	tops, splits := Borrow(n), make([]Split, (n+chainRows-1)/chainRows)
	defer Return(tops)
	var again atomic.Bool
	err := t.each(len(splits), func(unit int) error {
		from := unit * chainRows
		some := tops[from:min(from+chainRows, n)]
		hashes := ix.bucketHashes(nil, view(t.Rows.Cols, from), ix.build, len(some))
		for i, h := range hashes {
			some[i] = uint32(h >> 32)
		}
		splits[unit].Set(hashes)
		return nil
	})
	if err != nil {
		return false, err
	}
	shift, part := ix.shift-32, 1<<(64-ix.shift)/Parts
	err = t.each(Parts, func(p int) error {
		var read uint32
		clear(ix.heads[min(p*part, len(ix.heads)):min((p+1)*part, len(ix.heads))])
		for unit := len(splits) - 1; unit >= 0; unit-- {
			if t.ended.Over() {
				return t.ended()
			}
			first := uint32(unit * chainRows)
			for _, r := range slices.Backward(splits[unit].Part(p)) {
				h := tops[first+r] >> shift
				read |= ix.heads[h]
				ix.next[first+r], ix.heads[h] = ix.heads[h], first+r+1
			}
		}
		if read > 0 {
			again.Store(true)
		}
		return nil
	})
	return again.Load(), err
}
