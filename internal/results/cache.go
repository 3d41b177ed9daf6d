package results

import "sync"

// cacheSlots is a power of two. IDs are dense and neighbours travel together, so the low bits spread them well.
const (
	cacheSlots    = 1 << 15
	cacheArena    = 4 << 20
	cacheLongest  = 512
	cacheMinCells = 256
)

// cache remembers the bytes that IDs were written as: direct-mapped, all entries of one arena dropped together.
type cache struct {
	epoch   uint32
	entries [cacheSlots]cacheEntry
	arena   []byte
}

// cacheEntry is valid when its epoch is the cache's.
type cacheEntry struct {
	id, epoch   uint32
	start, size uint32
}

var caches = sync.Pool{New: func() any { return &cache{arena: make([]byte, 0, 64<<10)} }}

// newCache takes an empty cache from the pool.
func newCache() *cache {
	c := caches.Get().(*cache)
	c.clear()
	return c
}

func (c *cache) clear() {
	c.arena = c.arena[:0]
	if c.epoch++; c.epoch == 0 {
		clear(c.entries[:])
		c.epoch = 1
	}
}

// keep remembers what id was written as.
func (c *cache) keep(id ID, text []byte) {
	if len(text) > cacheLongest {
		return
	}
	if len(c.arena)+len(text) > cacheArena {
		c.clear()
	}
	c.entries[id&(cacheSlots-1)] = cacheEntry{id, c.epoch, uint32(len(c.arena)), uint32(len(text))}
	c.arena = append(c.arena, text...)
}

// release gives the cache back to the pool.
func (c *cache) release() {
	if c != nil {
		caches.Put(c)
	}
}
