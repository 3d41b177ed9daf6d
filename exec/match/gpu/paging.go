package gpu

import (
	"errors"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// paging is how a partition is cut into pages that is larger than what the device has left: ranges of rows whose lists, with where they
// begin, fit a buffer of the page cache. The whole of it lies in pinned host memory too, where what is not on the device is read.
type paging struct {
	// starts are the pages' first rows, and behind them the number of rows; pageOf is u32[], the first page of each 1<<shift rows,
	// on the device.
	starts []uint32
	pageOf kernels.Address
	shift  uint
	// offsets and neighbours lie in pinned host memory; offsets is nil where each row has one neighbour.
	offsets, neighbours []uint32
	// flatOffsets and flatNeighbours are where kernels find them; offsetsResident: the former are on the device.
	flatOffsets, flatNeighbours kernels.Address
	offsetsResident             bool

	// What follows is under pageCache.mu.
	buffers []*buffer // by page; nil where it is not on the device
	heat    []heat
}

// heat is how much a page was wanted: rows that have a list in it, those of now and half as many of those of halfLife times before, as of a time
// (GAMMA's access heat, section 5.1.3, with a weight for the past that does not grow). Steps of many queries in turn are such times.
type heat struct {
	rows float64
	when uint64
}

func (h heat) at(now uint64) float64 { return h.rows * math.Exp2(-float64(now-h.when)/halfLife) }

// halfLife is after how many steps that wanted pages a page is wanted half as much.
const halfLife = 16

// granulesPerPage is about how many granules, the rows that have one entry in pageOf, make a page.
const granulesPerPage = 32

// cut cuts the lists of a partition into pages of up to so many bytes. A list that is longer makes a page that is never on the device.
func (p *paging) cut(a pcsr.Arrays, bytes int64) (pageOf []uint32) {
	p.offsets, p.neighbours = a.Offsets, a.Neighbours
	each := max(p.rowBytes(0, a.Rows)/max(int64(a.Rows), 1), 1)
	for p.shift < 16 && each<<(p.shift+1)*granulesPerPage <= bytes {
		p.shift++
	}
	for first := uint32(0); first < a.Rows; {
		p.starts = append(p.starts, first)
		fits := func(i int) bool { return p.rowBytes(first, first+1+uint32(i)) > bytes }
		first += max(uint32(sort.Search(int(a.Rows-first), fits)), 1)
		for uint64(len(pageOf))<<p.shift < uint64(first) {
			pageOf = append(pageOf, uint32(len(p.starts)-1))
		}
	}
	p.buffers, p.heat = make([]*buffer, len(p.starts)), make([]heat, len(p.starts))
	p.starts = append(p.starts, a.Rows)
	return pageOf
}

// rowBytes bounds what the rows from first to below end take in a buffer: the lists and, where that is not on the device anyway, where they
// begin. Lists are read in quads of 16 bytes.
func (p *paging) rowBytes(first, end uint32) int64 {
	switch {
	case p.offsets == nil:
		return 4*int64(end-first) + 32
	case p.offsetsResident:
		return 4*int64(p.offsets[end]-p.offsets[first]) + 32
	}
	return 4*int64(end-first+1) + 4*int64(p.offsets[end]-p.offsets[first]) + 48
}

// offsetsInPages reports whether a page is needed to tell how long a list in it is.
func (p *paging) offsetsInPages() bool { return p.offsets != nil && !p.offsetsResident }

func (p *paging) pages() int { return len(p.starts) - 1 }

// bytes is what a page takes in a buffer.
func (p *paging) bytes(page int) int64 { return p.rowBytes(p.starts[page], p.starts[page+1]) }

// flat is a page that is read where it lies in host memory.
func (p *paging) flat(page int) kernels.Page {
	return kernels.Page{Offsets: p.flatOffsets, Neighbours: p.flatNeighbours, End: p.starts[page+1]}
}

// inBuffer is a page that lies in a buffer.
func (p *paging) inBuffer(page int, at kernels.Address) kernels.Page {
	first, end := p.starts[page], p.starts[page+1]
	if p.offsets == nil {
		return kernels.Page{Neighbours: at - 4*kernels.Address(first), End: end}
	}
	out := kernels.Page{Offsets: p.flatOffsets, End: end}
	lists := at
	if !p.offsetsResident {
		out.Offsets = at - 4*kernels.Address(first)
		lists = at + kernels.Address(quads(4*int64(end-first+1)))
	}
	out.Neighbours = lists - 4*kernels.Address(p.offsets[first])
	return out
}

// quads rounds up to 16 bytes.
func quads(bytes int64) int64 { return (bytes + 15) &^ 15 }

// send begins to copy a page into a buffer and returns how many bytes that are.
func (p *paging) send(s kernels.Stream, page int, at kernels.Address) (int64, error) {
	first, end := p.starts[page], p.starts[page+1]
	lists, sent := p.neighbours, int64(0)
	if p.offsets == nil {
		lists = lists[first:end]
	} else {
		lists = lists[p.offsets[first]:p.offsets[end]]
		if !p.offsetsResident {
			where := kernels.Bytes(p.offsets[first : end+1])
			if err := s.Upload(at, where); err != nil {
				return 0, err
			}
			at += kernels.Address(quads(int64(len(where))))
			sent = int64(len(where))
		}
	}
	return sent + int64(4*len(lists)), s.Upload(at, kernels.Bytes(lists))
}

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
