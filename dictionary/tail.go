package dictionary

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

// Tail is terms that were added to a dictionary since its segments were written: in memory, in order of arrival, with
// the IDs from the number of terms in the segments on. It only grows, and IDs stay. One goroutine at a time adds terms;
// any number of others read them at the same time, through the dictionaries that Dictionary gives, and none waits for
// another. A term takes the bytes of its key and about 25 more; a plain string 16 on top of that, and a number, date or
// boolean 32.
type Tail struct {
	segments  *Dictionary // without a tail
	published atomic.Pointer[arena]
	count     atomic.Uint32
	bytes     atomic.Int64
	index     arrivalIndex
	writer    arenaWriter
}

// NewTail is an empty tail behind the segments of d. Another tail that d may have is no part of it.
func NewTail(d *Dictionary) *Tail {
	segments := *d
	segments.tail = arrivals{}
	t := &Tail{segments: &segments}
	t.published.Store(&arena{})
	return t
}

// Intern is the ID of a key (AppendKey), which it gets here where neither the segments nor the tail have it. The bytes
// are copied. The error is ErrTerm for bytes that are no key or ErrFull, or says that the key has more than 1 GiB; then
// nothing has changed. As everything that reads segments, it panics where these are damaged (Dictionary); then nothing has
// changed either.
func (t *Tail) Intern(key []byte) (ID, error) {
	p, err := splitKey(key)
	if err != nil {
		return None, fmt.Errorf("dictionary: %w", err)
	}
	if len(key) > maxText {
		return None, tooLong(key)
	}
	hash := xxh3.Hash(key)
	if id, ok := t.find(hash, key, &p); ok {
		return id, nil
	}
	start, n := t.segments.ordered, t.writer.count
	if n == None-start {
		return None, fmt.Errorf("dictionary: %w", ErrFull)
	}
	if t.writer.add(key, &p) {
		t.published.Store(t.writer.copied())
	}
	t.writer.bytes += t.index.add(hash, n)
	t.bytes.Store(t.writer.bytes)
	t.count.Store(n + 1) // last: whoever sees the term finds all that belongs to it
	return start + n, nil
}

// Find is the ID of a key that the segments or the tail have by now. It is for the goroutine that adds terms.
func (t *Tail) Find(key []byte) (ID, bool) {
	p, err := splitKey(key)
	if err != nil {
		return None, false
	}
	return t.find(xxh3.Hash(key), key, &p)
}

func (t *Tail) find(hash uint64, key []byte, p *parts) (ID, bool) {
	if id, ok := t.segments.findOrdered(hash, p); ok {
		return id, true
	}
	if n, ok := t.index.find(hash, func(n ID) bool { return bytes.Equal(t.writer.key(n), key) }); ok {
		return t.segments.ordered + n, true
	}
	return None, false
}

// Len is the number of terms so far.
func (t *Tail) Len() int { return int(t.count.Load()) }

// Bytes is how much memory the terms take. What Dictionary gives takes nothing beside them worth counting.
func (t *Tail) Bytes() int64 { return t.bytes.Load() }

// Dictionary is the segments and the first n terms of the tail (all of them where there are fewer), as they stay: what
// arrives later is not in it. It costs the same however many terms there are. Its terms share memory with the tail.
func (t *Tail) Dictionary(n int) *Dictionary {
	d := *t.segments
	count := t.count.Load() // before the arena, which then has as many
	d.tail = arrivals{arena: *t.published.Load(), index: &t.index, count: ID(max(0, min(n, int(count))))}
	return &d
}
