package gpu

import "context"

// permit is a query's right to prepare a launch and wait for it, which only so many have at a time: a thread that waits is
// busy, and a query whose first launch is its last needs tables no longer than that. Whoever goes on after a launch, or
// hands rows out, does so without.
type permit struct {
	permits chan struct{}
	has     bool
}

// wait waits for a permit, unless the query has it.
func (p *permit) wait(ctx context.Context) error {
	if p.has {
		return nil
	}
	select {
	case p.permits <- struct{}{}:
		p.has = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pass lets the next have the permit.
func (p *permit) pass() {
	if p.has {
		<-p.permits
		p.has = false
	}
}
