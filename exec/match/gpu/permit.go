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

// takeLane takes a lane with an arena of about that size, when there is one: whoever waits for one does so in a line, without the permit, which who
// has the lanes may need.
func (p *permit) takeLane(ctx context.Context, d *Device, want int64) (*lane, error) {
	if !d.lanes.waiting() {
		if l, err := d.lanes.lane(want, true); l != nil || err != nil {
			return l, err
		}
	}
	p.pass()
	turn := d.lanes.enter()
	defer d.lanes.leave(turn)
	tired := time.NewTicker(d.options.patience)
	defer tired.Stop()
	for {
		select {
		case <-turn:
		case <-tired.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		l, err := d.lanes.lane(want, d.lanes.moving())
		if l != nil && err == nil {
			if err = p.wait(ctx); err != nil {
				l.release()
			}
		}
		if l != nil || err != nil {
			return l, err
		}
	}
}
