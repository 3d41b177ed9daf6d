package web

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// admission lets so many queries run at once, lets so many more wait for a while, and turns the others away.
type admission struct {
	slots   chan struct{}
	waiting atomic.Int64
	queue   int64
	wait    time.Duration
}

func newAdmission(concurrent, queue int, wait time.Duration) *admission {
	return &admission{slots: make(chan struct{}, concurrent), queue: int64(queue), wait: wait}
}

// enter waits for a turn; every nil must be followed by leave.
func (a *admission) enter(ctx context.Context) *Problem {
	select {
	case a.slots <- struct{}{}:
		return nil
	default:
	}
	if a.waiting.Add(1) > a.queue {
		a.waiting.Add(-1)
		return busy("the queue is full")
	}
	defer a.waiting.Add(-1)
	timer := time.NewTimer(a.wait)
	defer timer.Stop()
	select {
	case a.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return busy("no turn came in time")
	case <-ctx.Done():
		return problemOf(ctx, ctx.Err())
	}
}

func (a *admission) leave() { <-a.slots }

func busy(detail string) *Problem {
	return &Problem{Status: http.StatusServiceUnavailable, Title: "too many queries", Detail: detail,
		Hint: "try again in a moment", retryAfter: time.Second, outcome: "busy"}
}
