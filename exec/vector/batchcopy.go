package vector

import "github.com/rdfgpu/rdfgpu/dictionary"

// BatchCopy is a batch of its own memory, used again and again.
type BatchCopy struct {
	Batch
	origin  []uint32
	weights []uint64
	lists   []List
}

// Copy takes over the rows of a batch.
func (c *BatchCopy) Copy(b *Batch) {
	c.Reset()
	c.Append(b, 0, b.N)
}

// Reset drops all rows and keeps their memory.
func (c *BatchCopy) Reset() {
	for i := range c.Cols {
		c.Cols[i] = c.Cols[i][:0]
	}
	c.N, c.Origin, c.Weights, c.Passed, c.Distinct = 0, nil, nil, false, false
	c.origin, c.weights, c.Lists = c.origin[:0], c.weights[:0], nil
	for i := range c.lists {
		c.lists[i].Values, c.lists[i].Ends = c.lists[i].Values[:0], c.lists[i].Ends[:0]
	}
}

// Append adds rows from … to of a batch, which has what is said of all its rows where all that were added have it. It has an Origin where all that were added have one; rows without weights stand for one
// solution each.
func (c *BatchCopy) Append(b *Batch, from, to int) {
	for len(c.Cols) < len(b.Cols) {
		c.Cols = append(c.Cols, []dictionary.ID{})
	}
	if from == to {
		return
	}
	for i, col := range b.Cols {
		if col != nil {
			c.Cols[i] = append(c.Cols[i], col[from:to]...)
		}
	}
	c.appendLists(b, from, to)
	if b.Origin != nil {
		c.origin = append(c.origin, b.Origin[from:to]...)
		c.Origin = c.origin
	}
	if b.Weights != nil || c.Weights != nil {
		c.appendWeights(b, from, to)
	}
	c.Passed, c.Distinct = b.Passed && (c.Passed || c.N == 0), b.Distinct && (c.Distinct || c.N == 0)
	c.N += to - from
}

// appendLists adds the lists of some rows of a batch, which has them for the same columns as all that were added.
func (c *BatchCopy) appendLists(b *Batch, from, to int) {
	if len(b.Lists) == 0 {
		return
	}
	for len(c.lists) < len(b.Lists) {
		c.lists = append(c.lists, List{})
	}
	c.Lists = c.lists[:len(b.Lists)]
	for i := range b.Lists {
		l := &b.Lists[i]
		c.Lists[i].Column, c.Cols[l.Column] = l.Column, nil
		c.Lists[i].appendRows(l, from, to)
	}
}

func (c *BatchCopy) appendWeights(b *Batch, from, to int) {
	for len(c.weights) < c.N {
		c.weights = append(c.weights, 1)
	}
	if b.Weights != nil {
		c.weights = append(c.weights, b.Weights[from:to]...)
	} else {
		for range to - from {
			c.weights = append(c.weights, 1)
		}
	}
	c.Weights = c.weights
}

// Bytes is the memory that the copy takes.
func (c *BatchCopy) Bytes() int64 {
	sum := int64(cap(c.origin))*4 + int64(cap(c.weights))*8
	for _, col := range c.Cols {
		sum += int64(cap(col)) * 4
	}
	for i := range c.lists {
		sum += int64(cap(c.lists[i].Values)+cap(c.lists[i].Ends)) * 4
	}
	return sum
}
