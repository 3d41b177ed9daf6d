package web

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"
)

// patience is how long a query may wait for its client before it gives its slot back.
const patience = 2 * time.Millisecond

// errTooSlow is the cause of the context of a query that was cut because its client reads too slowly.
var errTooSlow = errors.New("too many queries wait for their clients to read, and this client is the slowest")

// turn is one query's claim on a slot. Its methods are called by the query alone.
type turn struct {
	admission *admission
	client    *client
	// cancel ends the query.
	cancel context.CancelCauseFunc
	// sent is how many bytes the client has taken.
	sent atomic.Int64
	// news says that a turn that waited runs (nil), or why it was turned away.
	news chan *Problem

	// Guarded by the admission's lock.
	state  turnState
	since  time.Time // of being parked
	waited time.Duration

	timer *time.Timer
	lent  chan struct{} // receives once the timer has parked the turn
}

// enter waits for a slot; where there is no problem, the turn must leave. cancel ends the query.
func (a *admission) enter(ctx context.Context, id clientID, cancel context.CancelCauseFunc) (*turn, *Problem) {
	if ctx.Err() != nil {
		return nil, unserved(ctx)
	}
	t := a.ask(id, cancel)
	if t == nil {
		return nil, busy("the queue is full")
	}
	select {
	case p := <-t.news:
		return t, p
	default:
	}
	return t, t.await(ctx)
}

// await waits in the queue for the first slot.
func (t *turn) await(ctx context.Context) *Problem {
	timer := time.NewTimer(t.admission.wait)
	defer timer.Stop()
	select {
	case p := <-t.news:
		return p
	case <-timer.C:
		t.leave()
		return busy("no turn came in time")
	case <-ctx.Done():
		t.leave()
		return unserved(ctx)
	}
}

// unserved is why a query did not get its turn whose context has ended.
func unserved(ctx context.Context) *Problem {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return busy("no turn came within the query's time limit")
	}
	return problemOf(ctx, ctx.Err())
}

func busy(detail string) *Problem {
	return &Problem{Status: http.StatusServiceUnavailable, Title: "too many queries", Detail: detail,
		Hint: "try again in a moment", retryAfter: time.Second, outcome: "busy"}
}

// leave gives back what the turn holds; it may be called again.
func (t *turn) leave() {
	if t != nil {
		t.admission.leave(t)
	}
}

// lend begins a wait for the client: if reclaim does not follow soon, the turn is parked.
func (t *turn) lend() {
	if t.timer != nil {
		t.timer.Reset(patience)
		return
	}
	t.lent = make(chan struct{}, 1)
	t.timer = time.AfterFunc(patience, func() {
		t.admission.park(t)
		t.lent <- struct{}{}
	})
}

// reclaim ends a wait for the client and, where the turn was parked, waits for a slot until ctx ends. failed tells that
// the query will do no more, and needs none.
func (t *turn) reclaim(ctx context.Context, failed bool) error {
	if t.timer.Stop() {
		return nil
	}
	<-t.lent
	if failed {
		return nil
	}
	if !t.admission.resume(t) {
		return errTooSlow
	}
	select {
	case <-t.news:
		return nil
	case <-ctx.Done():
		t.leave()
		return context.Cause(ctx)
	}
}

// compareRates orders turns that are parked by the bytes that their clients took for each second of waiting.
func compareRates(s, t *turn) int {
	// a/b < c/d without dividing: a*d < c*b
	left := float64(s.sent.Load()) * (t.waited + time.Since(t.since)).Seconds()
	right := float64(t.sent.Load()) * (s.waited + time.Since(s.since)).Seconds()
	switch {
	case left < right:
		return -1
	case left > right:
		return 1
	}
	return 0
}

// isParked reports whether the query waits for its client, or for a slot after that.
func (t *turn) isParked() bool {
	t.admission.mu.Lock()
	defer t.admission.mu.Unlock()
	return t.state != turnRuns
}
