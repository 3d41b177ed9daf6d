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

// Do does some work while nobody else is at the part. Where somebody is, it waits for that without a permit, or leaves the work undone. What panics leaves no lock
// behind.
func (l *PartLock) Do(x *Execution, wait bool, work func() error) (done bool, err error) {
	if wait {
		x.Workers.Lock(&l.mu)
	} else if !l.mu.TryLock() {
		return false, nil
	}
	defer l.mu.Unlock()
	return true, work()
}

// EachPart has do do some work for each part: at first without waiting, so that it leaves parts where somebody is, and then for those that it has left. Whoever begins
// with another number begins at another part.
func EachPart(begin int, do func(part int, wait bool) (done bool, err error)) error {
	later := make([]int, 0, vector.Parts)
	for i := range vector.Parts {
		p := (i + begin*(vector.Parts/4+1)) % vector.Parts
		done, err := do(p, false)
		if err != nil {
			return err
		}
		if !done {
			later = append(later, p)
		}
	}
	for _, p := range later {
		if _, err := do(p, true); err != nil {
			return err
		}
	}
	return nil
}
