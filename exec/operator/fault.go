package operator

import (
	"fmt"
	"runtime/debug"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// fault is a panic that was caught at the edge of the package: a mistake of ours.
type fault struct {
	value any
	stack []byte
}

func (f *fault) Error() string { return fmt.Sprintf("exec: internal fault: %v", f.value) }

// Stack is where it happened.
func (f *fault) Stack() string { return string(f.stack) }

// Guard makes this goroutine panic, instead of ending the process, where it reads a mapped file that was cut. What it
// returns undoes that.
func Guard() (undo bool) { return debug.SetPanicOnFault(true) }

// Recovered turns a panic into an error, for it must not cross the package: section.ErrDamaged where a file is not what
// was written or cannot be read any more, or a fault of ours. It is deferred with what guard returned.
func Recovered(err *error, undo bool) {
	debug.SetPanicOnFault(undo)
	r := recover()
	if r == nil {
		return
	}
	if *err = section.Recovered(r); *err == nil {
		*err = &fault{r, debug.Stack()}
	}
}
