package vector

import (
	"errors"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// BatchRows is how many rows operators put into one batch; matchers may emit larger or smaller ones.
const BatchRows = 4096

// ErrTooMany: a number of rows has more than 64 bits. A weight (Batch.Weights) of all ones says the same.
var ErrTooMany = errors.New("exec: there are more solutions than 64 bits can count; ask for part of them")

// Batch is a set of solutions, column first: Cols[c][r] is the ID that row r binds to column c, or dictionary.None.
// len(Cols[c]) == N for every c; N may be non-zero with no columns (solutions of no variables).
type Batch struct {
	Cols [][]dictionary.ID
	N    int
	// Origin, where a match was seeded, is the input row each row extends; nil otherwise.
	Origin []uint32
	// Weights, where a match was asked for them, is how many solutions each row stands for; nil: one each.
	Weights []uint64
	// Lists, where a match was asked for them, are columns of which each row has several values, ascending by Column: each row stands for their product.
	Lists []List
	// Distinct: among the rows of the match that the batch comes from, in all its batches, no two are equal. Only a match says so, and who
	// looks at it must know that the batches come from one.
	Distinct bool
	// Tally: the rows are all different values of one column of a match (bgp.MatchPlan.Tally), and Weights is how many of the match's different
	// rows have each. The other columns are nil.
	Tally bool
	// Passed: all rows pass what their match was told of the conditions above it (bgp.MatchPlan.Where).
	Passed bool
	// Folds, where it is not nil: the rows are groups of a match (bgp.MatchPlan.Fold), each of which comes once. Columns that are no keys are nil.
	Folds *Folds
}

// Bytes is the memory that a batch's columns take, where they are its own.
func Bytes(b *Batch) int64 {
	sum := int64(cap(b.Origin))*4 + int64(cap(b.Weights))*8
	for _, col := range b.Cols {
		sum += int64(cap(col)) * 4
	}
	for i := range b.Lists {
		sum += int64(cap(b.Lists[i].Values)+cap(b.Lists[i].Ends)) * 4
	}
	return sum
}

// cells is how many IDs a batch has.
func (b *Batch) cells() int {
	n := b.N * len(b.Cols)
	for i := range b.Lists {
		n += len(b.Lists[i].Values)
	}
	return n
}

// Part is the rows from … to of a batch without folds, which shares their memory: the batch itself where they are all.
func (b *Batch) Part(from, to int) *Batch {
	if from == 0 && to == b.N {
		return b
	}
	out := &Batch{N: to - from, Distinct: b.Distinct, Tally: b.Tally, Passed: b.Passed}
	for _, col := range b.Cols {
		if col != nil {
			col = col[from:to]
		}
		out.Cols = append(out.Cols, col)
	}
	if b.Origin != nil {
		out.Origin = b.Origin[from:to]
	}
	if b.Weights != nil {
		out.Weights = b.Weights[from:to]
	}
	for i := range b.Lists {
		l := &b.Lists[i]
		out.Lists = append(out.Lists, List{l.Column, l.Values, l.Ends[from : to+1]})
	}
	return out
}

// Gather appends src[rows[i]] for every i to dst.
func Gather[T any](dst, src []T, rows []uint32) []T {
	for _, r := range rows {
		dst = append(dst, src[r])
	}
	return dst
}

// Compact keeps the given rows (ascending) of a batch in place.
func Compact(b *Batch, keep []uint32) {
	if len(keep) == b.N {
		return
	}
	for c, col := range b.Cols {
		out := col[:len(keep)]
		for i, r := range keep {
			out[i] = col[r]
		}
		b.Cols[c] = out
	}
	if b.Origin != nil {
		out := b.Origin[:len(keep)]
		for i, r := range keep {
			out[i] = b.Origin[r]
		}
		b.Origin = out
	}
	if b.Weights != nil {
		out := b.Weights[:len(keep)]
		for i, r := range keep {
			out[i] = b.Weights[r]
		}
		b.Weights = out
	}
	b.N = len(keep)
}

// Select copies the given rows of src into dst, which it returns.
func Select(dst, src *Batch, rows []uint32) *Batch {
	if cap(dst.Cols) < len(src.Cols) {
		dst.Cols = make([][]dictionary.ID, len(src.Cols))
	}
	dst.Cols = dst.Cols[:len(src.Cols)]
	for c, col := range src.Cols {
		dst.Cols[c] = Gather(dst.Cols[c][:0], col, rows)
	}
	dst.N = len(rows)
	if src.Weights == nil {
		dst.Weights = nil
	} else {
		dst.Weights = Gather(dst.Weights[:0], src.Weights, rows)
	}
	if src.Origin == nil {
		dst.Origin = nil
		return dst
	}
	dst.Origin = Gather(dst.Origin[:0], src.Origin, rows)
	return dst
}

// nones is a column of unbound variables.
var nones = func() (col [BatchRows]dictionary.ID) {
	for i := range col {
		col[i] = dictionary.None
	}
	return
}()

// Unbound returns a read-only column of n unbound values.
func Unbound(n int) []dictionary.ID {
	if n <= len(nones) {
		return nones[:n]
	}
	col := make([]dictionary.ID, n)
	for i := range col {
		col[i] = dictionary.None
	}
	return col
}

// Repeated appends an ID n times.
func Repeated(col []dictionary.ID, id dictionary.ID, n int) []dictionary.ID {
	from := len(col)
	col = slices.Grow(col, n)[:from+n]
	some := col[from:]
	few := min(n, fewRepeats)
	for i := range some[:few] {
		some[i] = id
	}
	for done := few; done < n; done *= 2 {
		copy(some[done:], some[:done])
	}
	return col
}

// fewRepeats is how many IDs are written one by one before they are copied.
const fewRepeats = 16
