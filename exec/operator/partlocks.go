package operator

import (
	"sync"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// PartLock guards one part (vector.PartOf) of what several goroutines fill. It shares no line of the cache with another one's.
type PartLock struct {
	mu sync.Mutex
	_  [128 - 8]byte
}

// Do does some work while nobody else is at the part. Where somebody is, it waits for that, after a moment without a permit, or leaves the work undone. What panics
// leaves no lock behind.
func (l *PartLock) Do(x *Execution, wait bool, work func() error) (done bool, err error) {
	if !l.mu.TryLock() {
		if !wait {
			return false, nil
		}
		if !l.spin() {
			x.Workers.Lock(&l.mu)
		}
	}
	defer l.mu.Unlock()
	return true, work()
}

// spin tries for about as long as others are at a part mostly, some microseconds: to give the permit away for that would have another goroutine come for it.
func (l *PartLock) spin() bool {
	for range 1 << 12 {
		if l.mu.TryLock() {
			return true
		}
	}
	return false
}

// EachPart has do do some work for each part, without waiting, so that it leaves parts where somebody is for later; only where all that are left are such does it
// wait for one. Whoever begins with another number begins at another part.
func EachPart(begin int, do func(part int, wait bool) (done bool, err error)) error {
	left := make([]int, vector.Parts)
	for i := range left {
		left[i] = (i + begin*(vector.Parts/4+1)) % vector.Parts
	}
	for wait := false; len(left) > 0; {
		busy := left[:0]
		for _, p := range left {
			done, err := do(p, wait)
			if err != nil {
				return err
			}
			if wait = false; !done {
				busy = append(busy, p)
			}
		}
		wait, left = len(busy) == len(left), busy
	}
	return nil
}
