package results

import "sync"

// A cache has fewSlots at first, which is what an answer of some thousand cells needs, and cacheSlots when it has kept as many texts. Both are powers of two. IDs are dense
// and neighbours travel together, so the low bits spread them well.
const (
	fewSlots      = 1 << 12
	cacheSlots    = 1 << 15
	cacheArena    = 4 << 20
	cacheLongest  = 512
	cacheMinCells = 256
)

// cache remembers the bytes that IDs were written as: direct-mapped, all entries of one arena dropped together.
type cache struct {
	epoch uint32
	kept  int // texts, while there are few entries
	many  *[cacheSlots]cacheEntry
	few   *[fewSlots]cacheEntry // nil where there are many
	arena []byte
}

// cacheEntry is valid when its epoch is the cache's.
type cacheEntry struct {
	id, epoch   uint32
	start, size uint32
}

var caches = sync.Pool{New: func() any { return &cache{few: new([fewSlots]cacheEntry), arena: make([]byte, 0, 16<<10)} }}

// newCache takes an empty cache from the pool.
func newCache() *cache {
	c := caches.Get().(*cache)
	c.clear()
	return c
}

func (c *cache) clear() {
	c.arena = c.arena[:0]
	if c.epoch++; c.epoch == 0 {
		if c.epoch = 1; c.many != nil {
			clear(c.many[:])
		} else {
			clear(c.few[:])
		}
	}
}

// entry is where an ID is, if it is there.
func (c *cache) entry(id ID) *cacheEntry {
	if c.many != nil {
		return &c.many[id&(cacheSlots-1)]
	}
	return &c.few[id&(fewSlots-1)]
}

// keep remembers what id was written as.
func (c *cache) keep(id ID, text []byte) {
	if len(text) > cacheLongest {
		return
	}
	if c.many == nil {
		if c.kept++; c.kept > fewSlots {
			c.many, c.few = new([cacheSlots]cacheEntry), nil
			c.clear()
		}
	}
	if len(c.arena)+len(text) > cacheArena {
		c.clear()
	}
	*c.entry(id) = cacheEntry{id, c.epoch, uint32(len(c.arena)), uint32(len(text))}
	c.arena = append(c.arena, text...)
}

// bytes is the memory that it takes.
func (c *cache) bytes() int64 {
	if c.many != nil {
		return int64(cap(c.arena) + 16*cacheSlots)
	}
	return int64(cap(c.arena) + 16*fewSlots)
}

// release gives the cache back to the pool.
func (c *cache) release() {
	if c != nil {
		c.kept = 0
		caches.Put(c)
	}
}
