package web

import (
	"context"
	"slices"
	"sync"
	"time"
)

// admission decides which queries run. A query that gets no slot at once waits in a queue; one that runs and then waits
// for its client to read is parked: it gives its slot back meanwhile.
//
// Clients are served alike. A free slot goes to the waiting client that holds the fewest, among equals to the one that was
// served longest ago, and within a client first to queries that were parked, then to the others as they came. When the
// queue is full, a client that has fewer queries in it takes the place of the newest query of the client that has most.
// share is how many slots one client holds on its own account: what it holds beyond is borrowed, and does not keep those
// within their share waiting. So up to 2*slots - share queries run where one client had them all when others came.
type admission struct {
	slots, share, places, parking int
	// wait is the longest a query waits for its first slot.
	wait time.Duration

	mu      sync.Mutex
	clients map[clientID]*client // those with a turn
	queue   []*client            // those with turns that wait, served longest ago first
	parked  []*turn
	counts  counts
}

// counts are numbers of queries.
type counts struct {
	// running hold a slot, of which owned are within their client's share; waiting wait for their first slot, returning
	// for a further one; parked wait for their clients.
	running, owned, waiting, returning, parked int
}

// client is who asks: it has its turns in every state.
type client struct {
	id      clientID
	running int
	parked  int
	fresh   []*turn // wait for their first slot
	back    []*turn // wait for a further one
	turns   int
}

// turnState is where a query stands.
type turnState uint8

const (
	turnWaits turnState = iota
	turnRuns
	turnParked
	turnCut // was parked, and had to go
	turnEnded
)

// newAdmission lets slots queries run, places wait and parking be parked; a client's share is a percentage of the slots,
// rounded up.
func newAdmission(slots, places, parking, sharePercent int, wait time.Duration) *admission {
	return &admission{slots: slots, share: max(1, (slots*sharePercent+99)/100), places: places, parking: parking, wait: wait,
		clients: map[clientID]*client{}}
}

// now is what the queries do at this moment.
func (a *admission) now() counts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counts
}

// ask makes a turn, which runs or waits; nil where the queue has no place for it. cancel ends the query of a turn that is
// parked and too slow.
func (a *admission) ask(id clientID, cancel context.CancelCauseFunc) *turn {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.clients[id]
	if c == nil {
		c = &client{id: id}
	}
	t := &turn{admission: a, client: c, cancel: cancel, news: make(chan *Problem, 1)}
	switch {
	case a.mayRun(c):
		a.run(t)
	case a.counts.waiting < a.places || a.pushOut(c):
		a.counts.waiting++
		c.fresh = append(c.fresh, t)
		a.enqueue(c)
	default:
		return nil
	}
	c.turns++
	a.clients[id] = c
	return t
}

// mayRun reports whether one more query of a client may run. It is never so of a client in the queue.
func (a *admission) mayRun(c *client) bool {
	return a.counts.running < a.slots || c.running < a.share && a.counts.owned < a.slots
}

// run gives a turn a slot and tells it.
func (a *admission) run(t *turn) {
	t.state = turnRuns
	if t.client.running < a.share {
		a.counts.owned++
	}
	t.client.running++
	a.counts.running++
	t.news <- nil
}

// stop takes a turn's slot away.
func (a *admission) stop(t *turn) {
	t.client.running--
	a.counts.running--
	if t.client.running < a.share {
		a.counts.owned--
	}
}

// enqueue puts a client that has a turn waiting at the end of the queue, unless it stands there.
func (a *admission) enqueue(c *client) {
	if len(c.fresh)+len(c.back) == 1 {
		a.queue = append(a.queue, c)
	}
}

// dequeue takes a client out of the queue that has no turn waiting any more.
func (a *admission) dequeue(c *client) {
	if len(c.fresh)+len(c.back) == 0 {
		i := slices.Index(a.queue, c)
		a.queue = slices.Delete(a.queue, i, i+1)
	}
}

// pushOut turns away the newest waiting query of the client that has most in the queue, where that is fair to a client
// that wants in: where it has more even then.
func (a *admission) pushOut(c *client) bool {
	most := c
	for _, other := range a.queue {
		if len(other.fresh) > len(most.fresh) {
			most = other
		}
	}
	if len(most.fresh) <= len(c.fresh)+1 {
		return false
	}
	last := most.fresh[len(most.fresh)-1]
	a.unqueue(last)
	a.end(last)
	last.news <- busy("the queue is full, and other clients have fewer queries in it")
	return true
}

// dispatch gives slots to turns that wait, as long as there are any.
func (a *admission) dispatch() {
	for len(a.queue) > 0 {
		best := 0
		for i, c := range a.queue {
			if c.running < a.queue[best].running {
				best = i
			}
		}
		c := a.queue[best]
		if !a.mayRun(c) {
			return
		}
		next := c.next()
		a.unqueue(next)
		if i := slices.Index(a.queue, c); i >= 0 {
			a.queue = append(slices.Delete(a.queue, i, i+1), c)
		}
		a.run(next)
	}
}

// next is the turn that a client's next slot is for.
func (c *client) next() *turn {
	if len(c.back) > 0 {
		return c.back[0]
	}
	return c.fresh[0]
}

// unqueue takes a turn out of the queue.
func (a *admission) unqueue(t *turn) {
	c := t.client
	if i := slices.Index(c.back, t); i >= 0 {
		c.back = slices.Delete(c.back, i, i+1)
		a.counts.returning--
	} else {
		i = slices.Index(c.fresh, t)
		c.fresh = slices.Delete(c.fresh, i, i+1)
		a.counts.waiting--
	}
	a.dequeue(c)
}

// park takes the slot of a query that waits for its client. Where too many do by now, the slowest is cut.
func (a *admission) park(t *turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop(t)
	t.state, t.since = turnParked, time.Now()
	t.client.parked++
	a.parked = append(a.parked, t)
	a.counts.parked++
	if a.counts.parked > a.parking {
		slowest := a.slowest()
		a.unpark(slowest)
		slowest.state = turnCut
		slowest.cancel(errTooSlow)
	}
	a.dispatch()
}

// slowest is, of the queries of the client that has most parked, the one whose client reads slowest.
func (a *admission) slowest() *turn {
	return slices.MinFunc(a.parked, func(s, t *turn) int {
		if s.client.parked != t.client.parked {
			return t.client.parked - s.client.parked
		}
		return compareRates(s, t)
	})
}

// unpark ends a turn's being parked.
func (a *admission) unpark(t *turn) {
	t.waited += time.Since(t.since)
	t.client.parked--
	a.counts.parked--
	i := slices.Index(a.parked, t)
	a.parked = slices.Delete(a.parked, i, i+1)
}

// resume asks for a slot for a query that is parked. It is false for one that was cut meanwhile.
func (a *admission) resume(t *turn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.state != turnParked {
		return false
	}
	a.unpark(t)
	if a.mayRun(t.client) {
		a.run(t)
		return true
	}
	t.state = turnWaits
	a.counts.returning++
	t.client.back = append(t.client.back, t)
	a.enqueue(t.client)
	return true
}

// leave ends a turn, whatever its state.
func (a *admission) leave(t *turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch t.state {
	case turnEnded:
		return
	case turnWaits:
		a.unqueue(t)
	case turnRuns:
		a.stop(t)
	case turnParked:
		a.unpark(t)
	}
	a.end(t)
	a.dispatch()
}

// end forgets a turn that is in no list any more.
func (a *admission) end(t *turn) {
	t.state = turnEnded
	if t.client.turns--; t.client.turns == 0 {
		delete(a.clients, t.client.id)
	}
}
