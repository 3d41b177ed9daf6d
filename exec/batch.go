package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
)

// Batch is a set of solutions, column first.
type Batch = match.Batch

// BatchRows is how many rows operators put into one batch.
const BatchRows = match.BatchRows

// columns is a growable set of rows, column first.
type columns struct {
	cols [][]dictionary.ID
	n    int
}

func newColumns(width int) *columns { return &columns{cols: make([][]dictionary.ID, width)} }

// appendBatch adds all rows of a batch; columns beyond the batch's are left to the caller.
func (c *columns) appendBatch(b *Batch) {
	for i := range c.cols {
		c.cols[i] = append(c.cols[i], b.Cols[i]...)
	}
	c.n += b.N
}

// appendRow adds row r of cols.
func (c *columns) appendRow(cols [][]dictionary.ID, r int) {
	for i := range c.cols {
		c.cols[i] = append(c.cols[i], cols[i][r])
	}
	c.n++
}

func (c *columns) reset() {
	for i := range c.cols {
		c.cols[i] = c.cols[i][:0]
	}
	c.n = 0
}

// batch views rows from … to as a batch.
func (c *columns) batch(from, to int, into *Batch) *Batch {
	into.Cols = into.Cols[:0]
	for _, col := range c.cols {
		into.Cols = append(into.Cols, col[from:to])
	}
	into.N, into.Origin = to-from, nil
	return into
}

// emit hands out all rows, batch by batch.
func (c *columns) emit(emit func(*Batch) error) error {
	var b Batch
	for at := 0; at < c.n; at += BatchRows {
		if err := emit(c.batch(at, min(at+BatchRows, c.n), &b)); err != nil {
			return err
		}
	}
	return nil
}

// bytes is the memory that the rows take.
func (c *columns) bytes() int64 {
	var sum int64
	for _, col := range c.cols {
		sum += int64(cap(col)) * 4
	}
	return sum
}

// batchBytes is the memory that a batch's columns take, where they are its own.
func batchBytes(b *Batch) int64 {
	sum := int64(cap(b.Origin))*4 + int64(cap(b.Weights))*8
	for _, col := range b.Cols {
		sum += int64(cap(col)) * 4
	}
	return sum
}

// gather appends src[rows[i]] for every i to dst.
func gather[T any](dst, src []T, rows []uint32) []T {
	for _, r := range rows {
		dst = append(dst, src[r])
	}
	return dst
}

// compact keeps the given rows (ascending) of a batch in place.
func compact(b *Batch, keep []uint32) {
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

// selectRows copies the given rows of src into dst, which it returns.
func selectRows(dst, src *Batch, rows []uint32) *Batch {
	if cap(dst.Cols) < len(src.Cols) {
		dst.Cols = make([][]dictionary.ID, len(src.Cols))
	}
	dst.Cols = dst.Cols[:len(src.Cols)]
	for c, col := range src.Cols {
		dst.Cols[c] = gather(dst.Cols[c][:0], col, rows)
	}
	dst.N = len(rows)
	if src.Weights == nil {
		dst.Weights = nil
	} else {
		dst.Weights = gather(dst.Weights[:0], src.Weights, rows)
	}
	if src.Origin == nil {
		dst.Origin = nil
		return dst
	}
	dst.Origin = gather(dst.Origin[:0], src.Origin, rows)
	return dst
}

// nones is a column of unbound variables.
var nones = func() (col [BatchRows]dictionary.ID) {
	for i := range col {
		col[i] = dictionary.None
	}
	return
}()

// unbound returns a read-only column of n unbound values.
func unbound(n int) []dictionary.ID {
	if n <= len(nones) {
		return nones[:n]
	}
	col := make([]dictionary.ID, n)
	for i := range col {
		col[i] = dictionary.None
	}
	return col
}
