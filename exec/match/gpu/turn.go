package gpu

import "context"

// turn is a query's right to prepare a launch and wait for it, which only so many have at a time: a thread that waits is
// busy, and a query whose first launch is its last needs tables no longer than that. Whoever goes on after a launch, or
// hands rows out, does so without.
type turn struct {
	turns chan struct{}
	has   bool
}

// wait waits for a turn, unless the query has it.
func (t *turn) wait(ctx context.Context) error {
	if t.has {
		return nil
	}
	select {
	case t.turns <- struct{}{}:
		t.has = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pass lets the next have the turn.
func (t *turn) pass() {
	if t.has {
		<-t.turns
		t.has = false
	}
}
