package vector

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
)

const hashMultiplier = 0x9E3779B97F4A7C15

// mix spreads one more ID into a row's hash.
func mix(h uint64, id dictionary.ID) uint64 {
	h = (h ^ uint64(id)) * hashMultiplier
	return h ^ h>>29
}

// HashRows sets out[r] to the hash of the key columns of row r.
func HashRows(out []uint64, cols [][]dictionary.ID, key []int, n int) []uint64 {
	if cap(out) < n {
		out = make([]uint64, n)
	}
	out = out[:n]
	for r := range out {
		out[r] = hashMultiplier
	}
	for _, c := range key {
		col := cols[c][:n]
		for r, id := range col {
			out[r] = mix(out[r], id)
		}
	}
	return out
}

// RowSet numbers the distinct rows of the first width columns in the order they come.
type RowSet struct {
	Rows   *Rows
	Hashes []uint64
	slots  []uint32 // 1 + row, 0 is free
	mask   uint64
	// ended says whether the query has ended. The set finds nothing any more then.
	ended limits.Ended
}

// apart is how many bytes what one goroutine writes row by row is kept away from what others do: two lines of the cache, as processors
// fetch them in pairs.
const apart = 128

// loneRowSet is a set with its rows, and room behind them.
type loneRowSet struct {
	set  RowSet
	rows Rows
	_    [apart]byte
}

// NewRowSet is an empty set of rows of so many columns, for a query. It shares no line of the cache with another one: goroutines that fill a set
// each would else wait for each other's lines at every row.
func NewRowSet(width int, ended limits.Ended) *RowSet {
	const header = 24 // bytes of a column's slice
	x := &loneRowSet{rows: Rows{Cols: make([][]dictionary.ID, width, width+apart/header+1)}}
	x.set = RowSet{ended: ended, Rows: &x.rows, slots: make([]uint32, 64), mask: 63}
	return &x.set
}

// Find returns the number of row r of cols, or the free slot where it belongs.
func (s *RowSet) Find(cols [][]dictionary.ID, r int, hash uint64) (row uint32, slot uint64, ok bool) {
	for slot = hash & s.mask; ; slot = (slot + 1) & s.mask {
		at := s.slots[slot]
		if at == 0 {
			return 0, slot, false
		}
		if s.Hashes[at-1] == hash && s.equal(int(at-1), cols, r) {
			return at - 1, slot, true
		}
	}
}

func (s *RowSet) equal(row int, cols [][]dictionary.ID, r int) bool {
	for c, col := range s.Rows.Cols {
		if col[row] != cols[c][r] {
			return false
		}
	}
	return true
}

// Add returns the number of row r of cols and whether it is new.
func (s *RowSet) Add(cols [][]dictionary.ID, r int, hash uint64) (uint32, bool) {
	row, slot, ok := s.Find(cols, r, hash)
	if ok {
		return row, false
	}
	row = uint32(s.Rows.N)
	if len(s.Hashes) == cap(s.Hashes) {
		s.widen()
	}
	s.Rows.AppendRow(cols, r)
	s.Hashes = append(s.Hashes, hash)
	s.slots[slot] = row + 1
	if uint64(s.Rows.N)*2 > s.mask {
		s.grow()
	}
	return row, true
}

// abreast is how many rows are looked up together, so that what is far away in memory comes for all of them at once.
const abreast = 64

// AddRows is Add of some rows of cols, by the hashes of all: fresh says of each of them whether it is new.
func (s *RowSet) AddRows(cols [][]dictionary.ID, rows []uint32, hashes []uint64, fresh []bool) {
	var first [abreast]uint32
	for some := range slices.Chunk(rows, abreast) {
		for i, r := range some {
			first[i] = s.slots[hashes[r]&s.mask]
		}
		for i, r := range some {
			if at := first[i]; at > 0 && s.Hashes[at-1] == hashes[r] && s.equal(int(at-1), cols, int(r)) {
				fresh[r] = false
			} else {
				_, fresh[r] = s.Add(cols, int(r), hashes[r])
			}
		}
	}
}

// widen makes room for more rows, all columns alike.
func (s *RowSet) widen() {
	n := len(s.Hashes)
	switch {
	case n < fewRows:
		n = max(8, 2*n)
	case n < someRows || n >= movedAtOnce:
		n += n/4 + fewRows*3/4
	default:
		n *= 2
	}
	s.Hashes = moved(s.Hashes, n, s.ended, BorrowNumbers, ReturnNumbers)
	for c, col := range s.Rows.Cols {
		s.Rows.Cols[c] = moved(col, n, s.ended, Borrow, Return)
	}
}

// Room is doubled for up to fewRows, and from someRows on, which are many for one part of 64; for those in between, all parts keep within a core's cache as long as may be.
const (
	fewRows  = 256
	someRows = 2048
)

// moved is a slice in borrowed memory with room for n elements; as it was where the query ends meanwhile.
func moved[T any](s []T, n int, ended limits.Ended, borrow func(int) []T, giveBack func([]T)) []T {
	larger := borrow(n)
	if move(larger, s, ended) != nil {
		return s
	}
	giveBack(s)
	return larger[:len(s)]
}

// Release gives the memory of a set back that nobody uses any more, nor any of its rows.
func (s *RowSet) Release() {
	Return(s.slots)
	ReturnNumbers(s.Hashes)
	s.Rows.Return()
	s.slots, s.Hashes = nil, nil
}

func (s *RowSet) grow() {
	n := 2 * len(s.slots)
	Return(s.slots)
	s.slots = Borrow(n)
	clear(s.slots)
	s.mask = uint64(len(s.slots) - 1)
	for row, hash := range s.Hashes {
		if s.ended.Check(row) != nil {
			return
		}
		slot := hash & s.mask
		for s.slots[slot] != 0 {
			slot = (slot + 1) & s.mask
		}
		s.slots[slot] = uint32(row) + 1
	}
}

// Bytes is the memory that the set takes.
func (s *RowSet) Bytes() int64 {
	return s.Rows.Bytes() + int64(cap(s.Hashes))*8 + int64(len(s.slots))*4
}

// AllColumns is the key that takes every one of n columns.
func AllColumns(n int) []int {
	key := make([]int, n)
	for i := range key {
		key[i] = i
	}
	return key
}
