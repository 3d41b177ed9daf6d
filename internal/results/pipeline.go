package results

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// chunk is a run of rows on its way: copied in, formatted by one goroutine, written in order.
type chunk struct {
	cols [][]ID
	ids  []ID
	n    int
	// factorised are the rows, where they are, and n is how many solutions they stand for.
	factorised *vector.BatchCopy
	number     int // of the answer's chunks
	first      bool
	text       []byte
}

// chunkPool keeps chunks for the next answer; one that comes from it has no columns until it is shaped.
var chunkPool = sync.Pool{New: func() any { return &chunk{} }}

// keptText is the most text a chunk in the pool holds on to.
const keptText = 4 << 20

// shape cuts the chunk's IDs into columns.
func (c *chunk) shape(rows, columns int) {
	if cap(c.ids) < rows*columns {
		c.ids = make([]ID, rows*columns)
	}
	c.cols = c.cols[:0]
	for i := range columns {
		c.cols = append(c.cols, c.ids[i*rows:(i+1)*rows])
	}
}

// holds reports whether the chunk holds factorised rows.
func (c *chunk) holds() bool { return c.factorised != nil && c.factorised.N > 0 }

// pipeline formats chunks in parallel and writes them in order. Its memory is a fixed number of chunks. Chunks are formatted by
// workers and, where there are none or they have too much, by the caller; who has formatted the chunk that is next writes
// it, and those after it that are ready.
type pipeline struct {
	out     io.Writer
	model   formatter
	share   *schedule.Share
	workers schedule.Group
	active  atomic.Int32 // workers that will look at work again
	rows    int          // of a chunk at most
	size    int          // of the chunks that are filled now
	columns int
	work    chan *chunk // those that nobody has begun, in order
	filling *chunk
	first   bool
	sent    time.Time
	failed  atomic.Pointer[error]
	charge  func(bytes int64) error
	charged int64

	mu         sync.Mutex
	changed    sync.Cond // on mu: there is a free chunk, or another one is next to be written
	free       []*chunk
	formatters []*formatter // those that nobody uses
	ready      []*chunk     // formatted, before its turn
	numbered   int          // chunks that were sent
	next       int          // the chunk to be written
	writing    bool
}

// newPipeline returns a pipeline without workers.
func newPipeline(out io.Writer, model formatter, share *schedule.Share, columns int, first bool) *pipeline {
	chunks := chunksEach * share.Limit()
	p := &pipeline{
		out: out, model: model, share: share, rows: max(1, model.shape.chunkCells()/columns), columns: columns, first: first, sent: time.Now(),
		charge: model.charge, work: make(chan *chunk, chunks),
	}
	p.changed.L = &p.mu
	p.workers = schedule.Group{Share: share}
	for range chunks {
		p.free = append(p.free, chunkPool.Get().(*chunk))
	}
	p.size = p.firstRows()
	p.charged = int64(chunks * p.rows * columns * 4)
	p.fail(p.charge(p.charged))
	return p
}

// firstCells is how many cells the first chunks have at least where there are many threads: an answer of a few chunks is formatted by more of them then.
const firstCells = 2 << 10

// firstRows is how many rows the first chunks have.
func (p *pipeline) firstRows() int {
	if p.model.shape.cells > 0 {
		return p.rows
	}
	return min(p.rows, max(1, max(firstCells, chunkCells/p.share.Limit())/p.columns))
}

// write copies rows into chunks and sends the full ones on.
func (p *pipeline) write(cols [][]ID, n int) error {
	for from := 0; from < n; {
		if err := p.failed.Load(); err != nil {
			return *err
		}
		c := p.current()
		if c.holds() {
			p.send()
			continue
		}
		if len(c.cols) == 0 {
			c.shape(p.rows, p.columns)
		}
		take := min(n-from, p.size-c.n)
		for i, col := range cols {
			copy(c.cols[i][c.n:], col[from:from+take])
		}
		c.n += take
		from += take
		if c.n >= p.size {
			p.send()
		}
	}
	p.sendLate()
	return nil
}

// sendLate sends the chunk being filled where the last was sent long ago.
func (p *pipeline) sendLate() {
	if p.filling != nil && time.Since(p.sent) > flushAfter {
		p.send()
	}
}

// writeFactorised copies factorised rows into chunks of their own, and pieces of those that stand for more solutions than a chunk has.
func (p *pipeline) writeFactorised(b *vector.Batch) error {
	for part := range b.Runs(p.size) {
		if err := p.failed.Load(); err != nil {
			return *err
		}
		n := int(part.AllSolutions())
		c := p.current()
		if c.n > 0 && (!c.holds() || c.n+n > p.size || !part.ListsAs(&c.factorised.Batch)) {
			p.send()
			c = p.current()
		}
		if c.factorised == nil {
			c.factorised = &vector.BatchCopy{}
		}
		before := c.factorised.Bytes()
		c.factorised.Append(part, 0, part.N)
		c.n += n
		if grown := c.factorised.Bytes() - before; grown > 0 {
			p.charged += grown
			p.fail(p.charge(grown))
		}
	}
	p.sendLate()
	return nil
}

