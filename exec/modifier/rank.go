package modifier

import (
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// ranksOf returns the ranks of a key's values, and the greatest.
func (r *sortRun) ranksOf(key [][]dictionary.ID, descending bool) (out []uint32, most uint32, err error) {
	if len(key) > 1 {
		return r.numberRanks(key, descending)
	}
	return r.ranks(key[0], descending)
}

// ranks returns for every value its rank among the distinct ones, equal values having equal ranks, and the greatest
// rank. The ranks are borrowed (vector.Borrow). Values are compared once for each distinct term, not for each pair of rows.
func (r *sortRun) ranks(col []dictionary.ID, descending bool) (out []uint32, most uint32, err error) {
	low, high, err := r.bounds(col)
	if err != nil {
		return nil, 0, err
	}
	span := uint64(high) - uint64(low)
	if span >= 8*uint64(len(col))+1024 {
		return r.sparseRanks(col, descending)
	}
	table, shared := vector.Borrow(int(span+1)), r.shares(len(col))
	defer vector.Return(table)
	err = r.each(len(table), func(_, from, to int) error { clear(table[from:to]); return nil })
	if err != nil {
		return nil, 0, err
	}
	err = r.each(len(col), func(_, from, to int) error {
		for _, id := range col[from:to] {
			if seen := &table[id-low]; !shared {
				*seen = 1
			} else if atomic.LoadUint32(seen) == 0 {
				atomic.StoreUint32(seen, 1)
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	distinct, err := r.marked(table, low)
	if err != nil {
		return nil, 0, err
	}
	defer vector.Return(distinct)
	rankOf, most, err := r.rankDistinct(distinct, descending)
	if err != nil {
		return nil, 0, err
	}
	defer vector.Return(rankOf)
	err = r.each(len(distinct), func(_, from, to int) error {
		for i, id := range distinct[from:to] {
			table[id-low] = rankOf[from+i]
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	out = vector.Borrow(len(col))
	return out, most, r.each(len(col), func(_, from, to int) error {
		for i, id := range col[from:to] {
			out[from+i] = table[id-low]
		}
		return nil
	})
}

// bounds returns the least and the greatest of some values.
func (r *sortRun) bounds(col []dictionary.ID) (low, high dictionary.ID, err error) {
	lows, highs := make([]dictionary.ID, r.chunks(len(col))), make([]dictionary.ID, r.chunks(len(col)))
	err = r.each(len(col), func(chunk, from, to int) error {
		lows[chunk], highs[chunk] = slices.Min(col[from:to]), slices.Max(col[from:to])
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	return slices.Min(lows), slices.Max(highs), nil
}

// marked returns the IDs, from low on, that a table has marks of.
func (r *sortRun) marked(table []uint32, low dictionary.ID) ([]dictionary.ID, error) {
	if !r.shares(len(table)) {
		return r.markedAlone(table, low)
	}
	starts := make([]int, r.chunks(len(table))+1)
	err := r.each(len(table), func(chunk, from, to int) error {
		n := 0
		for _, seen := range table[from:to] {
			n += int(seen)
		}
		starts[chunk+1] = n
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	ids := vector.Borrow(starts[len(starts)-1])
	return ids, r.each(len(table), func(chunk, from, to int) error {
		at := starts[chunk]
		for i, seen := range table[from:to] {
			if seen != 0 {
				ids[at] = low + dictionary.ID(from+i)
				at++
			}
		}
		return nil
	})
}

// markedAlone is marked by one goroutine, which need not count first.
func (r *sortRun) markedAlone(table []uint32, low dictionary.ID) (ids []dictionary.ID, err error) {
	for i, seen := range table {
		if err := r.x.Ended.Check(i); err != nil {
			return nil, err
		}
		if seen != 0 {
			ids = append(ids, low+dictionary.ID(i))
		}
	}
	return ids, nil
}

// sparseRanks is ranks for values that are far apart.
func (r *sortRun) sparseRanks(col []dictionary.ID, descending bool) (out []uint32, most uint32, err error) {
	distinct := slices.Clone(col)
	if err := vector.SortIDs(distinct, r.x.Ended); err != nil {
		return nil, 0, err
	}
	distinct = slices.Compact(distinct)
	rankOf, most, err := r.rankDistinct(distinct, descending)
	if err != nil {
		return nil, 0, err
	}
	out = make([]uint32, len(col))
	return out, most, r.each(len(col), func(_, from, to int) error {
		for i, id := range col[from:to] {
			at, _ := slices.BinarySearch(distinct, id)
			out[from+i] = rankOf[at]
		}
		return nil
	})
}
