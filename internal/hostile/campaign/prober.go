package main

import (
	"context"
	"time"
)

// probeInterval is how often the other client asks.
const probeInterval = 50 * time.Millisecond

// proberAddress is where the other client comes from, so that a server can tell it from the hostile one.
const proberAddress = "127.0.0.2"

// prober is another client, which asks the simplest of queries beside everything.
type prober struct {
	server   *server
	times    []time.Duration
	Statuses map[int]int // other than 200
	Lost     int         // no answer
}

// run asks until ctx is done.
func (p *prober) run(ctx context.Context) {
	c := newConnection(p.server, proberAddress)
	defer c.close()
	query := plain("ASK { ?s ?p ?o }")
	for ctx.Err() == nil {
		began := time.Now()
		a := c.send(ctx, query, nil)
		switch {
		case ctx.Err() != nil || a.Cut:
		case a.Err != "":
			p.Lost++
			p.times = append(p.times, a.Elapsed)
		default:
			if a.Status != 200 {
				p.Statuses[a.Status]++
			}
			p.times = append(p.times, a.Elapsed)
		}
		time.Sleep(max(time.Millisecond, probeInterval-time.Since(began)))
	}
}

// beyond counts the answers that took longer than a limit.
func (p *prober) beyond(limit time.Duration) (n int) {
	for _, t := range p.times {
		if t > limit {
			n++
		}
	}
	return n
}
