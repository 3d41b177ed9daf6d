package schedule

import (
	"fmt"
	"runtime/debug"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Fault is a panic that was caught at the edge of a package or of a goroutine: a mistake of ours.
type Fault struct {
	value any
	stack []byte
}

func (f *Fault) Error() string { return fmt.Sprintf("exec: internal fault: %v", f.value) }

// Stack is where it happened.
func (f *Fault) Stack() string { return string(f.stack) }

// Guard calls a function that reads mapped files, and makes an error of a panic as Recover does.
func Guard(f func() error) (err error) {
	defer Recover(&err, debug.SetPanicOnFault(true))
	return f()
}

// Recover turns a panic into an error: one that wraps section.ErrDamaged where a file is not what was written or cannot be read
// any more, else a *Fault. It is deferred, with what debug.SetPanicOnFault(true) returned.
func Recover(err *error, undo bool) {
	debug.SetPanicOnFault(undo)
	r := recover()
	if r == nil {
		return
	}
	if *err = section.Recovered(r); *err == nil {
		*err = &Fault{r, debug.Stack()}
	}
}
