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
}

// chunkPool keeps chunks for the next answer; one that comes from it has n < 0 until it is shaped.
var chunkPool = sync.Pool{New: func() any { return &chunk{n: -1, done: make(chan struct{}, 1)} }}

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
	wait    sync.WaitGroup
}

// newPipeline starts threads formatters and one goroutine that writes.
func newPipeline(out io.Writer, s *shape, d Decoder, threads, columns int, first bool) *pipeline {
	chunks := 3 * threads
	p := &pipeline{
		out: out, rows: max(64, chunkCells/columns), columns: columns, first: first, sent: time.Now(),
		free: make(chan *chunk, chunks), work: make(chan *chunk, chunks), order: make(chan *chunk, chunks),
	}
	for range chunks {
		p.free <- chunkPool.Get().(*chunk)
	}
	p.wait.Add(threads + 1)
	for range threads {
		go p.format(formatter{shape: s, decoder: d})
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
			if err := section.Guard(func() error { c.text = f.rows(c.text[:0], c.cols, c.n, c.first); return nil }); err != nil {
				p.failed.Store(&err)
			}
		}
		c.done <- struct{}{}
	}
}

// deliver writes the chunks in order.
func (p *pipeline) deliver() {
	defer p.wait.Done()
	for c := range p.order {
		<-c.done
		if p.failed.Load() == nil {
			if _, err := p.out.Write(c.text); err != nil {
				p.failed.Store(&err)
			}
		}
		p.free <- c
	}
}

// close sends the last chunk and waits for everything.
func (p *pipeline) close() error {
	p.flush()
	close(p.order)
	close(p.work)
	p.wait.Wait()
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
