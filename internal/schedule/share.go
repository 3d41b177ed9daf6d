package schedule

import (
	"sync"
	"sync/atomic"
	"time"
)

// Share is what one query holds of a pool. A nil Share is one of a query that has its caller's goroutine only. It is safe for
// concurrent use.
type Share struct {
	pool  *Pool
	limit int
	done  <-chan struct{}
	// claim is one of the states below.
	claim atomic.Int32
	// full: the share holds as many permits as it may.
	full atomic.Bool

	// Guarded by the pool's lock.
	held    int // permits
	waiting int
	runs    bool
	wishes  time.Time // until then a worker is wished for
}

// Limit is the most threads that the query uses, at least 1.
func (s *Share) Limit() int {
	if s == nil {
		return 1
	}
	return s.limit
}

// Free reports whether the query may have threads for which it has no work: it holds fewer permits than it may. It costs next to nothing.
func (s *Share) Free() bool { return s != nil && s.limit > 1 && !s.full.Load() }

// Alone reports whether no other query holds or waits for a permit; a nil Share never is.
func (s *Share) Alone() bool {
	if s == nil {
		return false
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return len(s.pool.running) == 1 && s.runs
}

// Enter takes a permit for a goroutine that begins or goes on to work. It does not wait.
func (s *Share) Enter() {
	if s == nil {
		return
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.take(s)
}

// Leave gives the permit of a goroutine back that ends or is about to wait.
func (s *Share) Leave() {
	if s == nil {
		return
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.give(s)
}

// Rouse says that the query is about to have work for so many threads more: those that wait begin to look for it, if no other query runs, so that they need not be
// woken when it comes.
func (s *Share) Rouse(threads int) {
	if s.Limit() > fewThreads && threads > 0 && s.pool.alone.Load() {
		processLanes.rouse(min(threads, s.limit-1))
	}
}

// Await looks for a moment whether something is so that other goroutines of the query bring about, if they are many and no other query runs, and reports whether it
// is. The permit is kept meanwhile.
func (s *Share) Await(is func() bool) bool {
	return s.Limit() > fewThreads && await(&s.pool.alone, is)
}

// Park gives the permit of a goroutine back that waits until others of the query have done what is left of some work, and then goes on: threads that look for work
// may look on.
func (s *Share) Park() {
	if s == nil {
		return
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.parked++
	s.pool.give(s)
}

// Unpark takes a permit for a goroutine that goes on after that.
func (s *Share) Unpark() {
	if s == nil {
		return
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.parked--
	s.pool.take(s)
}

// Lock is a lock that may be tried: a sync.Mutex, or a sync.RWMutex.
type Lock interface {
	sync.Locker
	TryLock() bool
}

// Lock takes a lock that other goroutines of the query hold while they work; who waits for it has no permit meanwhile.
func (s *Share) Lock(mu Lock) {
	if mu.TryLock() {
		return
	}
	s.Leave()
	mu.Lock()
	s.Enter()
}

// The states of a claim: there is none, some worker is to end for it, one has.
const (
	noClaim = iota
	claimed
	answered
)

// Claim asks for a permit that the query holds already, for a worker of a group that does not give: one of a group that gives will end,
// and until the next reserving of a permit by a group that does not give, or Disclaim, none begins.
func (s *Share) Claim() {
	if s != nil && s.limit > 1 {
		s.claim.CompareAndSwap(noClaim, claimed)
	}
}

// Disclaim takes a claim back.
func (s *Share) Disclaim() {
	if s != nil {
		s.claim.Store(noClaim)
	}
}

// answer gives a permit back for a claim, if there is one that nobody has answered.
func (s *Share) answer() bool {
	if s.claim.Load() != claimed || !s.claim.CompareAndSwap(claimed, answered) {
		return false
	}
	s.Leave()
	return true
}

// reserve takes up to n permits for workers that are about to start, of a group that gives or not, and returns how many.
func (s *Share) reserve(n int, gives bool) int {
	if s == nil || n <= 0 || s.limit < 2 || s.full.Load() || gives && s.claim.Load() != noClaim {
		return 0
	}
	if n = s.tryTake(n); n > 0 && !gives {
		s.claim.Store(noClaim)
	}
	return n
}

// tryTake takes up to n permits, and returns how many there were.
func (s *Share) tryTake(n int) (taken int) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for now := time.Now(); taken < n && s.held < s.limit; taken++ {
		if !p.mayTake(s, now) {
			s.wishes = now.Add(wish)
			p.pressed.Store(true)
			break
		}
		s.wishes = time.Time{}
		p.take(s)
	}
	return taken
}

// Yield gives a goroutine's permit back and waits for another one, where others need it. It is to be called every millisecond
// or more often, and costs next to nothing while the machine is not full. The goroutine may hold locks that other goroutines
// of the same query wait for, if these have left.
func (s *Share) Yield() {
	if s == nil || !s.pool.pressed.Load() {
		return
	}
	if w := s.queue(); w != nil {
		w.wait()
	}
}

// queue gives a permit back and returns what waits for another one; nil where the share may keep it.
func (s *Share) queue() *waiter {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.looksAt(s) {
		return nil
	}
	w := &waiter{share: s, ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	s.waiting++
	p.give(s)
	return w
}

// cede gives a permit back if others need it, and reports whether it did.
func (s *Share) cede() bool {
	if s == nil || !s.pool.pressed.Load() {
		return false
	}
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.looksAt(s) {
		return false
	}
	p.give(s)
	return true
}

// wait returns when the waiter has a permit. Wishes of others fade, so it looks again now and then.
func (w *waiter) wait() {
	again := time.NewTicker(wish)
	defer again.Stop()
	for {
		select {
		case <-w.ready:
			return
		case <-w.share.done:
			w.force()
			return
		case now := <-again.C:
			w.share.pool.mu.Lock()
			w.share.pool.wake(now)
			w.share.pool.mu.Unlock()
		}
	}
}

// force takes a permit, if the waiter has none by now.
func (w *waiter) force() {
	p := w.share.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			w.share.waiting--
			p.take(w.share)
			return
		}
	}
}
