package modifier

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// numberSpan is how many ranks there may be for each row where they are what the numbers are above the least one, which needs no sorting.
const numberSpan = 4

// sortedAlone is how many numbers are sorted at most without a look at whether the query has ended, by one goroutine.
const sortedAlone = 1 << 20

// numberRanks is ranks of a key that computes numbers (the ranks are borrowed, too): the bits of the numbers are sorted, together with where each stands.
func (r *sortRun) numberRanks(cols [][]dictionary.ID, descending bool) (out []uint32, most uint32, err error) {
	n := len(cols[0])
	if n <= fewNumbers {
		out, most = r.fewRanks(cols, descending)
		return out, most, nil
	}
	order, err := r.numberOrder(cols)
	if err != nil {
		return nil, 0, err
	}
	s := numberSort{sortRun: r, cols: cols, order: order}
	defer func() { vector.ReturnNumbers(s.bits) }()
	if err := s.look(); err != nil {
		return nil, 0, err
	}
	out = vector.Borrow(n)
	if span := s.greatest - s.least; order.Exact && span/numberSpan < uint64(n) {
		most, err = s.direct(out)
	} else {
		most, err = s.sorted(out)
	}
	if err != nil || !descending {
		return out, most, err
	}
	return out, most, r.each(n, func(_, from, to int) error {
		for i, rank := range out[from:to] {
			out[from+i] = most - rank
		}
		return nil
	})
}

// fewNumbers is up to how many numbers are compared one by one: those that are equal in the keys before often are few.
const fewNumbers = 24

// fewRanks is numberRanks of at most fewNumbers.
func (r *sortRun) fewRanks(cols [][]dictionary.ID, descending bool) (out []uint32, most uint32) {
	var keys [fewNumbers]expr.NumberKey
	var room [fewNumbers]int
	out, sorted := make([]uint32, len(cols[0])), room[:0]
	for i := range out {
		keys[i] = expr.NumberKeyAt(cols, i)
		sorted = append(sorted, i)
	}
	compare := func(a, b int) int {
		if descending {
			a, b = b, a
		}
		return r.Comparer.CompareNumberKeys(&keys[a], &keys[b])
	}
	slices.SortFunc(sorted, compare)
	for i, row := range sorted {
		if i > 0 && compare(sorted[i-1], row) != 0 {
			most++
		}
		out[row] = most
	}
	return out, most
}

// numberOrder is the order of the rows of number keys.
func (r *sortRun) numberOrder(cols [][]dictionary.ID) (expr.NumberOrder, error) {
	n := len(cols[0])
	parts := make([]expr.Seen, r.chunks(n))
	err := r.each(n, func(chunk, from, to int) error { parts[chunk] = expr.SeenNumberKeys(cols, from, to); return nil })
	all := parts[0]
	for _, s := range parts[1:] {
		all = all.Or(s)
	}
	return all.Order(), err
}

// numberSort ranks number keys.
type numberSort struct {
	*sortRun
	cols  [][]dictionary.ID
	order expr.NumberOrder
	// bits of all rows, of which those that are no errors are from least to greatest; with greatest below least there are none.
	bits            []uint64
	least, greatest uint64
	// keys have the bits above the least, without as many of the lowest ones as is needed to make room, and plus one, as 0 is an error; and below them, in width bits, where
	// each stands.
	keys    []uint64
	dropped int
	width   int
}

// look takes the bits of all rows.
func (s *numberSort) look() error {
	n := len(s.cols[0])
	s.bits = vector.BorrowNumbers(n)
	spans := make([]radix.Span, s.chunks(n))
	err := s.each(n, func(chunk, from, to int) error {
		s.order.Bits(s.cols, from, to, s.bits[from:to])
		span := radix.Span{Least: ^uint64(0)}
		for i, b := range s.bits[from:to] {
			if !s.failed(from + i) {
				span = radix.Span{Least: min(span.Least, b), Most: max(span.Most, b)}
			}
		}
		spans[chunk] = span
		return nil
	})
	s.least = ^uint64(0)
	for _, span := range spans {
		s.least, s.greatest = min(s.least, span.Least), max(s.greatest, span.Most)
	}
	if s.greatest < s.least { // all are errors
		s.least, s.greatest = 0, 0
	}
	return err
}

