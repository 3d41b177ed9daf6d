package exec

import "fmt"

// fault is a panic that was caught at the edge of the package: a mistake of ours.
type fault struct {
	value any
	stack []byte
}

func (f *fault) Error() string { return fmt.Sprintf("exec: internal fault: %v", f.value) }

// Stack is where it happened.
func (f *fault) Stack() string { return string(f.stack) }
