package operator

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Outlet is where the solutions go that several goroutines find. It is safe for concurrent use.
type Outlet struct {
	x     *Execution
	emit  func(*vector.Batch) error
	take  Take
	turns vector.Turns
	err   atomic.Pointer[error]
}

// NewOutlet returns an outlet to take, which may be nil, and to emit what that does not take.
func NewOutlet(x *Execution, emit func(*vector.Batch) error, take Take) *Outlet {
	o := &Outlet{x: x, emit: emit, take: take}
	o.turns.Open((*outletTurns)(o), x.Copies())
	return o
}

// HandOn has a batch taken or emitted.
func (o *Outlet) HandOn(b *vector.Batch) error {
	if o.take == nil {
		return o.Emit(b)
	}
	var taken bool
	var err error
	take := func() bool {
		taken, err = o.take(b)
		return taken || err != nil
	}
	switch handed := o.turns.Offer(b, take, o.x.Workers.Await); {
	case taken || err != nil:
		return err
	case handed:
		return o.failed()
	}
	return o.Emit(b)
}

// Emit emits a batch, or leaves a copy of it to another goroutine that does; one emits at a time. Who waits for that holds no permit. After an error nothing is emitted
// any more: all who emit get it.
func (o *Outlet) Emit(b *vector.Batch) error {
	o.turns.Pass(b)
	return o.failed()
}

// outletTurns are the turns of an Outlet.
type outletTurns Outlet

// Hand implements vector.Taker.
func (t *outletTurns) Hand(b *vector.Batch) {
	o := (*Outlet)(t)
	if o.failed() != nil {
		return
	}
	if err := o.emit(b); err != nil {
		o.err.Store(&err)
	}
}

// Wait implements vector.Taker.
func (t *outletTurns) Wait(turn *sync.Mutex) { t.x.Workers.Lock(turn) }

func (o *Outlet) failed() error {
	if err := o.err.Load(); err != nil {
		return *err
	}
	return nil
}
