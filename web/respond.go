package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Sizes of a response. An answer of fewer than holdBytes is held until it is whole, but not longer than holdTime.
const (
	holdBytes = 48 << 10
	holdTime  = 40 * time.Millisecond
	// lastTime is how long the last block of an answer may take, or the comment that ends one which failed, whatever the limit.
	lastTime = 50 * time.Millisecond
	// compressFrom is the size from which a held answer is worth compressing.
	compressFrom = 1400
	// flushBelow is the size below which a write would stay in net/http's buffer.
	flushBelow = 16 << 10
)

// errHeadSent ends a query that was asked by HEAD: its header has left, and there is no body.
var errHeadSent = errors.New("web: the header is all that was asked for")

// response is the body of an answer on its way: held back at first, sent in chunks once it is too long or too slow.
type response struct {
	w       http.ResponseWriter
	control http.ResponseController
	// ctx is the query's; turn, where not nil, is lent to others while the client does not read.
	ctx  context.Context
	turn *turn
	// stop, where not nil, ends the query once nothing more is asked for than what has been sent.
	stop context.CancelCauseFunc
	// encoding is "", "gzip" or "zstd"; packed, that what is written is compressed by it already.
	encoding string
	packed   bool
	head     bool
	// conn, where not nil, may gather the answer.
	conn *conn

	mu        sync.Mutex
	held      *bytes.Buffer
	timer     *time.Timer
	committed bool
	finished  bool
	out       io.Writer
	coder     coder
	sent      int64
	err       error

	// unwatch ends the watch over ctx; watched guards over, which is set when there is nothing to cut any more.
	unwatch func() bool
	watched sync.Mutex
	over    bool
}

// coder is a compressor.
type coder interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

var (
	buffers   = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	gzipPool  = sync.Pool{New: func() any { c, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed); return c }}
	zstdPool  = sync.Pool{New: func() any { return newZstd() }}
	coderPool = map[string]*sync.Pool{"gzip": &gzipPool, "zstd": &zstdPool}
)

// putBuffer gives a buffer back that has not grown large.
func putBuffer(b *bytes.Buffer) {
	if b.Cap() <= 2*holdBytes {
		buffers.Put(b)
	}
}

// newZstd makes an encoder without goroutines of its own and with a window that every client accepts.
func newZstd() coder {
	c, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	return c
}

// openResponse makes a response for a body that is there.
func openResponse(ctx context.Context, w http.ResponseWriter, r *http.Request) *response {
	p := &response{w: w, ctx: ctx, control: *http.NewResponseController(w), head: r.Method == http.MethodHead, conn: gathering(r)}
	if accept := r.Header["Accept-Encoding"]; len(accept) > 0 {
		p.encoding = encoding(accept[0])
	}
	return p
}

// newResponse makes a response that is written to.
func newResponse(ctx context.Context, w http.ResponseWriter, r *http.Request) *response {
	p := openResponse(ctx, w, r)
	p.held = buffers.Get().(*bytes.Buffer)
	p.held.Reset()
	return p
}

// Write takes a part of the answer. While the client does not read, the query's slot is for others.
func (p *response) Write(b []byte) (int, error) {
	if p.mu.TryLock() {
		kept := p.keep(b)
		p.mu.Unlock()
		if kept {
			return len(b), nil
		}
	}
	if p.turn == nil {
		return p.write(b)
	}
	p.turn.lend()
	n, err := p.write(b)
	if lost := p.turn.reclaim(p.ctx, err != nil); err == nil && lost != nil {
		return n, lost
	}
	return n, err
}

// keep holds a part back, where there is room.
func (p *response) keep(b []byte) bool {
	if p.committed || p.err != nil || p.held.Len()+len(b) > holdBytes {
		return false
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(holdTime, p.tooSlow)
	}
	p.held.Write(b)
	return true
}

// write sends a part.
func (p *response) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil && p.ctx.Err() != nil {
		return 0, context.Cause(p.ctx) // the header, or the answer's last bytes, can still say so
	}
	if !p.committed && p.err == nil {
		p.commit()
	}
	p.send(b)
	if p.err != nil {
		return 0, p.err
	}
	return len(b), nil
}

// tooSlow sends what is held because the rest is long in coming.
func (p *response) tooSlow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.committed && !p.finished && p.ctx.Err() == nil {
		p.commit()
	}
}

// commit sends the header and what is held; from here on the response is chunked.
func (p *response) commit() {
	p.committed = true
	p.watch()
	p.vary()
	p.out = countingWriter{p}
	if p.encoding != "" {
		p.markPacked()
	}
	if p.encoding != "" && !p.packed {
		p.coder = coderPool[p.encoding].Get().(coder)
		p.coder.Reset(p.out)
		p.out = p.coder
	}
	if p.w.WriteHeader(http.StatusOK); p.head {
		p.endHead()
	}
	p.send(p.held.Bytes())
}

