package cpu

import (
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// currents are long lists that workers of a run look something up in again and again while what they come from stays: bitmaps that the workers have in common. What is at
// work at a long list is given away in many parts, and each of the workers, for each of its parts, would make the same bitmap.
// Nobody waits for anybody (see hubs), and a bitmap is used again once nobody holds it.
type currents struct {
	places [1 << currentBits]atomic.Pointer[current]
	spare  [1 << currentBits]atomic.Pointer[current]
}

// current is a list and its bitmap, which the marks hold that have it.
type current struct {
	of      *currents
	holders atomic.Int32
	made    atomic.Bool
	list    []pcsr.Vertex
	bits    bitmap
}

const currentBits = 5

// take returns the bitmap of a list, held for the caller, nil where there is none yet: another worker makes it, or has just put one of another list in its place.
func (c *currents) take(list []pcsr.Vertex, t *tuning) *current {
	place := c.place(list)
	old := place.Load()
	if old.hold() {
		same := len(old.list) == len(list) && &old.list[0] == &list[0]
		if same && old.made.Load() {
			return old
		}
		if old.release(); same {
			return nil
		}
	}
	made := c.unused()
	made.list = list
	made.holders.Store(1)
	if !place.CompareAndSwap(old, made) {
		made.release() // who found it in another place, when it was another list's, may hold it for a moment
		return nil
	}
	made.bits.setFew(list, t)
	made.made.Store(true)
	return made
}

func (c *currents) place(list []pcsr.Vertex) *atomic.Pointer[current] {
	return &c.places[placeOf(list)>>(32-currentBits)]
}

// hold keeps a bitmap from being used for another list. It reports whether there is one that somebody holds.
func (c *current) hold() bool {
	if c == nil {
		return false
	}
	for {
		n := c.holders.Load()
		if n <= 0 {
			return false
		}
		if c.holders.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release lets go of a bitmap, which is emptied by the last who does.
func (c *current) release() {
	if c.holders.Add(-1) > 0 {
		return
	}
	c.of.place(c.list).CompareAndSwap(c, nil)
	if c.made.Load() {
		c.bits.clear(c.list)
		c.made.Store(false)
	}
	c.of.keep(c)
}

// unused is one that nobody holds.
func (c *currents) unused() *current {
	for i := range c.spare {
		if c.spare[i].Load() == nil {
			continue
		}
		if s := c.spare[i].Swap(nil); s != nil {
			return s
		}
	}
	return &current{of: c}
}

// keep puts aside one that nobody holds, as long as there is room for it.
func (c *currents) keep(unused *current) {
	unused.list = nil
	for i := range c.spare {
		if c.spare[i].CompareAndSwap(nil, unused) {
			return
		}
	}
}

// drop lets go of what workers that failed have left, for lists belong to a graph, and returns how many words of memory are kept.
func (c *currents) drop() (words int64) {
	clear(c.places[:])
	for i := range c.spare {
		if s := c.spare[i].Load(); s != nil {
			words += int64(cap(s.bits.words))
		}
	}
	return words
}
