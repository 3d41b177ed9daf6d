package gpu

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// pageCache is the device memory that pages of all partitions share, in buffers of one size.
type pageCache struct {
	d     *Device
	bytes int64 // of a buffer

	mu      sync.Mutex
	buffers []*buffer
	total   atomic.Int64 // bytes of all buffers
	clock   uint64       // counts steps that wanted pages
	loaded  int64        // bytes sent
	hits    int64        // pages that were there when they were wanted
	misses  int64        // and that were not
}

// buffer is the memory of one page.
type buffer struct {
	at   kernels.Address
	of   *paging // nil: nothing is in it
	page int
	// pins are the queries that read it; while it is filled, ready is false and it has one.
	pins  int
	ready bool
	bytes int64 // sent for it
}

// Sizes of buffers: a share of the device's memory, between bounds.
const (
	bufferShare = 128
	leastBuffer = 4 << 10
	mostBuffer  = 4 << 20
)

func newPageCache(d *Device, limit int64) *pageCache {
	bytes := int64(leastBuffer)
	for bytes*2 <= min(limit/bufferShare, mostBuffer) {
		bytes *= 2
	}
	if d.options.page > 0 {
		bytes = d.options.page
	}
	return &pageCache{d: d, bytes: bytes}
}

// want notes how many rows want each page of a partition, and counts the pages that are there.
func (c *pageCache) want(p *paging, rows []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	for page, n := range rows {
		if n == 0 {
			continue
		}
		h := &p.heat[page]
		*h = heat{h.at(c.clock) + float64(n), c.clock}
		if b := p.buffers[page]; b != nil && b.ready {
			c.hits++
		} else {
			c.misses++
		}
	}
}

// pin keeps a page on the device that is there; nil where it is not.
func (c *pageCache) pin(p *paging, page int) *buffer {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := p.buffers[page]
	if b == nil || !b.ready {
		return nil
	}
	b.pins++
	return b
}

// pinThere pins all pages of a partition that are on the device, and returns them by page.
func (c *pageCache) pinThere(p *paging) []*buffer {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*buffer, p.pages())
	for page, b := range p.buffers {
		if b != nil && b.ready {
			b.pins++
			out[page] = b
		}
	}
	return out
}

// unpin ends what pin or claim began.
func (c *pageCache) unpin(buffers ...*buffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range buffers {
		b.pins--
	}
}

// claim gives a page that is not on the device a buffer, which the caller fills: a new one where there is memory, else that of the page
// wanted least. It is pinned. nil: there is none to be had, or another query fills it.
func (c *pageCache) claim(p *paging, page int) *buffer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.buffers[page] != nil || p.bytes(page) > c.bytes {
		return nil
	}
	b := c.free()
	if b == nil {
		b = c.grow()
	}
	if b == nil {
		b = c.coldest()
	}
	if b == nil {
		return nil
	}
	c.empty(b)
	b.of, b.page, b.pins, b.ready = p, page, 1, false
	p.buffers[page] = b
	return b
}

// filled says that what claim gave has arrived.
func (c *pageCache) filled(buffers []*buffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range buffers {
		b.ready = true
		c.loaded += b.bytes
	}
}

// abandon takes back what claim gave and was not filled; it stays pinned.
func (c *pageCache) abandon(buffers []*buffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range buffers {
		c.empty(b)
	}
}

// empty ends what is in a buffer; mu is held.
func (c *pageCache) empty(b *buffer) {
	if b.of != nil {
		b.of.buffers[b.page] = nil
	}
	b.of, b.ready = nil, false
}

// free is a buffer with nothing in it; mu is held.
func (c *pageCache) free() *buffer {
	for _, b := range c.buffers {
		if b.of == nil && b.pins == 0 {
			return b
		}
	}
	return nil
}

// coldest is the buffer of the page wanted least of those that nobody reads; mu is held.
func (c *pageCache) coldest() *buffer {
	var best *buffer
	least := 0.0
	for _, b := range c.buffers {
		if b.pins > 0 {
			continue
		}
		if h := b.of.heat[b.page].at(c.clock); best == nil || h < least {
			best, least = b, h
		}
	}
	return best
}

// grow makes a buffer where memory is left that nobody else uses; mu is held.
func (c *pageCache) grow() *buffer {
	if c.growth() == 0 {
		return nil
	}
	at, err := c.d.memory.alloc(c.bytes, c.d.partitions.spare())
	if err != nil {
		return nil // what there is must do
	}
	b := &buffer{at: at}
	c.total.Add(c.bytes)
	c.buffers = append(c.buffers, b)
	return b
}

// growth is how many buffers there is memory for; mu is held.
func (c *pageCache) growth() int {
	n := int(c.d.partitions.left() / c.bytes)
	if most := c.d.options.buffers; most > 0 {
		n = min(n, most-len(c.buffers))
	}
	return n
}

// room is how many pages can be on the device for one query that reads some already.
func (c *pageCache) room(pinned int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.roomNow(pinned)
}

// roomNow is room; mu is held.
func (c *pageCache) roomNow(pinned int) int {
	n := 0
	for _, b := range c.buffers {
		if b.pins == 0 {
			n++
		}
	}
	return n + pinned + c.growth()
}

// otherHeats are how much the pages are wanted that are there and that a table does not want, of those that nobody reads or only its query, which has pinned
// some; mu is held.
func (c *pageCache) otherHeats(wanted map[pageOf]bool, pinned []pageOf) (all []float64) {
	own := make(map[*buffer]bool, len(pinned))
	for _, p := range pinned {
		own[p.pinned[p.page]] = true
	}
	mine := make(map[*buffer]bool, len(wanted))
	for p := range wanted {
		mine[p.buffers[p.page]] = true
	}
	for _, b := range c.buffers {
		if (b.pins == 0 || own[b] && b.pins == 1) && b.ready && !mine[b] {
			all = append(all, b.of.heat[b.page].at(c.clock))
		}
	}
	return all
}

// shrink frees the buffer of the page wanted least; false where all are read.
func (c *pageCache) shrink() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.free()
	if b == nil {
		b = c.coldest()
	}
	if b == nil {
		return false
	}
	c.empty(b)
	c.buffers = slices.DeleteFunc(c.buffers, func(other *buffer) bool { return other == b })
	c.total.Add(-c.bytes)
	return c.d.memory.free(b.at) == nil
}

// addCopied counts bytes that were copied instead of pages.
func (c *pageCache) addCopied(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loaded += bytes
}

// takeFrom takes memory, that of pages that nobody reads where there is no other.
func (c *pageCache) takeFrom(bytes int64) (kernels.Address, error) {
	for {
		at, err := c.d.memory.take(bytes, 0)
		if !errors.Is(err, ErrOutOfMemory) || !c.shrink() {
			return at, err
		}
	}
}

// drop empties the buffers of a partition that nobody reads.
func (c *pageCache) drop(p *paging) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range p.buffers {
		if b != nil {
			c.empty(b)
		}
	}
}

// count adds up what there is.
func (c *pageCache) count(info *Info) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info.Pages = PageInfo{Bytes: c.bytes, Buffers: len(c.buffers), Copied: c.loaded, Hits: c.hits, Misses: c.misses}
	info.GraphBytes += c.total.Load()
}

// idle is how many bytes nobody reads.
func (c *pageCache) idle() (n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.buffers {
		if b.pins == 0 {
			n += c.bytes
		}
	}
	return n
}

func (c *pageCache) close() {
	for c.shrink() {
	}
}
