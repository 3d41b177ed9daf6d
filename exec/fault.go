package exec

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// ErrUnreadable says that memory of the data set could not be read: a mapped file is shorter than when it was opened,
// or its disk failed.
var ErrUnreadable = errors.New("a mapped file cannot be read any more")

// fault is a panic that was caught at the edge of the package: a mistake of ours.
type fault struct {
	value any
	stack []byte
}

func (f *fault) Error() string { return fmt.Sprintf("exec: internal fault: %v", f.value) }

// Stack is where it happened.
func (f *fault) Stack() string { return string(f.stack) }

// guard makes this goroutine panic, instead of ending the process, where it reads a mapped file that was cut. What it
// returns undoes that.
func guard() (undo bool) { return debug.SetPanicOnFault(true) }

// recovered turns a panic into an error, for it must not cross the package: ErrUnreadable, or a fault of ours. It is
// deferred with what guard returned.
func recovered(err *error, undo bool) {
	debug.SetPanicOnFault(undo)
	r := recover()
	if r == nil {
		return
	}
	if e, ok := r.(runtime.Error); ok && unreadable(e) {
		*err = fmt.Errorf("exec: %w: %w", ErrUnreadable, e)
		return
	}
	*err = &fault{r, debug.Stack()}
}

// unreadable reports whether a panic came from an address that cannot be read, and not from a nil pointer.
func unreadable(e runtime.Error) bool {
	at, ok := e.(interface{ Addr() uintptr })
	return ok && at.Addr() >= 1<<16
}
