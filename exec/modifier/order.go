package modifier

import (
	"math"
	"math/bits"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// shares reports whether so many rows are worth several goroutines.
func (r *sortRun) shares(rows int) bool {
	return !r.x.Alone() && uint64(rows) > r.x.Tuning.ShareFrom && rows > r.x.Tuning.ChunkRows
}

// units does units of work, by all goroutines where there are several.
func (r *sortRun) units(n int, do func(unit int) error) error {
	if n == 1 {
		return do(0)
	}
	return r.x.Each(n, do)
}

// chunk is how many of so many rows are one unit of work.
func (r *sortRun) chunk(rows int) int {
	if r.shares(rows) {
		return r.x.Tuning.ChunkRows
	}
	return limits.CheckEvery
}

// chunks is how many units of work so many rows are.
func (r *sortRun) chunks(rows int) int { return (rows + r.chunk(rows) - 1) / r.chunk(rows) }

// each does something for so many rows, some at a time: rows from … to are one of the chunks.
func (r *sortRun) each(rows int, do func(chunk, from, to int) error) error {
	size := r.chunk(rows)
	unit := func(i int) error { return do(i, i*size, min((i+1)*size, rows)) }
	if r.shares(rows) {
		return r.units(r.chunks(rows), unit)
	}
	for i := range r.chunks(rows) {
		if i > 0 {
			if err := r.x.Ended(); err != nil {
				return err
			}
		}
		if err := unit(i); err != nil {
			return err
		}
	}
	return nil
}

// order returns the row numbers in sorted order, as far as somebody reads them: the limit. They are borrowed (vector.Borrow).
func (r *sortRun) order() ([]uint32, error) {
	rows := vector.Borrow(r.rows.N)
	if len(rows) == 0 {
		return rows, nil
	}
	if len(r.Keys) == 0 {
		number(rows, 0)
		return rows, nil
	}
	keys, most, k, err := r.firstRanks()
	if err != nil {
		return nil, err
	}
	defer vector.Return(keys)
	return rows, r.refineRanked(rankedRows{rows, keys}, most, true, k, 0)
}

// number numbers rows from a number on.
func number(rows []uint32, from int) {
	for i := range rows {
		rows[i] = uint32(from + i)
	}
}

// fewRanks is how many ranks of a key are told apart further by the next key at once: as many times as many ranks are still few.
const fewRanks = 8

// firstRanks returns the ranks of all rows by the first key or, where that has few values, by those that follow as well; the greatest rank; and how many
// keys that are.
func (r *sortRun) firstRanks() (ranks []uint32, most uint32, k int, err error) {
	for k < len(r.Keys) && (k == 0 || most < fewRanks && r.shares(r.rows.N) && r.rows.N < math.MaxUint32/(2*numberSpan*fewRanks)) {
		next, top, err := r.ranksOf(r.key(r.rows.Cols, k), r.Descending[k])
		if err != nil {
			return nil, 0, 0, err
		}
		if k++; k == 1 {
			ranks, most = next, top
			continue
		}
		err = r.each(len(ranks), func(_, from, to int) error {
			for i := from; i < to; i++ {
				ranks[i] = ranks[i]*(top+1) + next[i]
			}
			return nil
		})
		vector.Return(next)
		if err != nil {
			return nil, 0, 0, err
		}
		most = (most+1)*(top+1) - 1
	}
	return ranks, most, k, nil
}

// refine sorts rows, which are equal in the keys before k and begin at position at of the result, by key k on.
func (r *sortRun) refine(rows []uint32, k, at int) error {
	if err := r.x.Ended(); err != nil {
		return err
	}
	keys := make([][]dictionary.ID, r.at[k+1]-r.at[k])
	for i, col := range r.key(r.rows.Cols, k) {
		var err error
		if keys[i], err = r.gathered(col, rows); err != nil {
			return err
		}
	}
	ranks, most, err := r.ranksOf(keys, r.Descending[k])
	for _, col := range keys {
		vector.Return(col)
	}
	if err != nil {
		return err
	}
	defer vector.Return(ranks)
	return r.refineRanked(rankedRows{rows, ranks}, most, false, k+1, at)
}

// refineRanked sorts rows by their ranks, which are at most most, and those of one rank by key k on. They begin at position at of the result. All: they are
// numbered from 0, and the numbers are not written yet.
func (r *sortRun) refineRanked(sorted rankedRows, most uint32, all bool, k, at int) error {
	if err := r.sortByRanks(sorted, most, all); err != nil || k == len(r.Keys) {
		return err
	}
	if r.shares(len(sorted.rows)) {
		return r.refineMany(sorted, k, at)
	}
	return r.refineTies(sorted, k, at)
}

// refineTies sorts rows of one rank by key k on.
func (r *sortRun) refineTies(sorted rankedRows, k, at int) error {
	for from := 0; from < len(sorted.rows) && r.read(at+from); {
		to := sorted.tie(from)
		if to-from > 1 {
			if err := r.refine(sorted.rows[from:to], k, at+from); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// read reports whether somebody reads a position of the result.
func (r *sortRun) read(at int) bool { return r.Limit == 0 || uint64(at) < r.Limit }

// refineMany is refineTies by all goroutines: each takes some ranks with few rows, and all share those with many.
func (r *sortRun) refineMany(sorted rankedRows, k, at int) error {
	var small, large [][2]int
	begin, from := 0, 0 // of the next small piece, and of the tie that is looked at
	for from < len(sorted.rows) && r.read(at+from) {
		to := sorted.tie(from)
		switch {
		case r.shares(to - from):
			small, large = append(small, [2]int{begin, from}), append(large, [2]int{from, to})
			begin = to
		case to-begin >= r.x.Tuning.ChunkRows:
			small = append(small, [2]int{begin, to})
			begin = to
		}
		from = to
	}
	small = append(small, [2]int{begin, from})
	err := r.units(len(small), func(i int) error {
		from, to := small[i][0], small[i][1]
		return r.refineTies(sorted.part(from, to), k, at+from)
	})
	for i := 0; i < len(large) && err == nil; i++ {
		from, to := large[i][0], large[i][1]
		err = r.refine(sorted.rows[from:to], k, at+from)
	}
	return err
}

// gathered is vector.Gather for many rows.
func (r *sortRun) gathered(col []dictionary.ID, rows []uint32) ([]dictionary.ID, error) {
	out := vector.Borrow(len(rows))
	err := r.each(len(rows), func(_, from, to int) error {
		vector.Gather(out[from:from], col, rows[from:to])
		return nil
	})
	return out, err
}

// rankedRows are row numbers and the rank of each.
type rankedRows struct{ rows, ranks []uint32 }

func newRankedRows(n int) rankedRows { return rankedRows{vector.Borrow(n), vector.Borrow(n)} }

// giveBack gives the memory back.
func (s rankedRows) giveBack() {
	vector.Return(s.rows)
	vector.Return(s.ranks)
}

// part views some of them.
func (s rankedRows) part(from, to int) rankedRows {
	return rankedRows{s.rows[from:to], s.ranks[from:to]}
}

// tie is where the rows of the rank at from end.
func (s rankedRows) tie(from int) int {
	to := from + 1
	for to < len(s.ranks) && s.ranks[to] == s.ranks[from] {
		to++
	}
	return to
}

// Many rows are sorted by the highest rankBits bits of their ranks first; what is equal in these, by one goroutine each.
const (
	rankBits    = 9
	rankBuckets = 1 << rankBits
)

// sortByRanks sorts rows by their ranks, which are at most most; rows of one rank keep their order. All is refineRanked's.
func (r *sortRun) sortByRanks(s rankedRows, most uint32, all bool) error {
	split := newRankedRows(len(s.rows))
	defer split.giveBack()
	if !r.shares(len(s.rows)) {
		if all {
			number(s.rows, 0)
		}
		copy(split.rows, s.rows)
		copy(split.ranks, s.ranks)
		return r.countingSort(s, split, 0, most)
	}
	shift := max(0, bits.Len32(most)-rankBits)
	starts, err := r.splitByRanks(split, s, shift, all)
	if err != nil {
		return err
	}
	return r.units(rankBuckets, func(b int) error {
		from, to := starts[b], starts[b+1]
		low := uint32(b) << shift
		return r.countingSort(s.part(from, to), split.part(from, to), low, low+1<<shift-1)
	})
}

// splitByRanks copies rows in the order of the highest bits of their ranks, and returns where the rows of each bucket start. Each of
// some large parts is counted, and copied to where its rows of a bucket go, by one goroutine.
func (r *sortRun) splitByRanks(to, from rankedRows, shift int, all bool) ([]int, error) {
	n := len(from.rows)
	size := r.part(n)
	places := make([][rankBuckets]int, (n+size-1)/size)
	err := r.units(len(places), func(i int) error {
		for _, rank := range from.ranks[i*size : min((i+1)*size, n)] {
			places[i][rank>>shift]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	starts := make([]int, rankBuckets+1)
	for b := range rankBuckets {
		at := starts[b]
		for i := range places {
			places[i][b], at = at, at+places[i][b]
		}
		starts[b+1] = at
	}
	return starts, r.units(len(places), func(i int) error {
		next := &places[i]
		if all {
			number(from.rows[i*size:min((i+1)*size, n)], i*size)
		}
		for j := i * size; j < min((i+1)*size, n); j++ {
			b := from.ranks[j] >> shift
			to.rows[next[b]], to.ranks[next[b]] = from.rows[j], from.ranks[j]
			next[b]++
		}
		return nil
	})
}

// part is how many of so many rows are one of some large parts, which each goroutine has a few of.
func (r *sortRun) part(rows int) int {
	if !r.shares(rows) {
		return max(1, rows)
	}
	parts := 2 * r.x.Copies()
	return max(r.x.Tuning.ChunkRows, (rows+parts-1)/parts)
}

// countingSort copies rows in the order of their ranks, which are at least low and at most high; rows of one rank keep their order.
func (r *sortRun) countingSort(to, from rankedRows, low, high uint32) error {
	if len(from.rows) == 0 {
		return nil
	}
	starts := make([]uint32, high-low+2)
	for i, rank := range from.ranks {
		if err := r.x.Ended.Check(i); err != nil {
			return err
		}
		starts[rank-low+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	for i, rank := range from.ranks {
		if err := r.x.Ended.Check(i); err != nil {
			return err
		}
		at := starts[rank-low]
		starts[rank-low]++
		to.rows[at], to.ranks[at] = from.rows[i], rank
	}
	return nil
}