// current is the chunk being filled; while none is free, the caller formats.
func (p *pipeline) current() *chunk {
	for p.filling == nil {
		if p.filling = p.unused(); p.filling == nil && !p.one() {
			p.pause(func() bool { return len(p.free) > 0 })
		}
		if c := p.filling; c != nil {
			c.n, c.first, p.first = 0, p.first, false
			if c.factorised != nil {
				c.factorised.Reset()
			}
		}
	}
	return p.filling
}

// unused takes a free chunk; nil where there is none.
func (p *pipeline) unused() *chunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return nil
	}
	c := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return c
}

// send has the chunk formatted that was being filled: by a worker, if there is one.
func (p *pipeline) send() {
	p.queue()
	if p.workers.Reserve() {
		p.active.Add(1)
		p.workers.Start(p.format)
	} else if p.active.Load() == 0 {
		p.one()
	}
}

// queue puts the chunk that was being filled behind those that nobody has begun.
func (p *pipeline) queue() {
	c := p.filling
	p.sent, p.filling = time.Now(), nil
	c.number = p.numbered
	if p.numbered++; p.numbered%p.share.Limit() == 0 {
		p.size = min(p.rows, 2*p.size)
	}
	p.work <- c
}

// flush sends the chunk being filled as it is.
func (p *pipeline) flush() {
	if p.filling != nil {
		p.send()
	}
}

// format is one worker: it formats chunks until there are none. Before it ends it formats those that were sent while it was
// thought to go on.
func (p *pipeline) format(w *schedule.Worker) error {
	for w.Keep() && p.one() {
	}
	p.active.Add(-1)
	for range len(p.work) {
		p.one()
	}
	return nil
}

// one formats a chunk and writes what can be written then; false where there is none.
func (p *pipeline) one() bool {
	select {
	case c := <-p.work:
		if p.failed.Load() == nil {
			f := p.formatter()
			f.full = func(text []byte) []byte { return p.pass(c, text) }
			p.fail(schedule.Guard(func() error { c.text = f.chunk(c.text[:0], c); return nil }))
			p.fail(f.settle(int64(cap(c.text)) * chunksEach))
			p.giveBack(f)
		}
		p.deliver(c)
		return true
	default:
		return false
	}
}

// chunk appends the rows of a chunk.
func (f *formatter) chunk(dst []byte, c *chunk) []byte {
	if c.holds() {
		return f.factorised(dst, &c.factorised.Batch, c.first)
	}
	return f.rows(dst, c.cols, c.n, c.first)
}

// chunksEach is how many chunks there are for each thread.
const chunksEach = 3

// formatter takes a formatter that nobody uses.
func (p *pipeline) formatter() *formatter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.formatters); n > 0 {
		f := p.formatters[n-1]
		p.formatters = p.formatters[:n-1]
		return f
	}
	f := p.model
	return &f
}

func (p *pipeline) giveBack(f *formatter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.formatters = append(p.formatters, f)
}

// pass writes text of a chunk that is not whole, once those before it have been written. They are all being formatted.
func (p *pipeline) pass(c *chunk, text []byte) []byte {
	p.pause(func() bool { return p.next == c.number && !p.writing })
	p.put(text)
	return text[:0]
}

// pause waits, without a permit, until something is so.
func (p *pipeline) pause(until func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until() {
		return
	}
	p.share.Leave()
	for !until() {
		p.changed.Wait()
	}
	p.share.Enter()
}

// fail keeps the first error.
func (p *pipeline) fail(err error) {
	if err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
}

// deliver writes the chunks that are ready and next, unless another goroutine does; c has become ready.
func (p *pipeline) deliver(c *chunk) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = append(p.ready, c)
	for !p.writing {
		at := slices.IndexFunc(p.ready, func(c *chunk) bool { return c.number == p.next })
		if at < 0 {
			return
		}
		c := p.ready[at]
		p.ready = slices.Delete(p.ready, at, at+1)
		p.writing = true
		p.mu.Unlock()
		p.put(c.text)
		p.mu.Lock()
		p.writing = false
		p.next++
		p.free = append(p.free, c)
		p.changed.Broadcast()
	}
}

// put writes text, without a permit, unless something has failed.
func (p *pipeline) put(text []byte) {
	if p.failed.Load() == nil {
		p.share.Leave()
		p.fail(schedule.Guard(func() error {
			_, err := p.out.Write(text)
			return err
		}))
		p.share.Enter()
	}
}

// close waits for everything. Of what nobody has begun the caller formats what it can: to wake somebody for the last chunk would take as long.
func (p *pipeline) close() error {
	if p.filling != nil {
		p.queue()
	}
	for p.one() {
	}
	p.fail(p.workers.Wait())
	for _, f := range p.formatters {
		f.release()
	}
	_ = p.charge(-p.charged)
	for _, c := range p.free {
		if cap(c.text) <= keptText {
			c.cols, c.factorised = c.cols[:0], nil
			chunkPool.Put(c)
		}
	}
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}
