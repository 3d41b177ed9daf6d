package vector

import "github.com/rdfgpu/rdfgpu/dictionary"

// Rows is a growable set of rows, column first.
type Rows struct {
	Cols [][]dictionary.ID
	N    int
}

// NewRows returns no rows of so many columns.
func NewRows(width int) *Rows { return &Rows{Cols: make([][]dictionary.ID, width)} }

// AppendBatch adds all rows of a batch; columns beyond the batch's are left to the caller.
func (c *Rows) AppendBatch(b *Batch) {
	for i := range c.Cols {
		c.Cols[i] = append(c.Cols[i], b.Cols[i]...)
	}
	c.N += b.N
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
