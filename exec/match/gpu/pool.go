package gpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"
)

// Sizes of arenas: smallArena times a power of four, up to largeArena; a query of more than bgp.GPULargeCost has
// middleArena at least. A device with little memory has smaller ones.
const (
	smallArena  = 64 << 20
	middleArena = 1 << 30
	largeArena  = 4 << 30
)

// pool keeps the lanes that no query uses. All arenas together take a third of the memory at most; a query that comes
// when that is used up gets the memory of an idle lane or tables that are smaller than it would like. Lanes that nobody has
// used for a while are freed, but for a few with the smallest arenas.
type pool struct {
	d                    *Device
	small, middle, large int64 // sizes of arenas
	most                 int64 // bytes of all arenas
	keep                 time.Duration
	back                 chan struct{} // a lane was given back

	mu    sync.Mutex
	idle  []*lane // the last released last
	taken int64   // bytes of all arenas, idle or not
	timer *time.Timer
	done  chan struct{} // closed when the timer's function has returned; nil when none is due
	shut  bool
}

func newPool(d *Device, limit int64, keep time.Duration) *pool {
	size := func(most, share int64) int64 { return max(min(most, share)/alignment*alignment, minArena) }
	return &pool{
		d: d, small: size(smallArena, min(limit/24, limit/3/int64(d.options.Launches))), middle: size(middleArena, limit/12), large: size(largeArena, limit/6),
		most: limit / 3, keep: keep, back: make(chan struct{}, 1),
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

// lane returns an idle lane or a new one with an arena of that size: a larger one that is idle where the pool may not
// grow, a smaller one where there is none. nil: other queries have the memory, and one is to be waited for;
// who is not patient takes the smallest arena, and what nobody uses, before that.
func (p *pool) lane(want int64, patient bool) (*lane, error) {
	if l, err := p.whole(want); l != nil || err != nil {
		return l, err
	}
	if l := p.largest(want / 16); l != nil {
		return l, nil
	}
	for size := want / 2; ; size /= 2 {
		l, err := p.make(aligned(max(size, minArena)))
		if err == nil || !errors.Is(err, ErrOutOfMemory) {
			return l, err
		}
		if patient && size <= p.small && p.others() {
			return nil, nil
		}
		if size <= minArena { // not even that: what nobody uses is freed
			switch {
			case p.drop(), p.d.pages.shrink(), p.d.partitions.evict():
				size = want
			case p.others():
				return nil, nil
			default:
				return nil, err
			}
		}
	}
}

// others reports whether queries have lanes.
func (p *pool) others() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := p.taken
	for _, l := range p.idle {
		used -= l.arena.size
	}
	return used > 0
}

// released waits until a query may have given its lane back.
func (p *pool) released(ctx context.Context) error {
	select {
	case <-p.back:
		return nil
	case <-time.After(time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tell wakes one that waits.
func (p *pool) tell() {
	select {
	case p.back <- struct{}{}:
	default:
	}
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

// largest takes the idle lane with the largest arena, of low bytes at least.
func (p *pool) largest(low int64) *lane {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, l := range p.idle {
		if l.arena.size >= low && (best < 0 || l.arena.size >= p.idle[best].arena.size) {
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
	p.idle = slices.Delete(p.idle, i, i+1)
	return l
}

// make makes a lane with an arena of that size; only the smallest may take more than the pool's share, of memory that nobody else uses.
func (p *pool) make(size int64) (*lane, error) {
	p.mu.Lock()
	beyond := p.taken+size > p.most
	if beyond && size > p.small {
		p.mu.Unlock()
		return nil, ErrOutOfMemory
	}
	p.taken += size
	p.mu.Unlock()
	base, err := p.d.memory.alloc(size, 0)
	for errors.Is(err, ErrOutOfMemory) && !beyond && p.d.pages.shrink() {
		base, err = p.d.memory.alloc(size, 0)
	}
	if err != nil {
		p.mu.Lock()
		p.taken -= size
		p.mu.Unlock()
		return nil, err
	}
	return p.d.newLane(arena{base: base, size: size})
}

func (p *pool) freeArena(a arena) error {
	defer p.tell()
	p.mu.Lock()
	p.taken -= a.size
	p.mu.Unlock()
	return p.d.memory.free(a.base)
}

// put keeps a lane for the next query.
func (p *pool) put(l *lane) {
	defer p.tell()
	l.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, l)
	p.schedule()
}

// drop frees the lane that has been idle longest, if there is one.
func (p *pool) drop() bool {
	p.mu.Lock()
	if len(p.idle) == 0 {
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
