package vector

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
)

// Rows is a growable set of rows, column first.
type Rows struct {
	Cols [][]dictionary.ID
	N    int
}

// NewRows returns no rows of so many columns.
func NewRows(width int) *Rows { return &Rows{Cols: make([][]dictionary.ID, width)} }

// AppendBatch adds all rows of a batch. It fails where the query ends while the rows move to more memory.
func (c *Rows) AppendBatch(b *Batch, ended limits.Ended) (err error) {
	for i, col := range c.Cols {
		if col, err = Room(col, b.N, ended); err != nil {
			return err
		}
		c.Cols[i] = append(col, b.Cols[i]...)
	}
	c.N += b.N
	return nil
}

// AppendRow adds row r of cols.
func (c *Rows) AppendRow(cols [][]dictionary.ID, r int) {
	for i := range c.Cols {
		c.Cols[i] = append(c.Cols[i], cols[i][r])
	}
	c.N++
}

// Reset drops all rows and keeps their memory.
func (c *Rows) Reset() {
	for i := range c.Cols {
		c.Cols[i] = c.Cols[i][:0]
	}
	c.N = 0
}

// Return gives columns back that are borrowed. Nobody may use the rows any more.
func (c *Rows) Return() {
	for _, col := range c.Cols {
		Return(col)
	}
	c.Cols, c.N = nil, 0
}

// Batch views rows from … to as a batch.
func (c *Rows) Batch(from, to int, into *Batch) *Batch {
	into.Cols = into.Cols[:0]
	for _, col := range c.Cols {
		into.Cols = append(into.Cols, col[from:to])
	}
	into.N, into.Origin = to-from, nil
	return into
}

// Emit hands out all rows, batch by batch.
func (c *Rows) Emit(emit func(*Batch) error) error {
	var b Batch
	for at := 0; at < c.N; at += BatchRows {
		if err := emit(c.Batch(at, min(at+BatchRows, c.N), &b)); err != nil {
			return err
		}
	}
	return nil
}

// Bytes is the memory that the rows take.
func (c *Rows) Bytes() int64 {
	var sum int64
	for _, col := range c.Cols {
		sum += int64(cap(col)) * 4
	}
	return sum
}
