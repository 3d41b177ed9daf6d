package schedule

import (
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// lanes are goroutines that have worked and wait for more where goroutines wait for the network. Those that are made, or woken by others, get
// threads of the system one after the other: each thread wakes the next, in some 50 µs on a virtual machine, and one that the system leaves
// waiting (for 5 ms, as was seen) keeps all others from being woken. What the poller finds ready gets its threads all at once.
// It is safe for concurrent use.
type lanes struct {
	mu   sync.Mutex
	free []*lane // those that wait
}

// lane is one goroutine. It reads a byte for each piece of work that it did not find by itself.
type lane struct {
	work  func()
	alone *atomic.Bool // whether one query runs
	state atomic.Int32
	r, w  *os.File
}

// The states of a lane: it looks for work, it reads, it has been given some while it looked.
const (
	looks = iota
	reads
	given
)

// look is for how long a lane, or who waits for a group's workers, looks before it waits, and yieldEvery after how many looks it lets others have the
// thread.
const (
	look       = 300 * time.Microsecond
	yieldEvery = 1 << 13
)

// await looks for a moment whether something is there, while one query runs.
func await(alone *atomic.Bool, there func() bool) bool {
	if !alone.Load() {
		return there()
	}
	runtime.Gosched() // whoever waits for this goroutine has the thread first
	for began, i := time.Now(), 1; ; i++ {
		if there() {
			return true
		}
		if i%(yieldEvery/32) == 0 && (!alone.Load() || time.Since(began) > look) {
			return false
		}
		if i%yieldEvery == 0 {
			runtime.Gosched()
		}
	}
}

// A lane waits for work for laneIdle, and so do mostLanes at the most; the others end.
const (
	laneIdle  = 200 * time.Millisecond
	mostLanes = 64
)

var processLanes lanes

// run does some work in a goroutine of its own, for a query of a pool that says whether it is the only one.
func (l *lanes) run(work func(), alone *atomic.Bool) {
	x := l.take()
	if x == nil {
		go l.live(work, alone)
		return
	}
	x.work, x.alone = work, alone
	if x.state.CompareAndSwap(looks, given) {
		return
	}
	if _, err := x.w.Write([]byte{0}); err != nil {
		x.work = nil
		_ = x.w.Close() // ends the lane
		go work()
	}
}

// take returns a lane that waits; nil where none does.
func (l *lanes) take() *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.free)
	if n == 0 {
		return nil
	}
	x := l.free[n-1]
	l.free = l.free[:n-1]
	return x
}

// live does some work, and what comes after it.
func (l *lanes) live(work func(), alone *atomic.Bool) {
	work()
	if l.full() {
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	x := &lane{r: r, w: w, alone: alone}
	defer x.close()
	for l.wait(x) && x.work != nil {
		x.work()
		x.work = nil
	}
}

// full reports whether as many lanes wait as may.
func (l *lanes) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.free) >= mostLanes
}

func (x *lane) close() {
	_ = x.r.Close()
	_ = x.w.Close()
}

// wait reports whether there is work for a lane, when there is or it has waited long enough.
func (l *lanes) wait(x *lane) bool {
	if err := x.r.SetReadDeadline(time.Now().Add(laneIdle)); err != nil {
		return false // pipes have no poller here
	}
	x.state.Store(looks)
	alone := x.alone // whoever takes the lane writes it
	l.mu.Lock()
	full := len(l.free) >= mostLanes
	if !full {
		l.free = append(l.free, x)
	}
	l.mu.Unlock()
	if full {
		return false
	}
	if await(alone, func() bool { return x.state.Load() == given }) || !x.state.CompareAndSwap(looks, reads) {
		return true
	}
	return x.read() || l.givenUp(x)
}

// read waits for a byte; false where none came in time.
func (x *lane) read() bool {
	_, err := x.r.Read(make([]byte, 1))
	return err == nil
}

// givenUp takes a lane that has waited too long out, and reports whether somebody had taken it by then: then it waits for the work.
func (l *lanes) givenUp(x *lane) (taken bool) {
	l.mu.Lock()
	i := slices.Index(l.free, x)
	if i >= 0 {
		l.free = slices.Delete(l.free, i, i+1)
	}
	l.mu.Unlock()
	if i >= 0 {
		return false
	}
	_ = x.r.SetReadDeadline(time.Time{})
	return x.read()
}
