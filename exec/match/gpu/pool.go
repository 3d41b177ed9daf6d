package gpu

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Sizes of arenas: smallArena times a power of four, up to largeArena; a query of more than bgp.GPULargeCost has
// middleArena at least. A device with little memory has smaller ones.
const (
	smallArena  = 64 << 20
	middleArena = 1 << 30
	largeArena  = 4 << 30
)

// lanesPerLaunch is for how many queries a launch's share of the memory has to do, while one of them runs and others come and go; but where their
// arenas would be smaller than leastHalved, it is for fewer.
const (
	lanesPerLaunch = 2
	leastHalved    = 16 << 20
)

// pool keeps the lanes that no query uses. All arenas together take a third of the memory at most, and those that are larger than the smallest no
// more than half of that while others run; the smallest may take a quarter of that more. Where partitions are read in pages, a crowd has half of all
// that, and small plans have arenas that fit them, which leaves room for pages. A query that comes when all is used up gets the memory of an idle lane, tables that are smaller
// than it would like, or waits in a line. Lanes that nobody has used for a while are freed, but for a few with the smallest arenas.
type pool struct {
	d                    *Device
	small, middle, large int64 // sizes of arenas
	most                 int64 // bytes of all arenas
	keep                 time.Duration
	handing              atomic.Int64 // queries that hand rows out now

	mu    sync.Mutex
	line  []chan struct{} // who waits for a lane, in turn; each is told when it may look
	idle  []*lane         // the last released last
	lanes int             // idle or not
	taken int64           // bytes of their arenas
	big   int64           // of those that are larger than the smallest
	// crowded is when a query was given a lane last while another one had one.
	crowded time.Time
	moved   time.Time // a lane was given back
	timer   *time.Timer
	done    chan struct{} // closed when the timer's function has returned; nil when none is due
	shut    bool
}

func newPool(d *Device, limit int64, keep time.Duration) *pool {
	size := func(most, share int64) int64 { return max(min(most, share)/alignment*alignment, minArena) }
	launch := limit / 3 / int64(d.options.Launches)
	return &pool{
		d: d, small: size(smallArena, min(limit/24, max(launch/lanesPerLaunch, min(launch, leastHalved)))), middle: size(middleArena, limit/12), large: size(largeArena, limit/6),
		most: limit / 3, keep: keep,
	}
}

// size is the size of an arena for so many bytes.
func (p *pool) size(bytes int64) int64 {
	n := p.small
	for n < bytes && n < p.large {
		n *= 4
	}
	return min(n, p.large)
}

// snug is size, and where memory is short a quarter of the smallest, or of that, and so on, if that does.
func (p *pool) snug(bytes int64) int64 {
	n := p.size(bytes)
	for p.d.partitions.short() && n <= p.small && n/4 >= max(bytes, minArena) {
		n = aligned(n / 4)
	}
	return n
}

// lane returns an idle lane or a new one with an arena of that size: a larger one that is idle where the pool may not
// grow, a smaller one where there is none. nil: other queries have the memory, and one is to be waited for;
// who is not patient takes the smallest arena that does, of what nobody uses, before that.
func (p *pool) lane(want int64, patient bool) (*lane, error) {
	if l, err := p.whole(want); l != nil || err != nil {
		return l, err
	}
	for size := want / 2; size > minArena; size /= 2 {
		if l, err := p.whole(aligned(size)); l != nil || err != nil {
			return l, err
		}
	}
	if l := p.fit(0, math.MaxInt64); l != nil {
		return l, nil
	}
	others := p.others()
	if patient && others {
		return nil, nil
	}
	for {
		l, err := p.take(minArena)
		if err == nil || !errors.Is(err, ErrOutOfMemory) {
			return l, err
		}
		if p.drop(0) || p.d.partitions.evict(recent) || p.stuck() && p.d.partitions.evict(0) {
			continue
		}
		if others {
			return nil, nil
		}
		return nil, err
	}
}

// others reports whether queries have lanes.
func (p *pool) others() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used() > 0
}

// used is how much queries have; mu is held.
func (p *pool) used() int64 {
	used := p.taken
	for _, l := range p.idle {
		used -= l.arena.size
	}
	return used
}

// whole returns a lane with an arena of that size or more; nil where there is none to be had.
func (p *pool) whole(want int64) (*lane, error) {
	if l := p.fit(want, 4*want); l != nil {
		return l, nil
	}
	l, err := p.make(want)
	if errors.Is(err, ErrOutOfMemory) {
		return p.fit(want, math.MaxInt64), nil
	}
	return l, err
}

// fit takes the smallest idle lane whose arena has low to high bytes.
func (p *pool) fit(low, high int64) *lane {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, l := range p.idle {
		if size := l.arena.size; size >= low && size <= high && (best < 0 || size <= p.idle[best].arena.size) {
			best = i
		}
	}
	return p.takeOut(best)
}

// takeOut removes an idle lane; -1 is none.
func (p *pool) takeOut(i int) *lane {
	if i < 0 {
		return nil
	}
	l := p.idle[i]
	if p.used() > 0 {
		p.crowded = time.Now()
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	return l
}

// alone reports whether no query has a lane, and not more than one had at a time lately; mu is held.
func (p *pool) alone() bool { return p.used() == 0 && !p.crowdedLately() }

func (p *pool) crowdedLately() bool { return time.Since(p.crowded) <= p.d.options.patience }

// crowd reports whether several queries had lanes at a time lately.
func (p *pool) crowd() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crowdedLately()
}

