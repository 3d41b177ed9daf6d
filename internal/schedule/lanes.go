package schedule

import (
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// lanes are goroutines that do work for queries, and then look for more for a moment, and then wait for it where goroutines wait for the network. Those that are made, or
// woken by others, get threads of the system one after the other: each thread wakes the next, in some 50 µs on a virtual machine, and one that the system leaves waiting
// (for 5 ms, as was seen) keeps all others from being woken. What the poller finds ready gets its threads all at once.
//
// Work waits in one place, for whoever looks for it: a lane that is woken, or has let others have its thread, may be without one for as long as others look.
// It is safe for concurrent use.
type lanes struct {
	// waiting is how many pieces of work nobody has begun. Who looks reads it all the time.
	_       [64]byte
	waiting atomic.Int32
	_       [64]byte

	mu      sync.Mutex // guards what follows
	work    []job      // first come, first done
	looking int        // lanes that look for work, or are on their way to
	asleep  []*lane    // the last to fall asleep is the first to be woken
}

// job is pieces of work that are alike, and whether the query that they are of is the only one.
type job struct {
	do    func()
	left  int
	alone *atomic.Bool
}

// lane is one goroutine. Asleep, it reads a byte.
type lane struct {
	alone  *atomic.Bool // whether it looks for work for a moment
	others []*lane      // that it wakes when it is woken
	r, w   *os.File
}

// look is for how long a lane, or who waits for a group's workers, looks before it waits, and yieldEvery after how many looks it lets others have the
// thread.
const (
	look       = 300 * time.Microsecond
	yieldEvery = 1 << 13
)

// await looks for a moment whether something is there, while one query runs. Whoever waits for this goroutine has the thread first.
func await(alone *atomic.Bool, there func() bool) bool {
	if alone.Load() {
		runtime.Gosched()
	}
	return lookFor(alone, there)
}

// lookFor looks for a moment whether something is there, while one query runs.
func lookFor(alone *atomic.Bool, there func() bool) bool {
	if !alone.Load() {
		return there()
	}
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

// certain says that there will be work.
var certain atomic.Bool

func init() { certain.Store(true) }

// run has a piece of work done so many times, each in a goroutine of its own, for a query of a pool that says whether it is the only one.
func (l *lanes) run(do func(), times int, alone *atomic.Bool) {
	l.mu.Lock()
	l.work = append(l.work, job{do, times, alone})
	missing := int(l.waiting.Add(int32(times))) - l.looking
	woken := l.rise(missing, alone)
	made := max(0, missing-len(woken))
	l.looking += made
	l.mu.Unlock()
	l.wake(woken)
	for range made {
		go l.live(alone)
	}
}

// rouse has up to n lanes look for work, which is about to come.
func (l *lanes) rouse(n int) {
	l.mu.Lock()
	woken := l.rise(n+int(l.waiting.Load())-l.looking, &certain)
	l.mu.Unlock()
	l.wake(woken)
}

// rise takes up to n lanes out of those that are asleep, which are to be woken, and to look for work.
func (l *lanes) rise(n int, alone *atomic.Bool) []*lane {
	left := len(l.asleep) - min(max(0, n), len(l.asleep))
	woken := slices.Clone(l.asleep[left:])
	clear(l.asleep[left:])
	l.asleep = l.asleep[:left]
	l.looking += len(woken)
	for _, x := range woken {
		x.alone = alone
	}
	return woken
}

// wokenAtOnce is how many lanes are woken by one goroutine: each costs it a system call, some 10 µs on a virtual machine. (One that woke all others had queries of 10 ms take half as long
// again on 16 threads, as if some had shared a processor.)
const wokenAtOnce = 4

// wake wakes lanes: a few by itself, which wake their parts of the others.
func (l *lanes) wake(woken []*lane) {
	first := min(wokenAtOnce, len(woken))
	rest := woken[first:]
	for i, x := range woken[:first] {
		x.others = rest[i*len(rest)/first : (i+1)*len(rest)/first]
		if _, err := x.w.Write([]byte{0}); err != nil { // its files are closed, and it ends
			l.wake(x.others)
			go l.live(x.alone)
		}
	}
}

// live does work as long as some is found. It begins as a lane that looks.
func (l *lanes) live(alone *atomic.Bool) {
	x := &lane{alone: alone}
	defer x.close()
	for {
		do := l.find(x)
		if do == nil {
			return
		}
		do()
		runtime.Gosched() // whoever waits for this has the thread first
		l.mu.Lock()
		l.looking++
		l.mu.Unlock()
	}
}

func (x *lane) close() {
	if x.r != nil {
		_ = x.r.Close()
		_ = x.w.Close()
	}
}

// find returns a piece of work for a lane that looks for some; nil where there was none for long, and the lane ends.
func (l *lanes) find(x *lane) (do func()) {
	for {
		lookFor(x.alone, func() bool {
			if l.waiting.Load() > 0 && l.mu.TryLock() {
				do = l.take(x)
				l.mu.Unlock()
			}
			return do != nil
		})
		if do != nil {
			return do
		}
		slept := false
		if do, slept = l.sleep(x); do != nil || !slept {
			return do
		}
	}
}

// take begins a piece of work, if there is one, in a lane that looks no more then.
func (l *lanes) take(x *lane) (do func()) {
	if len(l.work) == 0 {
		return nil
	}
	first := &l.work[0]
	do, x.alone = first.do, first.alone
	if first.left--; first.left == 0 {
		l.work = slices.Delete(l.work, 0, 1)
	}
	l.waiting.Add(-1)
	l.looking--
	return do
}

// sleep has a lane wait until it is woken; it looks for work then. It returns work that has come meanwhile instead; neither, where the lane ends: it has waited long
// enough, or enough others wait.
func (l *lanes) sleep(x *lane) (do func(), slept bool) {
	able := x.open()
	l.mu.Lock()
	do = l.take(x)
	if do == nil {
		l.looking--
		if able = able && len(l.asleep) < mostLanes; able {
			l.asleep = append(l.asleep, x)
		}
	}
	l.mu.Unlock()
	if do != nil || !able || !x.read() && !l.isWoken(x) {
		return do, false
	}
	l.wake(x.others)
	return nil, true
}

// open lets a lane read for laneIdle; false where there are no files for it, or no poller.
func (x *lane) open() bool {
	if x.r == nil {
		var err error
		if x.r, x.w, err = os.Pipe(); err != nil {
			return false
		}
	}
	return x.r.SetReadDeadline(time.Now().Add(laneIdle)) == nil
}

// read waits for a byte; false where none came in time.
func (x *lane) read() bool {
	_, err := x.r.Read(make([]byte, 1))
	return err == nil
}

// isWoken takes a lane that has waited too long out, or waits for what wakes it, where that is on its way.
func (l *lanes) isWoken(x *lane) bool {
	l.mu.Lock()
	i := slices.Index(l.asleep, x)
	if i >= 0 {
		l.asleep = slices.Delete(l.asleep, i, i+1)
	}
	l.mu.Unlock()
	if i >= 0 {
		return false
	}
	_ = x.r.SetReadDeadline(time.Time{})
	return x.read()
}