// failed reports whether a row is an error.
func (s *numberSort) failed(row int) bool { return s.order.Failed && expr.IsError(s.cols[0][row]) }

// direct ranks by what the numbers are above the least one.
func (s *numberSort) direct(out []uint32) (most uint32, err error) {
	return uint32(s.greatest-s.least) + 1, s.each(len(out), func(_, from, to int) error {
		for i, b := range s.bits[from:to] {
			if out[from+i] = uint32(b-s.least) + 1; s.failed(from + i) {
				out[from+i] = 0
			}
		}
		return nil
	})
}

// sorted ranks by sorting.
func (s *numberSort) sorted(out []uint32) (most uint32, err error) {
	n := len(out)
	s.width = bits.Len(uint(n - 1))
	s.dropped = max(0, bits.Len64(s.greatest-s.least)+1-(64-s.width))
	s.keys = vector.BorrowNumbers(n)
	defer func() { vector.ReturnNumbers(s.keys) }()
	err = s.each(n, func(_, from, to int) error {
		for i, b := range s.bits[from:to] {
			key := (b-s.least)>>s.dropped + 1
			if s.failed(from + i) {
				key = 0
			}
			s.keys[from+i] = key<<s.width | uint64(from+i)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if err := s.sort(); err != nil {
		return 0, err
	}
	return s.number(out)
}

// sort sorts the keys, and those that are alike by comparing.
func (s *numberSort) sort() (err error) {
	n := len(s.keys)
	by := radix.Across{Parts: (n + sortedAlone - 1) / sortedAlone}
	if s.shares(n) {
		by.Parts = max(2, n/s.part(n))
	}
	by.Parallel = func(units int, do func(i int)) {
		if err == nil {
			err = s.units(units, func(i int) error { do(i); return nil })
		}
	}
	if s.dropped > 0 || !s.order.Exact {
		by.Sorted = s.sortAlike
	}
	room := vector.BorrowNumbers(n)
	defer vector.ReturnNumbers(room)
	radix.SortAcross(s.keys, room, s.width, by)
	if err == nil {
		err = s.x.Ended()
	}
	return err
}

// sortAlike sorts those of some sorted keys that are alike but for where they stand. Where the query has ended it leaves them as they are.
func (s *numberSort) sortAlike(keys []uint64) {
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to]>>s.width == keys[from]>>s.width {
			to++
		}
		if to-from > 1 && keys[from]>>s.width > 0 && vector.Sort(keys[from:to], s.compareAlike, s.watch()) != nil {
			return
		}
		from = to
	}
}

// compare compares sorted keys.
func (s *numberSort) compare(a, b uint64) int {
	if a>>s.width != b>>s.width || a>>s.width == 0 {
		return cmp.Compare(a>>s.width, b>>s.width)
	}
	return s.compareAlike(a, b)
}

// compareAlike compares keys that are alike but for where they stand.
func (s *numberSort) compareAlike(a, b uint64) int {
	i, j := s.row(a), s.row(b)
	if s.order.Exact {
		return cmp.Compare(s.bits[i], s.bits[j])
	}
	x, y := expr.NumberKeyAt(s.cols, i), expr.NumberKeyAt(s.cols, j)
	return s.Comparer.CompareNumberKeys(&x, &y)
}

// row is where the row of a key stands.
func (s *numberSort) row(key uint64) int { return int(key & (1<<s.width - 1)) }

// number ranks the rows of sorted keys, equal ones alike, each chunk by itself first.
func (s *numberSort) number(out []uint32) (most uint32, err error) {
	starts := make([]uint32, s.chunks(len(s.keys))+1)
	err = s.each(len(s.keys), func(chunk, from, to int) error {
		h, rank := s.watch(), uint32(0)
		for i := from; i < to && !h.Over(); i++ {
			if i > 0 && s.compare(s.keys[i-1], s.keys[i]) != 0 {
				rank++
			}
			out[s.row(s.keys[i])] = rank
		}
		starts[chunk+1] = rank
		return h.Err
	})
	if err != nil {
		return 0, err
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	return starts[len(starts)-1], s.each(len(s.keys), func(chunk, from, to int) error {
		if starts[chunk] > 0 {
			for _, key := range s.keys[from:to] {
				out[s.row(key)] += starts[chunk]
			}
		}
		return nil
	})
}