// share is what all arenas may have: half of the most where memory is short and several queries run; mu is held.
func (p *pool) share() int64 {
	if p.d.partitions.short() && !p.alone() {
		return p.most / 2
	}
	return p.most
}

// mayTake reports whether the pool may take an arena of that size; mu is held.
func (p *pool) mayTake(size int64) bool {
	share := p.share()
	if size <= p.small {
		return p.taken+size <= share+share/4
	}
	return p.taken+size <= share && (p.alone() || p.big+size <= share/2)
}

// make makes a lane with an arena of that size, if the pool may have it. What is idle makes room for a large one that is alone, and one that
// was when it got its own makes room for others.
func (p *pool) make(size int64) (*lane, error) {
	for {
		p.mu.Lock()
		may, alone := p.mayTake(size), p.alone()
		var old *lane
		if !may && !alone {
			share := p.share()
			old = p.takeOut(slices.IndexFunc(p.idle, func(l *lane) bool { return l.arena.size > share/2 && l.arena.size > size }))
		}
		p.mu.Unlock()
		switch {
		case may:
			return p.take(size)
		case old != nil:
			if err := old.free(); err != nil {
				return nil, err
			}
		case !alone || size <= p.small || size > p.most || !p.drop(0):
			return nil, ErrOutOfMemory
		}
	}
}

// take makes a lane with an arena of that size of memory that is free, or that pages have.
func (p *pool) take(size int64) (*lane, error) {
	p.count(size, 1)
	base, err := p.d.memory.alloc(size, 0)
	for errors.Is(err, ErrOutOfMemory) && p.d.pages.shrink() {
		base, err = p.d.memory.alloc(size, 0)
	}
	if err != nil {
		p.count(size, -1)
		return nil, err
	}
	return p.d.newLane(arena{base: base, size: size})
}

func (p *pool) freeArena(a arena) error {
	defer p.tell()
	p.count(a.size, -1)
	return p.d.memory.free(a.base)
}

// count adds so many arenas of a size to what is taken.
func (p *pool) count(size, arenas int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if arenas > 0 && p.used() > 0 {
		p.crowded = time.Now()
	}
	p.taken += arenas * size
	p.lanes += int(arenas)
	if size > p.small {
		p.big += arenas * size
	}
}

// put keeps a lane for the next query.
func (p *pool) put(l *lane) {
	defer p.tell()
	l.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moved = l.since
	p.idle = append(p.idle, l)
	p.schedule()
}

// drop frees the lane that has been idle longest, if there is one that was for so long.
func (p *pool) drop(least time.Duration) bool {
	p.mu.Lock()
	if len(p.idle) == 0 || time.Since(p.idle[0].since) < least {
		p.mu.Unlock()
		return false
	}
	l := p.takeOut(0)
	p.mu.Unlock()
	return l.free() == nil
}

// keptLanes is how many lanes with the smallest arenas are kept for ever.
const keptLanes = 8

// old are the places of the lanes that have been idle long enough to go, the last first; more reports that there are
// others, for later.
func (p *pool) old() (places []int, more bool) {
	kept := 0
	for i := len(p.idle) - 1; i >= 0; i-- {
		switch l := p.idle[i]; {
		case l.arena.size <= p.small && kept < keptLanes:
			kept++
		case time.Since(l.since) >= p.keep:
			places = append(places, i)
		default:
			more = true
		}
	}
	return places, more
}

// schedule sees to it that trim runs when the pool's lanes have been idle long enough.
func (p *pool) schedule() {
	if p.done != nil || p.shut {
		return
	}
	if places, more := p.old(); len(places) == 0 && !more {
		return
	}
	done := make(chan struct{})
	p.done = done
	p.timer = time.AfterFunc(p.keep, func() {
		defer close(done)
		p.trim()
	})
}

// trim frees the lanes that nobody has used for a while.
func (p *pool) trim() {
	var old []*lane
	p.mu.Lock()
	places, _ := p.old()
	for _, i := range places {
		old = append(old, p.takeOut(i))
	}
	p.mu.Unlock()
	if len(old) > 0 {
		// An error that matters leaves the device lost, which the next query says.
		_ = p.d.use(func() error {
			var errs []error
			for _, l := range old {
				errs = append(errs, l.free())
			}
			return errors.Join(errs...)
		})
	}
	p.mu.Lock()
	p.done = nil
	p.schedule()
	p.mu.Unlock()
}

// bytes is what all lanes hold.
func (p *pool) bytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}

// idleBytes is what idle lanes hold.
func (p *pool) idleBytes() (n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.idle {
		n += l.arena.size
	}
	return n
}

// close frees all lanes; the device is entered. No query runs.
func (p *pool) close() error {
	p.mu.Lock()
	p.shut = true
	idle, done := p.idle, p.done
	p.idle = nil
	stopped := p.timer != nil && p.timer.Stop()
	p.timer, p.done = nil, nil
	p.mu.Unlock()
	if done != nil && !stopped {
		<-done
	}
	var errs []error
	for _, l := range idle {
		errs = append(errs, l.free())
	}
	return errors.Join(errs...)
}
