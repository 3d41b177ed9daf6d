package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// Store is what clients ask. Its methods are called by several goroutines.
type Store interface {
	// Update makes a change and tells what it did, or, where dry, what it would do. Where wanted is not nil, and the store
	// at another sequence, the answer is a conflict.
	Update(ctx context.Context, text string, wanted *uint64, dry bool) (Answer, error)
	// Query answers in TSV, with the sequence of the state that was read, which is least or a later one.
	Query(ctx context.Context, text string, least uint64) (tsv string, sequence uint64, err error)
}

// History is what clients asked, and were told. For use by any number of goroutines.
type History struct {
	began  time.Time
	latest atomic.Uint64 // the highest sequence that anybody was told

	mu         sync.Mutex
	operations []porcupine.Operation
}

// New is a history of nothing.
func New() *History { return &History{began: time.Now()} }

// Len is how many operations were answered.
func (h *History) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.operations)
}

// Do asks a store and notes the answer. An operation that failed is not noted: it must not have done anything.
func (h *History) Do(ctx context.Context, client int, s Store, o Operation) (Answer, error) {
	call := time.Since(h.began)
	answer, err := ask(ctx, s, &o)
	end := time.Since(h.began)
	if err != nil {
		return answer, err
	}
	for told, was := max(answer.Sequence, answer.State.Sequence), h.latest.Load(); told > was; was = h.latest.Load() {
		h.latest.CompareAndSwap(was, told)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, porcupine.Operation{ClientId: client, Input: o, Call: int64(call), Output: answer, Return: int64(end)})
	return answer, nil
}

func ask(ctx context.Context, s Store, o *Operation) (Answer, error) {
	if o.Kind != Read {
		return s.Update(ctx, o.update(), o.If, o.Dry)
	}
	tsv, sequence, err := s.Query(ctx, query, o.Least)
	if err != nil {
		return Answer{}, err
	}
	state, err := readState(tsv, sequence)
	return Answer{State: state}, err
}

// Clients is several of them at work.
type Clients struct {
	// Number is how many there are, each of which does so many Operations.
	Number, Operations int
	// Seed is what they draw from; the clients of one store's later life have another one, so that all numbers differ.
	Seed uint64
	// Patience is how long a Read waits for a sequence that may never come.
	Patience time.Duration
	// HangUp lets clients give up some operations early. A change that was given up must not have been made.
	HangUp bool
}

// Run lets the clients do their work, and notes it. The error is that of an operation that nobody gave up.
func (c Clients) Run(h *History, s Store) error {
	errs := make(chan error, c.Number)
	for number := range c.Number {
		go func() {
			one := &client{Clients: c, number: number, random: rand.New(rand.NewPCG(c.Seed, uint64(number)))}
			errs <- one.run(h, s)
		}()
	}
	var first error
	for range c.Number {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return first
}

// client is one of them.
type client struct {
	Clients
	number int
	random *rand.Rand
	drawn  int64
}

func (c *client) run(h *History, s Store) error {
	for range c.Operations {
		o, patience := c.draw(h.latest.Load())
		ctx, cancel := context.WithCancel(context.Background())
		if patience > 0 {
			ctx, cancel = context.WithTimeout(context.Background(), patience)
		}
		_, err := h.Do(ctx, c.number, s, o)
		gaveUp := ctx.Err() != nil
		cancel()
		if err != nil && !gaveUp {
			return fmt.Errorf("history: client %d, %+v: %w", c.number, o, err)
		}
	}
	return nil
}

// kinds are how often operations of a kind are drawn.
var kinds = []Kind{Read, Read, Read, Read, Read, Read, Put, Put, Put, Put, Increase, Increase, Increase, Swap, Swap, Remove, Pass, Pass, Pass, Pass, Fill}

// draw draws an operation, where a sequence is the latest known, and how long to wait for it; 0 means until it ends.
func (c *client) draw(latest uint64) (o Operation, patience time.Duration) {
	c.drawn++
	o = Operation{
		Kind: kinds[c.random.IntN(len(kinds))], Key: c.random.IntN(Keys), Number: (int64(c.Seed)*1_000_000+c.drawn)*100 + int64(c.number) + 1,
	}
	o.Other = (o.Key + 1 + c.random.IntN(Keys-1)) % Keys
	switch {
	case c.HangUp && c.random.IntN(12) == 0:
		patience = time.Duration(c.random.IntN(3000)+1) * time.Microsecond
	case o.Kind == Read && c.random.IntN(3) == 0:
		o.Least, patience = latest+uint64(c.random.IntN(3)), c.Patience // which may never come
	case o.Kind != Read && c.random.IntN(4) == 0:
		o.If = &latest
	case o.Kind != Read && c.random.IntN(8) == 0:
		o.Dry = true
	}
	return o, patience
}
