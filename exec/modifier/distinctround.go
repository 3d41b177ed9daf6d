package modifier

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// distinctRound is some chunks, of which used have rows.
type distinctRound struct {
	chunks []*distinctChunk
	used   int
	// most is how many chunks it may use: at first few, so that no more rows are waited for than were there before.
	most int
	// counted is its memory, as it was when it was counted last.
	counted int64
}

// distinctChunk is a copy of some rows, which is left with those that are new.
type distinctChunk struct {
	rows   vector.BatchCopy
	hashes []uint64
	split  vector.Split
	fresh  []bool
	keep   []uint32
}

// newDistinctRound returns a round of so many chunks, of which it uses some at first.
func newDistinctRound(chunks, most int) *distinctRound {
	r := &distinctRound{most: min(most, chunks)}
	for range chunks {
		r.chunks = append(r.chunks, &distinctChunk{})
	}
	return r
}

// fill takes rows of a batch, the first of them row from, and says which is the first that it has no room for. A chunk has up to size rows.
func (r *distinctRound) fill(b *vector.Batch, from, size int) int {
	for from < b.N {
		c := r.open(size)
		if c == nil {
			break
		}
		to := min(b.N, from+size-c.rows.N)
		c.rows.Append(b, from, to)
		from = to
	}
	return from
}

// open returns a chunk of fewer than size rows, nil where there is none among the first ones.
func (r *distinctRound) open(size int) *distinctChunk {
	if r.used > 0 && r.chunks[r.used-1].rows.N < size {
		return r.chunks[r.used-1]
	}
	if r.used == r.most {
		return nil
	}
	r.used++
	return r.chunks[r.used-1]
}

// grow lets a round use twice as many chunks as another one did.
func (r *distinctRound) grow(than *distinctRound) { r.most = min(2*than.most, len(r.chunks)) }

// filled are the chunks that have rows.
func (r *distinctRound) filled() []*distinctChunk { return r.chunks[:r.used] }

// emit emits the new rows of a round, and empties it.
func (r *distinctRound) emit(emit func(*vector.Batch) error) error {
	for _, c := range r.filled() {
		if c.rows.N > 0 {
			if err := emit(&c.rows.Batch); err != nil {
				return err
			}
		}
		c.rows.Reset()
	}
	r.used = 0
	return nil
}

// bytes is the memory that a round takes.
func (r *distinctRound) bytes() (sum int64) {
	for _, c := range r.chunks {
		sum += c.rows.Bytes() + int64(cap(c.hashes))*8 + int64(cap(c.keep))*4 + c.split.Bytes() + int64(cap(c.fresh))
	}
	return sum
}

// divide hashes the rows and splits them by parts of the hashes.
func (c *distinctChunk) divide(key []int) {
	c.hashes = vector.HashRows(c.hashes, c.rows.Cols, key, c.rows.N)
	c.split.Set(c.hashes)
	c.fresh = slices.Grow(c.fresh[:0], c.rows.N)[:c.rows.N]
}

// pick drops the rows that are not new, and what is said of all.
func (c *distinctChunk) pick() {
	c.keep = freshRows(c.keep[:0], c.fresh)
	vector.Compact(&c.rows.Batch, c.keep)
	c.rows.Passed, c.rows.Distinct = false, false
}
