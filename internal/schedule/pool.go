package schedule

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Pool is the permits of a process. It is safe for concurrent use.
type Pool struct {
	size int
	// pressed: a share may have to give permits back.
	pressed atomic.Bool
	// alone: one share runs, or will go on.
	alone atomic.Bool

	mu    sync.Mutex
	taken int
	// parked is how many goroutines wait for others of their queries (Share.Park).
	parked int
	// running are the shares that hold a permit or wait for one.
	running []*Share
	waiting []*waiter // the longest first
}

// waiter is a goroutine that waits for a permit; ready is closed when it has one.
type waiter struct {
	share *Share
	ready chan struct{}
}

// wish is how long a share that was refused a worker is known to need one.
const wish = 10 * time.Millisecond

// New returns a pool of so many permits; 0 or less means one for each thread of the process.
func New(permits int) *Pool {
	if permits <= 0 {
		permits = runtime.GOMAXPROCS(0)
	}
	return &Pool{size: permits}
}

// Open returns the share of a query that uses up to limit threads, its caller's included; 0 or less means all. When ctx ends,
// none of its goroutines waits any more. A share that nobody has entered costs others nothing; it need not be closed.
func (p *Pool) Open(ctx context.Context, limit int) *Share {
	if limit <= 0 || limit > p.size {
		limit = p.size
	}
	return &Share{pool: p, limit: limit, done: ctx.Done()}
}

// part is how many permits each share that runs may count on.
func (p *Pool) part() int { return max(1, p.size/max(1, len(p.running))) }

// needy reports whether another share has less than its part and would have more.
func (p *Pool) needy(except *Share, now time.Time) bool {
	part := p.part()
	return slices.ContainsFunc(p.running, func(s *Share) bool {
		return s != except && s.held < min(part, s.limit) && (s.waiting > 0 || now.Before(s.wishes))
	})
}

// mayTake reports whether a share may take one more permit. One that has none always may.
func (p *Pool) mayTake(s *Share, now time.Time) bool {
	if s.held <= 0 {
		return true
	}
	return s.held < s.limit && p.taken < p.size && (s.held < p.part() || !p.needy(s, now))
}

// mustGive reports whether a share must give a permit back.
func (p *Pool) mustGive(s *Share, now time.Time) bool {
	switch {
	case s.held <= 1:
		return false
	case s.held > s.limit:
		return true
	case s.held <= p.part():
		return false
	}
	return p.taken > p.size || p.taken == p.size && p.needy(s, now)
}

// take counts a permit of a share.
func (p *Pool) take(s *Share) {
	s.held++
	p.taken++
	p.note(s)
	if p.taken > p.size || s.held > s.limit {
		p.pressed.Store(true)
	}
}

// give counts a permit less, and hands on what there is.
func (p *Pool) give(s *Share) {
	s.held--
	p.taken--
	p.note(s)
	if len(p.waiting) > 0 {
		p.wake(time.Now())
	}
}

// note keeps the list of the shares that run, and tells a share whether it is full.
func (p *Pool) note(s *Share) {
	if full := s.held >= s.limit; full != s.full.Load() {
		s.full.Store(full)
	}
	runs := s.held > 0 || s.waiting > 0
	if runs == s.runs {
		return
	}
	if s.runs = runs; runs {
		p.running = append(p.running, s)
	} else {
		at := slices.Index(p.running, s)
		p.running = slices.Delete(p.running, at, at+1)
	}
	p.alone.Store(len(p.running) == 1 || len(p.running) == 0 && p.parked > 0)
}

// wake gives permits to those that wait and may have them.
func (p *Pool) wake(now time.Time) {
	for i := 0; i < len(p.waiting); {
		w := p.waiting[i]
		if !p.mayTake(w.share, now) {
			i++
			continue
		}
		p.waiting = slices.Delete(p.waiting, i, i+1)
		w.share.waiting--
		p.take(w.share)
		close(w.ready)
	}
}

// looksAt reports whether a share must give a permit back, and notes whether anybody still may have to.
func (p *Pool) looksAt(s *Share) (gives bool) {
	now := time.Now()
	p.pressed.Store(p.taken > p.size || p.needy(nil, now) ||
		slices.ContainsFunc(p.running, func(s *Share) bool { return s.held > s.limit }))
	return p.mustGive(s, now)
}
