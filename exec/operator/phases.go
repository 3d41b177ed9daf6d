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

	mu      sync.Mutex
	changed sync.Cond // the phase is another one, or all have stopped
	todo    []Phase   // the first is under way
	next    int       // its first unit that nobody has begun
	left    int       // how many of its units are not done
}

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
	if p.next, p.left = 0, 0; len(p.todo) > 0 {
		p.left = p.todo[0].Units
	}
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.todo) == 0 || p.stopped.Load() {
		return 0
	}
	return p.todo[0].Units - p.next
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
	do, unit := p.take()
	if do == nil {
		return false, nil
	}
	if err := p.x.Ended(); err != nil {
		return false, err
	}
	if err := do(unit); err != nil {
		return false, err
	}
	p.did()
	return true, nil
}

// take begins a unit.
func (p *Phases) take() (do func(int) error, unit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped.Load() || len(p.todo) == 0 || p.next == p.todo[0].Units {
		return nil, 0
	}
	p.next++
	return p.todo[0].Do, p.next - 1
}

// did counts a unit that is done. The last of a phase begins the next one.
func (p *Phases) did() {
	p.mu.Lock()
	p.left--
	last := p.left == 0
	if last {
		p.todo = p.todo[1:]
		p.turn()
		p.changed.Broadcast()
	}
	p.mu.Unlock()
	if last {
		p.Ask()
	}
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
	p.x.Workers.Leave()
	defer p.x.Workers.Enter()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.stopped.Load() && len(p.todo) > 0 && p.next == p.todo[0].Units {
		p.changed.Wait()
	}
	return !p.stopped.Load() && len(p.todo) > 0
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
