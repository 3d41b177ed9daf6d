package web

import (
	"bytes"
	"slices"

	"github.com/zeebo/xxh3"
)

// keptBody is the body of an answer that is kept, plain or compressed. It does not change any more once it is whole.
type keptBody struct {
	// blocks are it: one where the answer is small.
	blocks [][]byte
	length int
	bytes  int64 // that it takes, with all else of the answer where it is the plain one
}

// unkept stands for a compressed body that is not kept: it is being made for the first time, or there was no room for it.
var unkept = new(keptBody)

// bytes is what an answer takes. The caller has the cache's lock.
func (a *keptAnswer) bytes() int64 {
	bytes := a.plain.bytes
	for i := range a.packed {
		if body := a.packed[i].Load(); body != nil {
			bytes += body.bytes
		}
	}
	return bytes
}

// copy adds a copy of a block to a body that is being made, where there is room for it beside what else its answer takes.
func (c *answerCache) copy(body *keptBody, block []byte, beside int64) bool {
	bytes := blockBytes + int64(len(block))
	if beside+body.bytes+bytes > c.most/answerShare || !c.take(bytes) {
		return false
	}
	body.bytes += bytes
	body.length += len(block)
	body.blocks = append(body.blocks, append([]byte(nil), block...))
	return true
}

// drop gives a body up that is being made.
func (c *answerCache) drop(body *keptBody) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.give(body.bytes)
}

// each hands the body of an answer to send, block by block: compressed, where encoding is not "". A compressed body is made for the first who asks for
// it, and kept where it fits; until then, and where it does not, it is made for each.
func (c *answerCache) each(a *keptAnswer, encoding string, send func([]byte) error) error {
	body := &a.plain
	if encoding != "" {
		coding := slices.Index(encodings[:], encoding)
		if body = a.packed[coding].Load(); body == nil || body == unkept {
			return c.pack(a, coding, send)
		}
	}
	for _, b := range body.blocks {
		if err := send(b); err != nil {
			return err
		}
	}
	return nil
}

// pack compresses an answer for one client. What it makes is kept, where nobody else makes it too.
func (c *answerCache) pack(a *keptAnswer, coding int, send func([]byte) error) error {
	var made *keptBody // nil where it is not kept
	if a.packed[coding].CompareAndSwap(nil, unkept) {
		made = new(keptBody)
	}
	whole := false
	defer func() {
		if made != nil {
			c.keep(a, coding, made, whole)
		}
	}()
	err := compress(a.plain.blocks, encodings[coding], func(b []byte) error {
		if made != nil && !c.copy(made, b, a.plain.bytes) {
			c.drop(made)
			made = nil
		}
		return send(b)
	})
	whole = err == nil
	return err
}

// keep ends the making of a compressed body: where it is whole, and its answer is still kept and has room for it, it is kept too. Where it is not, because
// a client went, the next one may try.
func (c *answerCache) keep(a *keptAnswer, coding int, body *keptBody, whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, _ := c.kept.Peek(xxh3.HashString(a.key))
	switch {
	case !whole:
		c.give(body.bytes)
		a.packed[coding].Store(nil)
	case known != a || a.bytes()+body.bytes > c.most/answerShare:
		c.give(body.bytes)
	default:
		a.packed[coding].Store(body)
	}
}

// compress compresses blocks, and hands what comes of each of them to send, which must not keep it.
func compress(blocks [][]byte, encoding string, send func([]byte) error) error {
	out, pool := buffers.Get().(*bytes.Buffer), coderPool[encoding]
	coder := pool.Get().(coder)
	defer func() {
		coder.Reset(nil)
		pool.Put(coder)
		putBuffer(out)
	}()
	out.Reset()
	coder.Reset(out)
	for i, b := range blocks {
		coder.Write(b)
		if i < len(blocks)-1 {
			coder.Flush()
		} else {
			coder.Close()
		}
		if err := send(out.Bytes()); err != nil {
			return err
		}
		out.Reset()
	}
	return nil
}
