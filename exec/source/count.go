package source

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Count is the number of solutions of a basic graph pattern, or a sum of such numbers, in one row.
type Count struct {
	operator.Base
	Terms []CountTerm // the most expensive first
	// Beside: terms may be counted beside each other.
	Beside bool
}

// CountTerm is a match whose solutions count so many times, which may be negative. All terms together are not.
type CountTerm struct {
	Times int
	Match *Match
	// Cost is how many members of lists it is expected to read.
	Cost float64
}

func (o *Count) Run(x *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	n, err := o.sum(x)
	if err != nil {
		return err
	}
	b := &vector.Batch{N: 1}
	for range o.Out {
		b.Cols = append(b.Cols, []dictionary.ID{x.Integer(n)})
	}
	return emit(b)
}

// sum adds the terms up, in 128 bits, for what is taken away again may be more than 64.
func (o *Count) sum(x *operator.Execution) (uint64, error) {
	numbers, err := o.numbers(x)
	if err != nil {
		return 0, err
	}
	var high, low uint64
	for i, t := range o.Terms {
		productHigh, product := bits.Mul64(numbers[i], uint64(max(t.Times, -t.Times)))
		var carry uint64
		if t.Times < 0 {
			low, carry = bits.Sub64(low, product, 0)
			high -= productHigh + carry
		} else {
			low, carry = bits.Add64(low, product, 0)
			high += productHigh + carry
		}
	}
	if high != 0 {
		return 0, match.ErrTooMany
	}
	return low, nil
}

// numbers are those of the terms. They are begun beside each other, so that no thread waits for the last rows of one while there is another.
func (o *Count) numbers(x *operator.Execution) ([]uint64, error) {
	numbers := make([]uint64, len(o.Terms))
	if len(o.Terms) == 1 {
		n, err := o.Terms[0].Match.Count(x)
		numbers[0] = n
		return numbers, err
	}
	ctx, cancel := context.WithCancel(x.Ctx)
	defer cancel()
	own := *x
	own.Ctx = ctx
	var next atomic.Int64
	count := func() error {
		for i := int(next.Add(1)) - 1; i < len(o.Terms); i = int(next.Add(1)) - 1 {
			n, err := o.Terms[i].Match.Count(&own)
			if err != nil {
				return err
			}
			numbers[i] = n
		}
		return nil
	}
	terms := schedule.Group{Share: x.Workers, Failed: cancel}
	terms.GoAll(o.others(x), func(*schedule.Worker) error { return count() })
	terms.Do(count)
	return numbers, terms.Wait()
}

// others is how many terms are counted beside the first, where that is worth threads.
func (o *Count) others(x *operator.Execution) int {
	n := min(len(o.Terms)-1, x.Workers.Limit()/threadsOfTerm)
	if !o.Beside || n == 0 || o.Terms[0].Cost < x.Tuning.TermCost || slices.ContainsFunc(o.Terms, func(t CountTerm) bool { return len(t.Match.Tests) > 0 }) {
		return 0
	}
	bytes := int64(0)
	for _, t := range o.Terms[1:] {
		bytes += t.Match.weighs()
	}
	if bytes == 0 {
		return n
	}
	if !x.Matches.TryCharge(bytes) {
		return 0
	}
	_ = x.Matches.Charge(-bytes)
	return n
}

// threadsOfTerm is how many threads there must be for each term that is counted beside the first: of two threads each is as well used by one term at a time.
const threadsOfTerm = 4

// weighs is how much memory numbers of all vertices take, for each step that may have some.
func (m *Match) weighs() (bytes int64) {
	for _, s := range m.Plan.Steps {
		if s.Weighed {
			bytes += 8 * int64(m.Graph.Vertices())
		}
	}
	return bytes
}
