package web

import (
	"bytes"
	"io"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu"
)

// answerCache keeps whole answers of the store's present state, for clients that ask the same again and again. A commit, or another edition,
// makes all of them worthless. An answer is kept from the second time on that it is asked for, so that what is asked once costs a look and takes
// nothing. What it keeps and what is being recorded for it take most bytes together, counted against the budget. Safe for concurrent use; nil
// keeps nothing.
type answerCache struct {
	most   int64
	budget *rdfgpu.Budget // nil: nothing is counted

	mu    sync.Mutex
	state storeState
	// kept is by the hashes of the keys: of two answers with one hash, the later one is kept.
	kept  *simplelru.LRU[uint64, *keptAnswer]
	bytes int64
	// seen are the upper halves of hashes that were looked for lately and not found, at the places that their lower bits say.
	seen [seenHashes]uint32

	hits, misses atomic.Uint64
}

// storeState is what an answer is of.
type storeState struct {
	edition  string
	sequence uint64
}

// keptAnswer is an answer as it was sent, plain and as clients have asked for it compressed.
type keptAnswer struct {
	key     string
	request *request
	offer   offer
	rows    uint64
	plain   keptBody
	packed  [len(encodings)]atomic.Pointer[keptBody] // nil where none was asked for; set under the cache's lock
	// sequence, tag and rowsText are what the header says of it.
	sequence, tag, rowsText string
}

const (
	// answerShare is the share of the cache that one answer may have.
	answerShare = 8
	// answerBytes and blockBytes are about what an answer and each of its blocks take beside their contents; what the request says is kept as its
	// key, and read.
	answerBytes = 900
	blockBytes  = 40
	// mostKept is how many answers are kept.
	mostKept = 1 << 20
	// seenHashes is how many queries are remembered that were not found.
	seenHashes = 1 << 14
)

// newAnswerCache returns nil for a size of 0.
func newAnswerCache(most int64, budget *rdfgpu.Budget) *answerCache {
	if most == 0 {
		return nil
	}
	c := &answerCache{most: most, budget: budget}
	c.kept, _ = simplelru.NewLRU(mostKept, func(_ uint64, a *keptAnswer) { c.give(a.bytes()) }) // refuses no size but those below one
	return c
}

// find returns the answer to a key in a state, nil where there is none; again says that it has been looked for before, and is worth keeping.
func (c *answerCache) find(state storeState, key []byte) (a *keptAnswer, again bool) {
	hash := xxh3.Hash(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	ok := c.turn(state)
	if ok {
		a, ok = c.kept.Get(hash)
	}
	if ok && a.key == string(key) {
		c.hits.Add(1)
		return a, true
	}
	c.misses.Add(1)
	seen := &c.seen[hash%seenHashes]
	again = *seen == uint32(hash>>32)
	*seen = uint32(hash >> 32)
	return nil, again
}

// turn forgets what is of another state than the one that the store is in; false for a state that is over.
func (c *answerCache) turn(state storeState) bool {
	if state.edition == c.state.edition && state.sequence < c.state.sequence {
		return false
	}
	if state != c.state {
		c.kept.Purge()
		c.state = state
	}
	return true
}

// take counts bytes, for which the answers go that nobody has asked for the longest time; false where there is no room.
func (c *answerCache) take(bytes int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.bytes+bytes > c.most {
		if _, _, ok := c.kept.RemoveOldest(); !ok {
			return false
		}
	}
	if c.budget != nil && c.budget.Take("kept answers", bytes) != nil {
		return false
	}
	c.bytes += bytes
	return true
}

// give takes bytes off the count; the caller has the lock.
func (c *answerCache) give(bytes int64) {
	c.bytes -= bytes
	if c.budget != nil {
		c.budget.Give(bytes)
	}
}

// size is how many answers are kept, and what they and those being recorded take.
func (c *answerCache) size() (answers int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Len(), c.bytes
}

// recording is an answer on its way to the client that may be kept.
type recording struct {
	cache  *answerCache
	state  storeState
	out    io.Writer
	answer *keptAnswer // nil once it cannot be kept
}

// record returns what the answer to a request is to be written to, which has an entity tag; the caller must end it.
func (c *answerCache) record(state storeState, key string, q *request, tag string, o offer, out io.Writer) *recording {
	r := &recording{cache: c, state: state, out: out}
	if bytes := answerBytes + 2*int64(len(key)); bytes <= c.most/answerShare && c.take(bytes) {
		r.answer = &keptAnswer{key: key, request: q, tag: tag, offer: o, sequence: strconv.FormatUint(state.sequence, 10), plain: keptBody{bytes: bytes}}
	}
	return r
}

// Write implements io.Writer.
func (r *recording) Write(b []byte) (int, error) {
	if r.answer != nil && !r.cache.copy(&r.answer.plain, b, 0) {
		r.drop()
	}
	return r.out.Write(b)
}

// drop gives up.
func (r *recording) drop() {
	r.cache.drop(&r.answer.plain)
	r.answer = nil
}

// end keeps the answer, which has so many rows, where it is whole and the store is still in its state.
func (r *recording) end(rows uint64, err error) {
	if r.answer == nil {
		return
	}
	if err != nil {
		r.drop()
		return
	}
	a, c := r.answer, r.cache
	a.complete(rows)
	hash := xxh3.HashString(a.key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.kept.Peek(hash); ok && known.key == a.key || r.state.edition != c.state.edition || !c.turn(r.state) {
		c.give(a.plain.bytes)
		return
	}
	c.kept.Remove(hash) // of another key
	c.kept.Add(hash, a)
}

// complete makes one block of an answer that leaves in one write, and says how many rows it has.
func (a *keptAnswer) complete(rows uint64) {
	if a.small() && len(a.plain.blocks) != 1 {
		a.plain.blocks = [][]byte{bytes.Join(a.plain.blocks, nil)}
	}
	a.rows, a.rowsText = rows, strconv.FormatUint(rows, 10)
}

// small reports an answer that leaves in one write, with its length.
func (a *keptAnswer) small() bool { return a.plain.length <= holdBytes }
