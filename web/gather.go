package web

import (
	"bytes"
	"net/http"
	"sync"
)

// mostGathered is how long the body of an answer may be that leaves with its header, in one write.
const mostGathered = 16 << 10

// gathered is an answer whose beginning waits for its end. net/http writes what fills its buffer of 4 KiB and then the rest, which is one system call more for
// most answers, and one more for their clients.
type gathered struct {
	buffer *bytes.Buffer
	// body is how long the body is that is expected, 0 where nothing is; left how much of the answer has not come.
	body, left int
}

var gatherings = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// expect says that the next that is written is the header of an answer and a body of so many bytes, which follows at once.
func (c *conn) expect(body int) {
	if body > 0 && body <= mostGathered {
		c.gathered.body = body
	}
}

// gather takes a part of an answer that is expected. It returns what is to be written now: nothing, while the rest is to come.
func (c *conn) gather(b []byte) []byte {
	g := &c.gathered
	if g.buffer == nil {
		header := bytes.Index(b, []byte("\r\n\r\n"))
		body := g.body
		g.body = 0
		if g.left = header + 4 + body - len(b); header < 0 || g.left <= 0 {
			return b
		}
		g.buffer = gatherings.Get().(*bytes.Buffer)
		g.buffer.Reset()
		g.buffer.Write(b)
		return nil
	}
	g.buffer.Write(b)
	if g.left -= len(b); g.left > 0 {
		return nil
	}
	return g.buffer.Bytes()
}

// gathers reports whether what is written is part of an answer that is expected.
func (c *conn) gathers() bool { return c.gathered.body > 0 || c.gathered.buffer != nil }

// flush writes what has been gathered of an answer whose rest does not come.
func (c *conn) flush() {
	if b := c.gathered.buffer; b != nil {
		c.writeAll(b.Bytes())
	}
	c.scatter()
}

// scatter forgets what has been gathered.
func (c *conn) scatter() {
	if c.gathered.buffer != nil {
		gatherings.Put(c.gathered.buffer)
	}
	c.gathered = gathered{}
}

// gathering is the connection of a request whose answer may leave in one write, nil where others write to it too or write something else.
func gathering(r *http.Request) *conn {
	if r.TLS != nil || r.ProtoMajor != 1 || r.Method == http.MethodHead {
		return nil
	}
	return connection(r)
}
