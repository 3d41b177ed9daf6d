package vector

import (
	"errors"
	"slices"
	"testing"
)

func TestRoomKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, 1, movedAtOnce - 1, movedAtOnce, movedAtOnce + 1, 5*movedAtOnce + 7} {
		s := make([]uint32, length)
		for i := range s {
			s[i] = uint32(i)
		}
		for _, more := range []int{0, 1, 3 * movedAtOnce} {
			larger, err := Room(s, more, func() error { return nil })
			if err != nil || !slices.Equal(larger, s) {
				t.Errorf("%d elements and %d more: %v, or not what was there", length, more, err)
			}
			if length >= movedAtOnce && cap(larger) < length+more {
				t.Errorf("%d elements and %d more: room for %d", length, more, cap(larger))
			}
		}
	}
}

func TestRoomEndsWithTheQuery(t *testing.T) {
	t.Parallel()
	over, asked := errors.New("over"), 0
	s := make([]uint32, 10*movedAtOnce)
	got, err := Room(s, 1, func() error {
		if asked++; asked < 3 {
			return nil
		}
		return over
	})
	if err != over || asked != 3 || cap(got) != cap(s) {
		t.Errorf("%v after %d pieces, room for %d; want %v after 3, and the slice as it was", err, asked, cap(got), over)
	}
}

func TestASetOfManyRowsIsWhole(t *testing.T) {
	t.Parallel()
	const n = 5 * movedAtOnce
	set := NewRowSet(2, nil)
	cols := [][]uint32{{0}, {0}}
	var hashes []uint64
	for round := range 2 {
		for i := range n {
			cols[0][0], cols[1][0] = uint32(i/3), uint32(i%3)
			hashes = HashRows(hashes, cols, []int{0, 1}, 1)
			if row, fresh := set.Add(cols, 0, hashes[0]); row != uint32(i) || fresh != (round == 0) {
				t.Fatalf("row %d is number %d, new: %v", i, row, fresh)
			}
		}
	}
}
