package machine

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Parallel calls do(0) … do(n-1) on all cores and waits. A panic in one of the calls, as of a damaged file, comes up in the
// caller when all have ended; errgroup lets it end the process. It waits for the calls, not for goroutines that come when nothing is left to do: to wake
// one for each core takes longer than many a small piece. So those that are awake stay so for a while, because a change does one such thing after the other.
func Parallel(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	p := newPieces(n, do)
	offer(p)
	for all := helpers.all.Load(); int(all) < workers-1; all = helpers.all.Load() {
		if helpers.all.CompareAndSwap(all, all+1) {
			go help()
		}
	}
	p.work()
	p.wait()
	if r := p.panicked.Load(); r != nil {
		panic(*r)
	}
}

// Beside has f done beside the caller, who does not wait: by a goroutine that is awake, if there is one, which takes less time than to wake one.
func Beside(f func()) {
	p := newPieces(1, func(int) { f() })
	p.beside = true
	offer(p)
	if helpers.idle.Load() == 0 {
		go p.work()
	}
}

// offer has helpers that look for something to do find pieces. What was offered before and nobody waits for is not forgotten.
func offer(p *pieces) {
	if was := helpers.offer.Swap(p); was != nil && was.beside && was.next.Load() == 0 {
		go was.work()
	}
}

// helpers are goroutines that do pieces of what was called for last: how many there are, also those that have not begun, and how many look for more to do.
var helpers struct {
	all, idle atomic.Int32
	_         [56]byte // who counts should not disturb those who look
	offer     atomic.Pointer[pieces]
}

// stayAwake is how long a goroutine looks for more to do, or whether all is done, before it sleeps.
const stayAwake = 200 * time.Microsecond

// lookFor calls is until it is true, or stayAwake is over.
func lookFor(is func() bool) bool {
	begun := time.Now()
	for spins := 1; !is(); spins++ {
		if spins%64 == 0 && time.Since(begun) > stayAwake {
			return false
		}
	}
	return true
}

// help does pieces of what is called for, and then of what comes soon after. Of the processors that Go has one is left to other goroutines, and to those that wait.
func help() {
	defer helpers.all.Add(-1)
	for more := true; more; {
		if p := helpers.offer.Load(); p != nil {
			p.work()
		}
		more = int(helpers.idle.Add(1)) <= runtime.GOMAXPROCS(0)-2 && lookFor(isOffered)
		helpers.idle.Add(-1)
		more = more || isOffered() // by somebody who saw this one look
	}
}

// isOffered reports whether there is something to do.
func isOffered() bool {
	p := helpers.offer.Load()
	return p != nil && p.next.Load() < p.n
}

// pieces are what several goroutines do for Parallel, or one for Beside.
type pieces struct {
	n          int64
	do         func(i int)
	beside     bool
	next, left atomic.Int64 // by piece: the one to be done next, and how many are not done
	through    sync.WaitGroup
	panicked   atomic.Pointer[any]
}

func newPieces(n int, do func(i int)) *pieces {
	p := &pieces{n: int64(n), do: do}
	p.left.Store(p.n)
	p.through.Add(1)
	return p
}

// wait waits until all pieces are done.
func (p *pieces) wait() {
	if !lookFor(func() bool { return p.left.Load() == 0 }) {
		p.through.Wait()
	}
}

// work does pieces as long as there are some.
func (p *pieces) work() {
	i := p.next.Add(1) - 1
	if i >= p.n {
		return
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of mapped files that were cut; see package section
	for ; i < p.n; i = p.next.Add(1) - 1 {
		p.one(int(i))
	}
}

// one does a piece, unless one has panicked.
func (p *pieces) one(i int) {
	defer p.end()
	if p.beside { // nobody waits for what it panics with
		p.do(i)
		return
	}
	defer func() {
		if r := recover(); r != nil {
			p.panicked.Store(&r)
		}
	}()
	if p.panicked.Load() == nil {
		p.do(i)
	}
}

// end ends a piece. What is done is not held any more.
func (p *pieces) end() {
	if p.left.Add(-1) == 0 {
		helpers.offer.CompareAndSwap(p, nil)
		p.through.Done()
	}
}
