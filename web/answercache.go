package web

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/rdfgpu/rdfgpu"
)

// answerCache keeps whole answers of the store's present state, for clients that ask the same again and again. A commit, or another edition,
// makes all of them worthless. What it keeps and what is being recorded for it take most bytes together, counted against the budget. Safe for
// concurrent use; nil keeps nothing.
type answerCache struct {
	most   int64
	budget *rdfgpu.Budget // nil: nothing is counted

	mu    sync.Mutex
	state storeState
	kept  *simplelru.LRU[string, *keptAnswer]
	bytes int64

	hits, misses atomic.Uint64
}

// storeState is what an answer is of.
type storeState struct {
	edition  string
	sequence uint64
}

// keptAnswer is an answer as it was sent, but for its compression.
type keptAnswer struct {
	offer  offer
	rows   uint64
	blocks [][]byte
	bytes  int64
}

const (
	// answerShare is the share of the cache that one answer may have.
	answerShare = 8
	// answerBytes and blockBytes are about what an answer and each of its blocks take beside their contents.
	answerBytes = 400
	blockBytes  = 40
	// mostKept is how many answers are kept.
	mostKept = 1 << 20
)

// newAnswerCache returns nil for a size of 0.
func newAnswerCache(most int64, budget *rdfgpu.Budget) *answerCache {
	if most == 0 {
		return nil
	}
	c := &answerCache{most: most, budget: budget}
	c.kept, _ = simplelru.NewLRU(mostKept, func(_ string, a *keptAnswer) { c.give(a.bytes) }) // refuses no size but those below one
	return c
}

// find returns the answer to a key in a state, nil where there is none.
func (c *answerCache) find(state storeState, key string) *keptAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := (*keptAnswer)(nil), c.turn(state)
	if ok {
		a, ok = c.kept.Get(key)
	}
	if !ok {
		c.misses.Add(1)
		return nil
	}
	c.hits.Add(1)
	return a
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
	key    string
	out    io.Writer
	answer *keptAnswer // nil once it cannot be kept
}

// record returns what an answer is to be written to; the caller must end it.
func (c *answerCache) record(state storeState, key string, o offer, out io.Writer) *recording {
	r := &recording{cache: c, state: state, key: key, out: out}
	if bytes := answerBytes + int64(len(key)); bytes <= c.most/answerShare && c.take(bytes) {
		r.answer = &keptAnswer{offer: o, bytes: bytes}
	}
	return r
}

// Write implements io.Writer.
func (r *recording) Write(b []byte) (int, error) {
	if r.answer != nil {
		r.copy(b)
	}
	return r.out.Write(b)
}

func (r *recording) copy(b []byte) {
	bytes := blockBytes + int64(len(b))
	if r.answer.bytes+bytes > r.cache.most/answerShare || !r.cache.take(bytes) {
		r.drop()
		return
	}
	r.answer.bytes += bytes
	r.answer.blocks = append(r.answer.blocks, append([]byte(nil), b...))
}

// drop gives up.
func (r *recording) drop() {
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	r.cache.give(r.answer.bytes)
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
	c := r.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept.Contains(r.key) || r.state.edition != c.state.edition || !c.turn(r.state) {
		c.give(r.answer.bytes)
		return
	}
	r.answer.rows = rows
	c.kept.Add(r.key, r.answer)
}

// known answers with what is kept of the store's present state; false where there is nothing.
func (x *exchange) known() bool {
	if !x.mayBeKept() {
		return false
	}
	engine, done := x.server.use()
	defer done()
	state := storeState{engine.name, engine.Sequence()}
	x.key = x.request.answerKey(x.r)
	kept := x.server.answers.find(state, x.key)
	if kept == nil {
		return false
	}
	x.kept, x.offer, x.rows = true, kept.offer, kept.rows
	setField(x.w, "Cache-Status", "rdfgpu; hit")
	if x.same(engine, state.sequence, true) {
		return true
	}
	x.begin() // nobody else answers a query that does not run
	var err error
	for _, b := range kept.blocks {
		if _, err = x.body.Write(b); err != nil {
			break
		}
	}
	x.conclude(err)
	return true
}

// mayBeKept reports whether the request's answer may be a kept one, or become one.
func (x *exchange) mayBeKept() bool {
	if x.server.answers == nil || x.request.explain != "" || x.request.graph != nil {
		return false
	}
	wish := strings.Join(x.r.Header["Cache-Control"], ",")
	return !strings.Contains(wish, "no-cache") && !strings.Contains(wish, "no-store")
}

// answerKey is all that the answer depends on beside the store's state.
func (q *request) answerKey(r *http.Request) string {
	key := strconv.AppendInt(make([]byte, 0, 256+len(q.text)), q.send, 10)
	for _, part := range [...]string{string(q.options.Device), q.format, strings.Join(r.Header["Accept"], ",")} {
		key = strconv.AppendQuote(append(key, ' '), part)
	}
	return string(q.appendAsked(key))
}
