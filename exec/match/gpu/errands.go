package gpu

import (
	"context"
	"slices"
	"sync"
)

// errands are what goes on after the queries that began it were cancelled: taking pinned memory and copying into it look at no context.
type errands struct {
	mu   sync.Mutex
	left []chan struct{} // closed when they are through
}

// apart runs f and returns what it returns, or when the context ends first, that it did: then f goes on by itself, and undo takes back what it did, unless it failed. What
// f sets must not be read where apart fails.
func (d *Device) apart(ctx context.Context, f, undo func() error) error {
	if ctx.Done() == nil {
		return f()
	}
	done, left, through := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(through)
		err := d.use(f)
		select {
		case done <- err:
		case <-left:
			if err == nil {
				_ = d.use(undo)
			}
		}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		d.errands.leave(through)
		close(left)
		return ctx.Err()
	}
}

// leave adds one that is left to itself.
func (e *errands) leave(through chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left = slices.DeleteFunc(e.left, func(c chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	})
	e.left = append(e.left, through)
}

// wait waits for those that were left.
func (e *errands) wait() {
	e.mu.Lock()
	all := e.left
	e.left = nil
	e.mu.Unlock()
	for _, c := range all {
		<-c
	}
}
