package operator

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Outlet is where the solutions go that several goroutines find. It is safe for concurrent use.
type Outlet struct {
	emit  func(*vector.Batch) error
	take  Take
	turns *vector.Turns
	err   atomic.Pointer[error]
}

// NewOutlet returns an outlet to take, which may be nil, and to emit what that does not take.
func NewOutlet(x *Execution, emit func(*vector.Batch) error, take Take) *Outlet {
	o := &Outlet{emit: emit, take: take}
	o.turns = vector.NewTurns(x.leaves(), func(mu *sync.Mutex) { x.Workers.Lock(mu) }, o.turn)
	return o
}

// leavesEach is how many batches those who find them leave to whoever emits, for each thread.
const leavesEach = 2

func (x *Execution) leaves() int { return leavesEach * x.Copies() }

// HandOn has a batch taken or emitted.
func (o *Outlet) HandOn(b *vector.Batch) error {
	if o.take != nil {
		if taken, err := o.take(b); taken || err != nil {
			return err
		}
	}
	return o.Emit(b)
}

// Emit emits a batch, or leaves a copy of it to another goroutine that does; one emits at a time. Who waits for that holds no permit. After an error nothing is emitted
// any more: all who emit get it.
func (o *Outlet) Emit(b *vector.Batch) error {
	o.turns.Pass(b)
	return o.failed()
}

func (o *Outlet) turn(b *vector.Batch) {
	if o.failed() != nil {
		return
	}
	if err := o.emit(b); err != nil {
		o.err.Store(&err)
	}
}

func (o *Outlet) failed() error {
	if err := o.err.Load(); err != nil {
		return *err
	}
	return nil
}
