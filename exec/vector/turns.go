package vector

import (
	"sync"
	"sync/atomic"
	"time"
)

// Turns hands on batches that several goroutines have, one at a time. Who would have to wait leaves a copy, up to some, to whoever is at it, and goes on. What was left has
// been handed on when all that were called have returned. It is safe for concurrent use.
type Turns struct {
	of   Taker
	turn sync.Mutex

	mu          sync.Mutex
	left, spare []*BatchCopy
	used, most  int          // copies that are left, being written or read
	some        atomic.Bool  // there may be some in left
	took        atomic.Int64 // nanoseconds of the last one
	early       atomic.Int64 // how many batches are early yet
}

// Taker takes the batches of some turns: Hand is called by one goroutine at a time. Wait takes the lock of whoever has the turn, which may be held for long.
type Taker interface {
	Hand(b *Batch)
	Wait(turn *sync.Mutex)
}

// For each thread leftEach batches are left to others at most, of mostLeft cells each: larger ones would be much memory that nobody counts.
const (
	leftEach = 2
	mostLeft = 1 << 16
)

// Open says who takes the batches, and how many threads there are. It comes before all else.
func (t *Turns) Open(of Taker, threads int) {
	t.of, t.most = of, leftEach*threads
	t.early.Store(earlyEach * int64(threads))
}

// earlyEach is how many batches of each thread are among the first.
const earlyEach = 4

// Offer has a batch taken aside by take, or hands it on where nobody else is at one, and reports whether either was done. With one of the first batches that neither can be done
// with, it awaits that: who takes batches aside, from several goroutines at once, mostly does so after the first few thousand rows, and what is left in its place is handed on
// by one goroutine alone.
func (t *Turns) Offer(b *Batch, take func() bool, await func(is func() bool) bool) bool {
	return take() || t.try(b) || t.isEarly() && await(func() bool { return t.try(b) || take() })
}

// isEarly reports whether a batch is among the first ones.
func (t *Turns) isEarly() bool { return t.early.Load() > 0 && t.early.Add(-1) >= 0 }

// longTurn is how long a turn has to take for others to leave copies at once: of shorter ones they see the end first.
const longTurn = 5 * time.Microsecond

// Pass hands a batch on, or leaves it.
func (t *Turns) Pass(b *Batch) {
	switch {
	case t.begin():
		t.at(b)
	case !t.leave(b):
		t.of.Wait(&t.turn)
		t.at(b)
	}
	t.rest()
}

// try hands a batch on if nobody else is at it, and reports whether it did.
func (t *Turns) try(b *Batch) bool {
	if !t.turn.TryLock() {
		return false
	}
	t.at(b)
	t.rest()
	return true
}

// rest hands on what was left to somebody who had ended the turn before seeing it.
func (t *Turns) rest() {
	for t.some.Load() && t.turn.TryLock() {
		t.at(nil)
	}
}

// begin takes the turn, if whoever has it ends soon.
func (t *Turns) begin() bool {
	if t.turn.TryLock() {
		return true
	}
	if t.took.Load() >= int64(longTurn) {
		return false
	}
	for began := time.Now(); time.Since(began) < longTurn; {
		if t.turn.TryLock() {
			return true
		}
	}
	return false
}

// at is a turn: of the caller's batch, if it has one, and of those that are left.
func (t *Turns) at(b *Batch) {
	defer t.turn.Unlock()
	if b != nil {
		t.hand(b)
	}
	for c := t.next(nil); c != nil; c = t.next(c) {
		t.hand(&c.Batch)
	}
}

// hand hands a batch on.
func (t *Turns) hand(b *Batch) {
	began := time.Now()
	t.of.Hand(b)
	t.took.Store(int64(time.Since(began)))
}

// leave keeps a copy of a batch, if there is room, it is not large, and its rows are all that there is to it.
func (t *Turns) leave(b *Batch) bool {
	if b.Folds != nil || b.Tally || b.cells() > mostLeft {
		return false
	}
	c := t.room()
	if c == nil {
		return false
	}
	c.Copy(b)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = append(t.left, c)
	t.some.Store(true)
	return true
}

// room is what a batch may be copied to; nil where there are as many copies as may be.
func (t *Turns) room() *BatchCopy {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.used >= t.most {
		return nil
	}
	t.used++
	if n := len(t.spare); n > 0 {
		c := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return c
	}
	return &BatchCopy{}
}

// next takes what was left first; done is one that was handed on.
func (t *Turns) next(done *BatchCopy) *BatchCopy {
	if done == nil && !t.some.Load() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if done != nil {
		t.spare = append(t.spare, done)
		t.used--
	}
	if len(t.left) == 0 {
		t.some.Store(false)
		return nil
	}
	c := t.left[0]
	t.left = append(t.left[:0], t.left[1:]...)
	return c
}
