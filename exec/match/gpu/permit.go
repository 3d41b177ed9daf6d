package gpu

import (
	"context"
	"time"
)

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

// patience is how long a query waits for others' memory before it makes do with less: they may be held up by those who take their rows.
const patience = 100 * time.Millisecond

// takeLane takes a lane with an arena of about that size, when there is one.
func (p *permit) takeLane(ctx context.Context, d *Device, want int64) (*lane, error) {
	for begun := time.Now(); ; {
		l, err := d.lanes.lane(want, time.Since(begun) < patience)
		if l != nil || err != nil {
			return l, err
		}
		p.pass() // whoever has the lanes may need it
		if err := d.lanes.released(ctx); err != nil {
			return nil, err
		}
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
}
