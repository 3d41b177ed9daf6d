package sideways

import (
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Existence answers EXISTS for the rows of batches. The pattern reads some of a batch's columns; each distinct
// combination of their values is looked at once, many at a time, and remembered. Where its side is for several goroutines, it is safe for concurrent use: then each
// asks operators of its own, and remembers what it has asked itself.
type Existence struct {
	Not  bool
	From []int
	// Side is the pattern, for who asks first.
	Side *Side
	// Varies: answers hold only for the parameters' values that frame numbers.
	Varies bool

	first  atomic.Bool // somebody has Side
	asking atomic.Int32
	askers schedule.Spares[*asker]
}

// asker is what one goroutine at a time asks.
type asker struct {
	*Existence
	x     operator.Execution
	side  *Side
	frame uint64
	held  *limits.Account

	// known are the combinations that are remembered, of so many rows.
	known   *vector.RowSet
	answers []bool
	rows    int
}

// Of knownRows combinations and more, those are not remembered of which most are met once: to look in a table that is not in the cache costs as much as a short answer.
const knownRows = 1 << 14

// Evaluate says for every row of b whether the pattern has a solution.
func (e *Existence) Evaluate(x *operator.Execution, b *vector.Batch) ([]bool, error) {
	defer e.asking.Add(-1)
	beside := e.asking.Add(1) > 1
	a := e.askers.Take(func() *asker { return &asker{Existence: e} })
	defer e.askers.Give(a)
	if a.side == nil {
		if err := a.begin(x); err != nil {
			return nil, err
		}
	}
	x.Beside(&a.x, beside)
	return a.evaluate(b)
}

// begin gives the asker its operators.
func (a *asker) begin(x *operator.Execution) (err error) {
	side := a.Side
	if a.first.Swap(true) {
		side, err = a.Side.Another()
	}
	if err == nil {
		a.side, a.held = side, x.Memory.Open("exists")
	}
	return err
}

func (a *asker) evaluate(b *vector.Batch) ([]bool, error) {
	if a.known == nil || a.Varies && a.frame != a.x.Frame {
		a.frame = a.x.Frame
		a.forget()
	}
	cols := make([][]dictionary.ID, len(a.From))
	for i, c := range a.From {
		cols[i] = b.Cols[c]
	}
	hashes := vector.HashRows(nil, cols, vector.AllColumns(len(cols)), b.N)
	numbers := make([]uint32, b.N)
	before := a.known.Rows.N
	for r := range b.N {
		numbers[r], _ = a.known.Add(cols, r, hashes[r])
	}
	if err := a.ask(before); err != nil {
		return nil, err
	}
	found := make([]bool, b.N)
	for r, n := range numbers {
		found[r] = a.answers[n]
	}
	if a.rows += b.N; a.known.Rows.N > knownRows && 2*a.known.Rows.N > a.rows {
		a.forget()
	}
	if !a.held.Hold(a.known.Bytes() + int64(len(a.answers))) {
		a.forget()
		a.held.Hold(0)
	}
	return found, nil
}

// forget drops what is remembered: it is only a memory, bounded by the query's.
func (a *asker) forget() {
	a.known, a.answers, a.rows = vector.NewRowSet(len(a.From), a.x.Ended), nil, 0
}

// ask finds the answers of the combinations from number first on.
func (a *asker) ask(first int) error {
	n := a.known.Rows.N
	a.answers = slices.Grow(a.answers, n-len(a.answers))[:n]
	clear(a.answers[first:])
	if first == n {
		return nil
	}
	batch := a.known.Rows.Batch(first, n, &vector.Batch{})
	open := n - first
	return limits.Stopping(func(enough error) error {
		return a.side.Run(&a.x, batch, func(b *vector.Batch, _ *Merge) error {
			for _, row := range b.Origin {
				if !a.answers[first+int(row)] {
					a.answers[first+int(row)] = true
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
