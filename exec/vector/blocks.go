package vector

import "github.com/rdfgpu/rdfgpu/dictionary"

// BlockRows is how many rows a block of Blocks has.
const BlockRows = 1 << 13

// Blocks is a growable set of rows in blocks, which do not move when more rows come. It is for one goroutine.
type Blocks struct {
	N      int
	width  int
	blocks []*Rows
}

// NewBlocks returns no rows of so many columns.
func NewBlocks(width int) *Blocks { return &Blocks{width: width} }

// Append adds all rows of a batch and returns how many bytes of memory that took.
func (b *Blocks) Append(batch *Batch) (bytes int64) {
	for from := 0; from < batch.N; {
		last := b.last()
		if last == nil || last.N == BlockRows {
			last = NewRows(b.width)
			for c := range last.Cols {
				last.Cols[c] = make([]dictionary.ID, 0, BlockRows)
			}
			b.blocks = append(b.blocks, last)
			bytes += last.Bytes()
		}
		to := min(batch.N, from+BlockRows-last.N)
		for c, col := range last.Cols {
			last.Cols[c] = append(col, batch.Cols[c][from:to]...)
		}
		last.N += to - from
		from = to
	}
	b.N += batch.N
	return bytes
}

func (b *Blocks) last() *Rows {
	if len(b.blocks) == 0 {
		return nil
	}
	return b.blocks[len(b.blocks)-1]
}

// List returns the blocks, in the order in which their rows came.
func (b *Blocks) List() []*Rows { return b.blocks }
