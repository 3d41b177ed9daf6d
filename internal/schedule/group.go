package schedule

import (
	"sync"
	"sync/atomic"
)

// Group is the workers of one piece of work. Whoever makes it must Wait for it. Its methods may be called from its workers, but
// for Wait.
type Group struct {
	Share *Share
	// Failed is called once, by whoever fails first, so that the others end; nil: they go on.
	Failed func()
	// Gives: a worker ends where the query needs one more in another group (Share.Claim).
	Gives bool

	running atomic.Int32
	wait    sync.WaitGroup
	mu      sync.Mutex
	err     error
}

// Worker is one goroutine of a group. Its methods are called by itself.
type Worker struct {
	share *Share
	gives bool
	ceded bool
}

// Keep reports whether the worker may go on. Otherwise its permit has gone to others, and it must end now, leaving what it has
// not begun to the rest of its group. It is to be asked every millisecond or more often, and costs next to nothing while the
// machine is not full.
func (w *Worker) Keep() bool {
	w.ceded = w.ceded || w.gives && w.share.answer() || w.share.cede()
	return !w.ceded
}

// end gives the permit back.
func (w *Worker) end() {
	if !w.ceded {
		w.share.Leave()
	}
}

// Reserve takes a permit for a worker and reports whether there was one. Start must follow.
func (g *Group) Reserve() bool { return g.Share.reserve(1, g.Gives) == 1 }

// Start starts a worker with a permit that was reserved. Its error, or what it panics with, is the group's.
func (g *Group) Start(work func(*Worker) error) { g.start(1, work) }

// start starts so many workers.
func (g *Group) start(n int, work func(*Worker) error) {
	g.running.Add(int32(n))
	g.wait.Add(n)
	run := func() {
		defer g.wait.Done()
		defer g.running.Add(-1)
		w := &Worker{share: g.Share, gives: g.Gives}
		defer w.end()
		g.Do(func() error { return work(w) })
	}
	if g.Share.Limit() > fewThreads {
		processLanes.run(run, n, &g.Share.pool.alone)
		return
	}
	for range n {
		go run()
	}
}

// fewThreads are woken one after the other in no time.
const fewThreads = 4

// Go starts a worker if there is a permit for one.
func (g *Group) Go(work func(*Worker) error) bool {
	if !g.Reserve() {
		return false
	}
	g.Start(work)
	return true
}

// GoAll starts up to n workers, as many as there are permits for. All of them are asked for before the caller works: where workers ask for the next
// ones, each gets its thread after the one before.
func (g *Group) GoAll(n int, work func(*Worker) error) {
	if n = g.Share.reserve(n, g.Gives); n > 0 {
		g.start(n, work)
	}
}

// Do works in the caller's goroutine as a worker would; an error or a panic is the group's.
func (g *Group) Do(work func() error) {
	err := Guard(work)
	if err == nil {
		return
	}
	g.mu.Lock()
	first := g.err == nil
	if first {
		g.err = err
	}
	g.mu.Unlock()
	if first && g.Failed != nil {
		g.Failed()
	}
}

// Running is how many workers there are.
func (g *Group) Running() int { return int(g.running.Load()) }

// Wait waits until all workers have ended, without a permit, and returns the first error.
func (g *Group) Wait() error {
	if g.Running() > 0 && !g.Share.Await(func() bool { return g.Running() == 0 }) {
		g.Share.Park()
		defer g.Share.Unpark()
	}
	g.wait.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}
