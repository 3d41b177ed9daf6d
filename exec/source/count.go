package source

import (
	"math/bits"
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Count is the number of solutions of a basic graph pattern, or a sum of such numbers, in one row.
type Count struct {
	operator.Base
	Terms []CountTerm
}

// CountTerm is a match whose solutions count so many times, which may be negative. All terms together are not.
type CountTerm struct {
	Times int
	Match *Match
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
	counts, err := o.counts(x)
	if err != nil {
		return 0, err
	}
	var high, low uint64
	for i, t := range o.Terms {
		n := counts[i]
		productHigh, product := bits.Mul64(n, uint64(max(t.Times, -t.Times)))
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

// counts are how many solutions each term's match has. Where threads have nothing more to do for one, while others still have, the next one begins beside it: two at a time at
// most, if there is room for the weights of both.
func (o *Count) counts(x *operator.Execution) ([]uint64, error) {
	counts := make([]uint64, len(o.Terms))
	if len(o.Terms) > 1 && !x.Analyze && !x.Single && x.Workers.Limit() > 1 && o.hasRoom(x) {
		b := beside{Count: o, x: x, counts: counts}
		b.countAll()
		return counts, b.err
	}
	for i, t := range o.Terms {
		var err error
		if counts[i], err = t.Match.Count(x); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// hasRoom reports whether the query may hold the weights of two terms: up to 9 bytes for each vertex and step (numberTable of exec/match/cpu).
func (o *Count) hasRoom(x *operator.Execution) bool {
	bytes := int64(0)
	for _, t := range o.Terms {
		bytes = max(bytes, 2*9*int64(t.Match.Graph.Vertices())*int64(len(t.Match.Plan.Steps)))
	}
	return x.Matches.Bears(bytes)
}

// beside is terms that are being counted.
type beside struct {
	*Count
	x      *operator.Execution
	counts []uint64
	wait   sync.WaitGroup

	mu    sync.Mutex // guards what follows
	next  int        // the term that nobody has begun
	begun bool       // one beside another
	other bool       // one beside another is still counted
	err   error      // the first
}

// countAll counts all terms, and returns when nobody counts any more.
func (b *beside) countAll() {
	defer b.end()
	for i := b.take(); i < len(b.Terms); i = b.take() {
		b.count(i)
	}
}

// end waits for a term that is counted beside others. None is begun any more.
func (b *beside) end() {
	b.mu.Lock()
	b.next = len(b.Terms)
	begun := b.begun
	b.mu.Unlock()
	if begun {
		b.x.Workers.Park()
		defer b.x.Workers.Unpark()
		b.wait.Wait()
	}
}

// take takes the next term; none where one has failed.
func (b *beside) take() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		b.next = len(b.Terms)
	}
	b.next++
	return b.next - 1
}

// count counts a term.
func (b *beside) count(i int) {
	n, err := b.Terms[i].Match.count(b.x, b.begin)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.counts[i] = n; b.err == nil {
		b.err = err
	}
}

// begin begins the next term, if there is one, in a goroutine of its own: that of the caller is about to end.
func (b *beside) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.next
	if i >= len(b.Terms) || b.other || b.err != nil {
		return
	}
	b.next, b.begun, b.other = i+1, true, true
	b.wait.Go(func() {
		b.x.Workers.Enter()
		defer b.x.Workers.Leave()
		err := schedule.Guard(func() error { b.count(i); return nil })
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.other = false; b.err == nil {
			b.err = err
		}
	})
}
