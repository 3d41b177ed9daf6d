package expr

import (
	"errors"
	"strings"
	"unsafe"

	"github.com/cockroachdb/apd/v3"
)

// ErrLong says that an expression computed a string of more than 64 MiB. It is no error of the expression, which a query
// could go on from, but ends the query: Env.Err.
var ErrLong = errors.New("an expression computes a string longer than 64 MiB")

const (
	// maxText bounds the strings that functions make, in bytes: strings that are joined with themselves again and again
	// would fill any memory.
	maxText = 64 << 20
	// meterStep is how many bytes are worked on between two looks at whether the query has ended.
	meterStep = 64 << 10
	// bigWork is what arithmetic on numbers of more than 64 bits counts as, in bytes.
	bigWork = 4 << 10
)

// Err says why expressions have stopped: what Ended or Charge said, or ErrLong. nil while they go on. Results that were
// computed since then mean nothing.
func (e *Env) Err() error {
	if failed := e.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// Stopped reports whether Err has a reason; it is cheap.
func (e *Env) Stopped() bool { return e.failed.Load() != nil }

// fail stops all expressions of the query.
func (e *Env) fail(err error) { e.failed.CompareAndSwap(nil, &err) }

// goesOn reports whether the query goes on, after asking.
func (e *Env) goesOn() bool {
	if e.Stopped() {
		return false
	}
	if e.Ended == nil {
		return true
	}
	if err := e.Ended(); err != nil {
		e.fail(err)
		return false
	}
	return true
}

// spend counts work on so many bytes and reports whether to go on with it.
func (c *run) spend(bytes int) bool {
	if c.spent += bytes; c.spent < meterStep {
		return !c.env.Stopped()
	}
	c.spent = 0
	return c.env.goesOn()
}

// makes counts a string of so many bytes that is about to be made, or about to grow by as many: more of them are held
// until the chunk of rows is done. It reports whether the string may be made.
func (c *run) makes(bytes int) bool {
	if bytes > maxText {
		c.env.fail(ErrLong)
		return false
	}
	if c.made += int64(bytes); c.made >= meterStep && c.env.Charge != nil {
		if err := c.env.Charge(c.made); err != nil {
			c.env.fail(err)
		}
		c.charged, c.made = c.charged+c.made, 0
	}
	return c.spend(bytes)
}

// bigBytes is what a number of more than 64 bits takes in memory.
func bigBytes(n *apd.Decimal) int { return n.Coeff.BitLen()/8 + int(unsafe.Sizeof(*n)) }

// discharge gives back what was charged for the strings of a chunk, which it forgets where they are large.
func (c *run) discharge() {
	if c.made += c.charged; c.made >= forgetFrom {
		for i := range c.data {
			clear(c.data[i])
		}
		for _, v := range c.numberRoom {
			clear(v.odd)
		}
	}
	if c.charged > 0 {
		c.env.Charge(-c.charged)
	}
	c.made, c.charged = 0, 0
}

// forgetFrom is from how many bytes of strings on a run does not keep those of its last chunk.
const forgetFrom = 1 << 20

// searchStep is how much of a text is searched between two looks at whether the query has ended.
const searchStep = 1 << 20

// index is strings.Index; -1 too where the query has ended.
func (c *run) index(s, part string) int {
	step := max(searchStep, 2*len(part))
	for from := 0; ; from += step {
		if len(s)-from <= step+len(part) {
			if i := strings.Index(s[from:], part); i >= 0 {
				return from + i
			}
			return -1
		}
		if i := strings.Index(s[from:from+step+len(part)], part); i >= 0 {
			return from + i
		}
		if !c.spend(step) {
			return -1
		}
	}
}

// pieces calls do with the pieces of a long text, cut between characters; false where the query ended before the last.
func (c *run) pieces(s string, do func(piece string) bool) bool {
	for len(s) > 0 {
		n := min(meterStep, len(s))
		for n < len(s) && s[n]&0xC0 == 0x80 { // within a character
			n++
		}
		if !do(s[:n]) || !c.spend(n) {
			return false
		}
		s = s[n:]
	}
	return true
}
