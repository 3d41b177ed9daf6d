package exec

import "github.com/rdfgpu/rdfgpu/dictionary"

const hashMultiplier = 0x9E3779B97F4A7C15

// mix spreads one more ID into a row's hash.
func mix(h uint64, id dictionary.ID) uint64 {
	h = (h ^ uint64(id)) * hashMultiplier
	return h ^ h>>29
}

// hashRows sets out[r] to the hash of the key columns of row r.
func hashRows(out []uint64, cols [][]dictionary.ID, key []int, n int) []uint64 {
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

// rowSet numbers the distinct rows of the first width columns in the order they come.
type rowSet struct {
	rows   *columns
	hashes []uint64
	slots  []uint32 // 1 + row, 0 is free
	mask   uint64
	// ended says whether the query has ended. The set finds nothing any more then.
	ended Ended
}

// newRowSet is an empty set of rows of so many columns, for a query.
func newRowSet(width int, ended Ended) *rowSet {
	return &rowSet{ended: ended, rows: newColumns(width), slots: make([]uint32, 64), mask: 63}
}

// find returns the number of row r of cols, or the free slot where it belongs.
func (s *rowSet) find(cols [][]dictionary.ID, r int, hash uint64) (row uint32, slot uint64, ok bool) {
	for slot = hash & s.mask; ; slot = (slot + 1) & s.mask {
		at := s.slots[slot]
		if at == 0 {
			return 0, slot, false
		}
		if s.hashes[at-1] == hash && s.equal(int(at-1), cols, r) {
			return at - 1, slot, true
		}
	}
}

func (s *rowSet) equal(row int, cols [][]dictionary.ID, r int) bool {
	for c, col := range s.rows.cols {
		if col[row] != cols[c][r] {
			return false
		}
	}
	return true
}

// add returns the number of row r of cols and whether it is new.
func (s *rowSet) add(cols [][]dictionary.ID, r int, hash uint64) (uint32, bool) {
	row, slot, ok := s.find(cols, r, hash)
	if ok {
		return row, false
	}
	row = uint32(s.rows.n)
	s.rows.appendRow(cols, r)
	s.hashes = append(s.hashes, hash)
	s.slots[slot] = row + 1
	if uint64(s.rows.n)*2 > s.mask {
		s.grow()
	}
	return row, true
}

func (s *rowSet) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	s.mask = uint64(len(s.slots) - 1)
	for row, hash := range s.hashes {
		if s.ended.check(row) != nil {
			return
		}
		slot := hash & s.mask
		for s.slots[slot] != 0 {
			slot = (slot + 1) & s.mask
		}
		s.slots[slot] = uint32(row) + 1
	}
}

func (s *rowSet) bytes() int64 {
	return s.rows.bytes() + int64(cap(s.hashes))*8 + int64(len(s.slots))*4
}

// allColumns is the key that takes every one of n columns.
func allColumns(n int) []int {
	key := make([]int, n)
	for i := range key {
		key[i] = i
	}
	return key
}