// endHead sends the header, which no part of a body will take along, and ends the query: the client's next request waits.
func (p *response) endHead() {
	p.err = cmp.Or(p.control.Flush(), errHeadSent)
	if p.stop != nil {
		p.stop(p.err)
	}
}

// markPacked says in the header that the body is compressed.
func (p *response) markPacked() {
	setField(p.w, "Content-Encoding", p.encoding)
	if tag := p.w.Header()[headerTag]; len(tag) > 0 {
		setField(p.w, headerTag, packedTag(tag[0], p.encoding))
	}
}

// watch makes a write that waits for the client fail once the query's context has ended: at its time limit, or when somebody
// cancels it.
func (p *response) watch() {
	p.unwatch = context.AfterFunc(p.ctx, func() {
		p.watched.Lock()
		defer p.watched.Unlock()
		if !p.over {
			p.control.SetWriteDeadline(time.Unix(1, 0))
		}
	})
}

// endWatch leaves the connection alone from here on.
func (p *response) endWatch() {
	if p.unwatch != nil && !p.unwatch() {
		p.watched.Lock()
		p.over = true
		p.watched.Unlock()
	}
	p.unwatch = nil
}

// send writes a block and makes sure that it leaves.
func (p *response) send(b []byte) {
	if p.err != nil || p.head {
		return
	}
	if _, p.err = p.out.Write(b); p.err != nil {
		return
	}
	if p.coder != nil {
		p.err = p.coder.Flush()
	}
	if p.err == nil && (len(b) < flushBelow || p.coder != nil) {
		p.err = p.control.Flush()
	}
}

// countingWriter is the way to the network.
type countingWriter struct{ p *response }

func (c countingWriter) Write(b []byte) (int, error) {
	n, err := c.p.w.Write(b)
	c.p.sent += int64(n)
	if c.p.turn != nil {
		c.p.turn.sent.Store(c.p.sent)
	}
	return n, err
}

// hold ends the time in which the header may leave by itself, and reports whether it is still here.
func (p *response) hold() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	if p.timer != nil {
		p.timer.Stop()
	}
	return !p.committed
}

// finish sends what is left until the query's time limit: everything at once, with its length, if nothing has been sent yet.
func (p *response) finish() error {
	defer p.release()
	p.endWatch()
	limit, _ := p.ctx.Deadline()
	if !p.committed {
		return p.whole(p.held.Bytes(), limit)
	}
	p.endBy(limit)
	if p.coder != nil && p.err == nil {
		p.err = p.coder.Close()
	}
	return p.err
}

// endBy sets the time by which the rest has to have left; none where it is zero.
func (p *response) endBy(limit time.Time) {
	if !limit.IsZero() {
		p.control.SetWriteDeadline(later(limit, time.Now().Add(lastTime)))
	}
}

// whole sends a body of which nothing has been sent, with its length, until a time; the caller must release the response.
func (p *response) whole(body []byte, limit time.Time) error {
	p.endBy(limit)
	p.vary()
	switch {
	case p.packed:
		p.markPacked()
	case p.encoding != "" && len(body) >= compressFrom:
		packed := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(packed)
		packed.Reset()
		p.coder = coderPool[p.encoding].Get().(coder)
		p.coder.Reset(packed)
		p.coder.Write(body)
		p.coder.Close()
		body = packed.Bytes()
		p.markPacked()
	}
	setField(p.w, "Content-Length", strconv.Itoa(len(body)))
	if p.conn != nil {
		p.conn.expect(len(body))
	}
	if p.w.WriteHeader(http.StatusOK); !p.head {
		n, err := p.w.Write(body)
		p.sent, p.err = int64(n), err
	}
	return p.err
}

// vary says in the header what the answer depends on.
func (p *response) vary() {
	const fields = "Accept, Accept-Encoding"
	if h := p.w.Header(); h["Vary"] != nil {
		h.Add("Vary", fields)
		return
	}
	setField(p.w, "Vary", fields)
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// abort breaks a response off that has begun. comment, when not empty, is sent before: a place where the format
// allows one to say why.
func (p *response) abort(comment string) {
	p.endWatch()
	if p.err == nil && comment != "" && !p.packed {
		p.control.SetWriteDeadline(time.Now().Add(lastTime))
		p.send([]byte(comment))
	}
	p.release()
	panic(http.ErrAbortHandler)
}

// release gives the buffers back.
func (p *response) release() {
	p.endWatch()
	if p.held != nil {
		putBuffer(p.held)
	}
	p.held = nil
	if p.coder != nil {
		p.coder.Reset(nil)
		coderPool[p.encoding].Put(p.coder)
		p.coder = nil
	}
}
