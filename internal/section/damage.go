package section

import (
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"
)

// Damage is what Check panics with. The error is ErrDamaged and names the file.
type Damage struct{ Err error }

func (d *Damage) Error() string { return d.Err.Error() }

// errUnreadable: reading mapped memory failed.
var errUnreadable = errors.New("it cannot be read any more: it is shorter than when it was opened, or its disk failed")

// Guard calls f, which reads files. Where what it reads turns out not to be what was written, or where the system
// cannot read a mapped file any more (it was cut, or its disk failed), f ends there and the error is ErrDamaged and names
// the file. Other panics go on. It holds for this goroutine alone: one that f starts needs a Guard of its own.
func Guard(f func() error) (err error) {
	undo := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(undo)
		if r := recover(); r != nil {
			if err = Recovered(r); err == nil {
				panic(r)
			}
		}
	}()
	return f()
}

// Recovered is the error of Guard for a value that recover returned; nil where it is another panic. It is for those who
// recover from all panics, and who have to call debug.SetPanicOnFault themselves.
func Recovered(value any) error {
	if d, ok := value.(*Damage); ok {
		return d.Err
	}
	if e, ok := value.(runtime.Error); ok {
		if fault, ok := e.(interface{ Addr() uintptr }); ok {
			return mappings.fault(fault.Addr())
		}
	}
	return nil
}

// mappings are the mapped files that are open, to tell which one could not be read.
var mappings mappedFiles

type mappedFiles struct {
	mu    sync.Mutex
	files map[*File]struct{}
}

func (m *mappedFiles) add(f *File) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[*File]struct{}{}
	}
	m.files[f] = struct{}{}
}

func (m *mappedFiles) remove(f *File) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, f)
}

// fault is the damage of the file that is mapped at an address, nil where there is none.
func (m *mappedFiles) fault(at uintptr) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for f := range m.files {
		if inside(f.data, at) {
			return damaged(f.name, errUnreadable)
		}
	}
	return nil
}

func inside(data []byte, at uintptr) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	return at >= start && at-start < uintptr(len(data))
}
