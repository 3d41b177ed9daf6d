package sideways

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Existence answers EXISTS for the rows of a batch. The pattern reads some of the batch's columns; each distinct
// combination of their values is looked at once, many at a time, and remembered.
type Existence struct {
	Not  bool
	From []int
	Side *Side
	// Varies: answers hold only for the parameters' values that frame numbers.
	Varies  bool
	frame   uint64
	known   *vector.RowSet
	answers []bool
	held    *limits.Account
}

// Evaluate says for every row of b whether the pattern has a solution. The slice is valid until the next call.
func (e *Existence) Evaluate(x *operator.Execution, b *vector.Batch) ([]bool, error) {
	if e.known == nil {
		e.held = x.Memory.Open("exists")
	}
	if e.known == nil || e.Varies && e.frame != x.Frame {
		e.frame = x.Frame
		e.forget(x)
	}
	cols := make([][]dictionary.ID, len(e.From))
	for i, c := range e.From {
		cols[i] = b.Cols[c]
	}
	hashes := vector.HashRows(nil, cols, vector.AllColumns(len(cols)), b.N)
	numbers := make([]uint32, b.N)
	before := e.known.Rows.N
	for r := range b.N {
		numbers[r], _ = e.known.Add(cols, r, hashes[r])
	}
	if err := e.ask(x, before); err != nil {
		return nil, err
	}
	found := make([]bool, b.N)
	for r, n := range numbers {
		found[r] = e.answers[n]
	}
	if !e.held.Hold(e.known.Bytes() + int64(len(e.answers))) {
		e.forget(x)
		e.held.Hold(0)
	}
	return found, nil
}

// forget drops what is remembered: it is only a memory, bounded by the query's.
func (e *Existence) forget(x *operator.Execution) {
	e.known, e.answers = vector.NewRowSet(len(e.From), x.Ended), nil
}

// ask finds the answers of the combinations from number first on.
func (e *Existence) ask(x *operator.Execution, first int) error {
	n := e.known.Rows.N
	e.answers = slices.Grow(e.answers, n-len(e.answers))[:n]
	clear(e.answers[first:])
	if first == n {
		return nil
	}
	batch := e.known.Rows.Batch(first, n, &vector.Batch{})
	open := n - first
	return limits.Stopping(func(enough error) error {
		return e.Side.Run(x, batch, func(b *vector.Batch, _ *Merge) error {
			for _, row := range b.Origin {
				if !e.answers[first+int(row)] {
					e.answers[first+int(row)] = true
					open--
				}
			}
			if open == 0 {
				return enough
			}
			return nil
		})
	})
}
