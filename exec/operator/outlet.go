package operator

import (
	"sync"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Outlet is where the solutions go that several goroutines find. It is safe for concurrent use.
type Outlet struct {
	x    *Execution
	emit func(*vector.Batch) error
	take Take
	mu   sync.Mutex // held by who emits; guards err
	err  error
}

// NewOutlet returns an outlet to take, which may be nil, and to emit what that does not take.
func NewOutlet(x *Execution, emit func(*vector.Batch) error, take Take) *Outlet {
	return &Outlet{x: x, emit: emit, take: take}
}

// HandOn has a batch taken or emitted.
func (o *Outlet) HandOn(b *vector.Batch) error {
	if o.take != nil {
		if taken, err := o.take(b); taken || err != nil {
			return err
		}
	}
	return o.Emit(b)
}

// Emit emits a batch while nobody else emits. Who waits for that holds no permit. After an error nothing is emitted any more: all who emit get it.
func (o *Outlet) Emit(b *vector.Batch) error {
	o.x.Workers.Lock(&o.mu)
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = o.emit(b)
	}
	return o.err
}
