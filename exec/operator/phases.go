package operator

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Phase is a part of some work: units that may be done at the same time, in any order. A unit should take less than a
// millisecond; one that may take longer checks whether the query has ended.
type Phase struct {
	Units int
	Do    func(unit int) error
}

// Phases is work in phases, one after the other, whose units are done by workers where the query gets any, and by the caller while
// it waits. Start, Finish and Close are for one goroutine; Close must be called.
type Phases struct {
	x       *Execution
	workers schedule.Group
	stopped atomic.Bool
	now     atomic.Pointer[underWay] // nil where nothing is

	mu      sync.Mutex
	changed sync.Cond // another phase is under way, or none, or all have stopped
	todo    []Phase   // what comes after it
}

// underWay is a phase that units are taken of, without a lock: they may be small, and many threads take them. The two counters lie in lines of the cache of their own.
type underWay struct {
	Phase
	_    [128]byte
	next atomic.Int64 // the first unit that nobody has begun, or more than there are
	_    [128]byte
	left atomic.Int64 // how many units are not done
	_    [128]byte
}

// begun reports whether every unit has been begun.
func (u *underWay) begun() bool { return u.next.Load() >= int64(u.Units) }

// NewPhases returns no work.
func NewPhases(x *Execution) *Phases {
	p := &Phases{x: x}
	p.changed.L = &p.mu
	p.workers = schedule.Group{Share: x.Workers, Failed: p.stop}
	return p
}

// Each does units of work as one phase.
func (x *Execution) Each(units int, do func(unit int) error) error {
	p := NewPhases(x)
	defer p.Close()
	p.Start(Phase{units, do})
	return p.Finish()
}

// Start begins some work. What was started before must be finished.
func (p *Phases) Start(phases ...Phase) {
	p.mu.Lock()
	p.todo = phases
	p.turn()
	p.mu.Unlock()
	p.Ask()
}

// turn goes on to the next phase that has units; the caller holds mu.
func (p *Phases) turn() {
	for len(p.todo) > 0 && p.todo[0].Units == 0 {
		p.todo = p.todo[1:]
	}
	if len(p.todo) == 0 {
		p.now.Store(nil)
		return
	}
	u := &underWay{Phase: p.todo[0]}
	u.left.Store(int64(u.Units))
	p.todo = p.todo[1:]
	p.now.Store(u)
}

// Ask asks for workers for the units that nobody has begun. Start does so too, but there may have been none then.
func (p *Phases) Ask() {
	if p.x.Alone() {
		return
	}
	p.workers.GoAll(min(p.open(), p.x.Copies()-1)-p.workers.Running(), p.work)
}

// open is how many units nobody has begun.
func (p *Phases) open() int {
	u := p.now.Load()
	if u == nil || p.stopped.Load() {
		return 0
	}
	return max(0, u.Units-int(u.next.Load()))
}

// work is one worker: it does units until there are none to begin. Whoever ends a phase asks for workers for the next one.
func (p *Phases) work(w *schedule.Worker) error {
	for w.Keep() {
		if done, err := p.one(); err != nil || !done {
			return err
		}
	}
	return nil
}

// one does a unit; not so where there is none to begin.
func (p *Phases) one() (done bool, err error) {
	u, unit := p.take()
	if u == nil {
		return false, nil
	}
	if err := p.x.Ended(); err != nil {
		return false, err
	}
	if err := u.Do(unit); err != nil {
		return false, err
	}
	p.did(u)
	return true, nil
}

// take begins a unit; nil where there is none to begin.
func (p *Phases) take() (u *underWay, unit int) {
	if u = p.now.Load(); u == nil || p.stopped.Load() || u.begun() {
		return nil, 0
	}
	if unit = int(u.next.Add(1) - 1); unit >= u.Units {
		return nil, 0
	}
	return u, unit
}

// did counts a unit that is done. The last of a phase begins the next one.
func (p *Phases) did(u *underWay) {
	if u.left.Add(-1) > 0 {
		return
	}
	p.mu.Lock()
	p.turn()
	p.changed.Broadcast()
	p.mu.Unlock()
	p.Ask()
}

// Finish does units until all that was started is done, and says why a unit failed, now and whenever it is called again: what panics in the caller's
// goroutine is the work's error too, so that nobody waits for that unit.
func (p *Phases) Finish() error {
	for !p.stopped.Load() {
		done := false
		p.workers.Do(func() (err error) {
			done, err = p.one()
			return err
		})
		if done {
			p.x.Workers.Yield()
			p.Ask() // whoever finds rows for the caller waits now, and its permit is free
		} else if !p.await() {
			break
		}
	}
	if p.stopped.Load() {
		return p.workers.Wait()
	}
	return nil
}

// await waits until there are units to begin; not so where all is done, or has stopped.
func (p *Phases) await() (more bool) {
	waits := func() bool {
		u := p.now.Load()
		return u != nil && u.begun() && !p.stopped.Load()
	}
	if !p.x.Workers.Await(func() bool { return !waits() }) {
		p.x.Workers.Park()
		defer p.x.Workers.Unpark()
		p.mu.Lock()
		for waits() {
			p.changed.Wait()
		}
		p.mu.Unlock()
	}
	return !p.stopped.Load() && p.now.Load() != nil
}

// stop ends the work where it is.
func (p *Phases) stop() {
	p.stopped.Store(true)
	p.mu.Lock()
	p.changed.Broadcast()
	p.mu.Unlock()
}

// Close ends what is under way and waits for the workers.
func (p *Phases) Close() {
	p.stop()
	_ = p.workers.Wait() // whoever needs the error has it from Finish
}
