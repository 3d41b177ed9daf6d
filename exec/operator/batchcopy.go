package operator

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// BatchCopy is a batch of its own memory, used again and again.
type BatchCopy struct {
	vector.Batch
	origin  []uint32
	weights []uint64
}

// Copy takes over the rows of a batch.
func (c *BatchCopy) Copy(b *vector.Batch) {
	for len(c.Cols) < len(b.Cols) {
		c.Cols = append(c.Cols, []dictionary.ID{})
	}
	for i, col := range b.Cols {
		c.Cols[i] = append(c.Cols[i][:0], col...)
	}
	c.N, c.Origin, c.Weights = b.N, nil, nil
	if b.Origin != nil {
		c.origin = append(c.origin[:0], b.Origin...)
		c.Origin = c.origin
	}
	if b.Weights != nil {
		c.weights = append(c.weights[:0], b.Weights...)
		c.Weights = c.weights
	}
}

// Bytes is the memory that the copy takes.
func (c *BatchCopy) Bytes() int64 {
	sum := int64(cap(c.origin))*4 + int64(cap(c.weights))*8
	for _, col := range c.Cols {
		sum += int64(cap(col)) * 4
	}
	return sum
}
