package results

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// chunk is a run of rows on its way: copied in, formatted by one worker, written in order.
type chunk struct {
	cols  [][]ID
	ids   []ID
	n     int
	first bool
	text  []byte
	done  chan struct{}
	// parts and back pass text that is too long to be kept to the writer, and the buffer back.
	parts chan []byte
	back  chan []byte
}

// chunkPool keeps chunks for the next answer; one that comes from it has n < 0 until it is shaped.
var chunkPool = sync.Pool{New: func() any {
	return &chunk{n: -1, done: make(chan struct{}, 1), parts: make(chan []byte), back: make(chan []byte)}
}}

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

// pipeline formats chunks in parallel and writes them in order. Its memory is a fixed number of chunks.
type pipeline struct {
	out     io.Writer
	rows    int
	columns int
	free    chan *chunk
	work    chan *chunk
	order   chan *chunk
	filling *chunk
	first   bool
	sent    time.Time
	failed  atomic.Pointer[error]
	charge  func(bytes int64) error
	charged int64
	wait    sync.WaitGroup
}

// newPipeline starts threads formatters and one goroutine that writes.
func newPipeline(out io.Writer, model formatter, threads, columns int, first bool) *pipeline {
	chunks := chunksEach * threads
	p := &pipeline{
		out: out, rows: max(1, chunkCells/columns), columns: columns, first: first, sent: time.Now(), charge: model.charge,
		free: make(chan *chunk, chunks), work: make(chan *chunk, chunks), order: make(chan *chunk, chunks),
	}
	for range chunks {
		p.free <- chunkPool.Get().(*chunk)
	}
	p.charged = int64(chunks * p.rows * columns * 4)
	p.fail(p.charge(p.charged))
	p.wait.Add(threads + 1)
	for range threads {
		go p.format(model)
	}
	go p.deliver()
	return p
}

// write copies rows into chunks and sends the full ones on.
func (p *pipeline) write(cols [][]ID, n int) error {
	for from := 0; from < n; {
		if err := p.failed.Load(); err != nil {
			return *err
		}
		c := p.current()
		take := min(n-from, p.rows-c.n)
		for i, col := range cols {
			copy(c.cols[i][c.n:], col[from:from+take])
		}
		c.n += take
		from += take
		if c.n == p.rows {
			p.send()
		}
	}
	if p.filling != nil && time.Since(p.sent) > flushAfter {
		p.send()
	}
	return nil
}

// current is the chunk being filled; it waits for a free one.
func (p *pipeline) current() *chunk {
	if p.filling != nil {
		return p.filling
	}
	c := <-p.free
	if len(c.cols) != p.columns || c.n < 0 {
		c.shape(p.rows, p.columns)
	}
	c.n, c.first, p.first = 0, p.first, false
	p.filling = c
	return c
}

func (p *pipeline) send() {
	p.sent = time.Now()
	p.order <- p.filling
	p.work <- p.filling
	p.filling = nil
}

// flush sends the chunk being filled as it is.
func (p *pipeline) flush() {
	if p.filling != nil {
		p.send()
	}
}

// format is one worker.
func (p *pipeline) format(f formatter) {
	defer p.wait.Done()
	defer f.release()
	for c := range p.work {
		if p.failed.Load() == nil {
			f.full = func(text []byte) []byte { return p.pass(c, text) }
			p.fail(section.Guard(func() error { c.text = f.rows(c.text[:0], c.cols, c.n, c.first); return nil }))
			p.fail(f.settle(int64(cap(c.text)) * chunksEach))
		}
		c.done <- struct{}{}
	}
}

// chunksEach is how many chunks there are for each formatter.
const chunksEach = 3

// pass hands text of a chunk to the writer, once the chunks before it have been written.
func (p *pipeline) pass(c *chunk, text []byte) []byte {
	c.parts <- text
	return <-c.back
}

// fail keeps the first error.
func (p *pipeline) fail(err error) {
	if err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
}

// deliver writes the chunks in order.
func (p *pipeline) deliver() {
	defer p.wait.Done()
	for c := range p.order {
		p.await(c)
		p.put(c.text)
		p.free <- c
	}
}

// await writes what of a chunk comes early, until the rest is in its text.
func (p *pipeline) await(c *chunk) {
	for {
		select {
		case text := <-c.parts:
			p.put(text)
			c.back <- text[:0]
		case <-c.done:
			return
		}
	}
}

// put writes text, unless something has failed.
func (p *pipeline) put(text []byte) {
	if p.failed.Load() == nil {
		_, err := p.out.Write(text)
		p.fail(err)
	}
}

// close sends the last chunk and waits for everything.
func (p *pipeline) close() error {
	p.flush()
	close(p.order)
	close(p.work)
	p.wait.Wait()
	_ = p.charge(-p.charged)
	for range cap(p.free) {
		if c := <-p.free; cap(c.text) <= keptText {
			c.n = -1
			chunkPool.Put(c)
		}
	}
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}
