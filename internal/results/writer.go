package results

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Sizes of the pipeline. A chunk is formatted by one goroutine; an answer of fewer rows than inlineRows stays in the
// caller's. flushAfter bounds how long formatted rows wait while more are being found slowly.
const (
	chunkCells = 16 << 10
	inlineRows = 2048
	blockBytes = 64 << 10
	flushAfter = 50 * time.Millisecond
)

// bufferPool keeps the buffers of answers that stay in the caller's goroutine.
var bufferPool = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// ErrFormat reports a format that cannot carry the answer.
var ErrFormat = errors.New("results: the format cannot carry this kind of answer")

// ErrNoColumns reports rows without columns in Parquet, which has none; it is an ErrFormat.
var ErrNoColumns = fmt.Errorf("%w: Parquet has no rows without columns", ErrFormat)

// Options are settings of a Writer; the zero value is good.
type Options struct {
	// Workers is the query's share of the processor's threads, which the caller has entered: long answers are formatted by
	// several, and what waits for the output leaves it. Nil: the caller's thread alone.
	Workers *schedule.Share
	// Prefixes shorten IRIs in Turtle and tables: prefix → namespace.
	Prefixes map[string]string
	// Width is a terminal's width in columns, for tables; 0 cuts nothing.
	Width int
	// Charge, where it is not nil, is told how many bytes the answer takes on its way (negative: gives back), from any goroutine.
	// Its error ends the answer. It is asked with 0 when much has been written, too.
	Charge func(bytes int64) error
	// Links are the "link" members of a JSON answer's head.
	Links []string
}

// Writer writes one answer: any number of calls to Write, then Close. It is not safe for concurrent use.
type Writer struct {
	out     io.Writer
	shape   *shape
	table   *tableWriter
	parquet *parquetFile // that out is, where the format is Parquet
	inline  formatter
	pipe    *pipeline
	decode  Decoder
	workers *schedule.Share
	columns int
	buf     []byte
	// pooled is where buf came from and goes back to.
	pooled  *[]byte
	charge  func(bytes int64) error
	rows    uint64
	flushed time.Time
	err     error
	closed  bool
}

// NewWriter writes the head and returns a Writer for solutions with these variables. A format for triples takes
// three columns, subject, predicate and object, and ignores variables.
func NewWriter(out io.Writer, format Format, variables []string, decoder Decoder, options Options) (*Writer, error) {
	w := &Writer{out: out, decode: decoder, columns: len(variables), workers: options.Workers, charge: options.Charge}
	if w.charge == nil {
		w.charge = func(int64) error { return nil }
	}
	if format.Graph() {
		w.columns = 3
	}
	if format == TableText {
		w.table = newTableWriter(w, variables, options)
		return w, nil
	}
	if w.shape = newShape(format, variables, options); w.shape == nil {
		return nil, fmt.Errorf("%w: %q", ErrFormat, format)
	}
	if format == Parquet {
		if w.columns == 0 {
			return nil, ErrNoColumns
		}
		w.parquet = newParquetFile(out, variables, w.charge)
		w.out = w.parquet
	}
	w.inline = formatter{shape: w.shape, decoder: decoder, charge: w.charge}
	w.inline.full = func(text []byte) []byte {
		w.inline.fail(w.hand(text))
		return text[:0]
	}
	w.pooled = bufferPool.Get().(*[]byte)
	w.buf = append((*w.pooled)[:0], w.shape.head...)
	return w, nil
}

// Rows is how many rows have been given to Write.
func (w *Writer) Rows() uint64 { return w.rows }

// Write writes n rows; cols[c][r] is row r's ID in column c, or dictionary.None. cols may be reused afterwards.
// An error is the output's own, or says that terms cannot be read any more (section.ErrDamaged), and ends the answer: all
// later calls return it.
func (w *Writer) Write(cols [][]ID, n int) error {
	if w.err != nil || n == 0 {
		return w.err
	}
	return w.guarded(len(cols), func() { w.write(cols, n) })
}

// WriteBatch is Write for the rows of a batch, each as often as its weight says and with each combination of the values of its lists, but these are not taken apart
// before they are text.
func (w *Writer) WriteBatch(b *vector.Batch) error {
	if !b.Factorised() {
		return w.Write(b.Cols, b.N)
	}
	if w.err != nil || b.N == 0 {
		return w.err
	}
	return w.guarded(len(b.Cols), func() { w.writeFactorised(b) })
}

// guarded writes rows of so many columns.
func (w *Writer) guarded(columns int, write func()) error {
	if columns != w.columns {
		w.err = fmt.Errorf("results: %d columns where %d were announced", columns, w.columns)
		return w.err
	}
	if err := section.Guard(func() error { write(); return nil }); err != nil {
		w.err = err
	}
	w.checkShape()
	return w.err
}

func (w *Writer) write(cols [][]ID, n int) {
	first := w.rows == 0
	w.rows += uint64(n)
	switch {
	case w.table != nil:
		w.err = w.table.write(cols, n)
	case w.pipe != nil:
		w.err = w.pipe.write(cols, n)
	case w.isLong():
		if w.openPipe(first) {
			w.err = w.pipe.write(cols, n)
		}
	default:
		w.writeInline(cols, n, first)
	}
}

func (w *Writer) writeFactorised(b *vector.Batch) {
	first := w.rows == 0
	w.rows += b.AllSolutions()
	switch {
	case w.table != nil:
		w.err = w.table.writeFactorised(b)
	case w.pipe != nil:
		w.err = w.pipe.writeFactorised(b)
	case w.isLong():
		if w.openPipe(first) {
			w.err = w.pipe.writeFactorised(b)
		}
	default:
		w.writeFactorisedInline(b, first)
	}
}

// isLong reports whether the answer is written by a pipeline from now on.
func (w *Writer) isLong() bool {
	return (w.workers.Limit() > 1 || w.shape.cells > 0) && w.columns > 0 && w.rows > inlineRows
}

// openPipe has a pipeline go on with the answer, of which first says that nothing was written yet; false where it failed.
func (w *Writer) openPipe(first bool) bool {
	if w.err = w.flush(); w.err != nil {
		return false
	}
	model := formatter{shape: w.shape, decoder: w.decode, charge: w.charge}
	next := model // the first of those who go on knows what is kept
	next.cache, w.inline.cache = w.inline.cache, nil
	w.inline.release()
	w.pipe = newPipeline(w.out, model, w.workers, w.columns, first)
	w.pipe.giveBack(&next)
	return true
}

// Flush hands on what has been written so far, for a reader who will wait long for the rest. Rows that are still being
// formatted follow by themselves.
func (w *Writer) Flush() error {
	switch {
	case w.err != nil:
	case w.pipe != nil:
		w.pipe.flush()
	case w.table != nil:
		w.err = section.Guard(w.table.close)
	default:
		w.err = w.flush()
	}
	return w.err
}

// checkShape takes over the error of a term that the format cannot carry.
func (w *Writer) checkShape() {
	if w.err == nil && w.shape != nil {
		if failed := w.shape.failed.Load(); failed != nil {
			w.err = *failed
		}
	}
}

// Total says how many solutions there are where not all of them were written. JSON carries the number, as a member
// "rows" beside the results; the other formats have no place for it.
func (w *Writer) Total(rows uint64) {
	if w.shape != nil && w.shape.foot == jsonFoot {
		w.shape.foot = fmt.Sprintf("\n]},\"rows\":%d}\n", rows)
	}
}

// writeInline formats in the caller's goroutine, a block at a time.
func (w *Writer) writeInline(cols [][]ID, n int, first bool) {
	part := make([][]ID, len(cols))
	step := w.inlineStep()
	for from := 0; from < n && w.err == nil; from += step {
		to := min(from+step, n)
		for c, col := range cols {
			part[c] = col[from:to]
		}
		w.formatted(w.inline.rows(w.buf, part, to-from, first && from == 0))
	}
	w.flushLate()
}

// writeFactorisedInline is writeInline for factorised rows.
func (w *Writer) writeFactorisedInline(b *vector.Batch, first bool) {
	for part := range b.Runs(w.inlineStep()) {
		if w.err != nil {
			return
		}
		w.formatted(w.inline.factorised(w.buf, part, first))
		first = false
	}
	w.flushLate()
}

// inlineStep is how many rows are formatted at once in the caller's goroutine.
func (w *Writer) inlineStep() int { return max(1, w.shape.chunkCells()/max(1, w.columns)) }

// formatted takes over the buffer with what was formatted in the caller's goroutine, and hands it on where it is a block.
func (w *Writer) formatted(buf []byte) {
	w.buf = buf
	if w.err = w.inline.settle(int64(cap(w.buf))); w.err == nil && len(w.buf) >= blockBytes {
		w.err = w.flush()
	}
}

// flushLate hands on what was formatted where the last was handed on long ago.
func (w *Writer) flushLate() {
	if w.err == nil && (w.flushed.IsZero() || time.Since(w.flushed) > flushAfter) {
		w.err = w.flush()
	}
}

func (w *Writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	err := w.hand(w.buf)
	w.buf, w.flushed = w.buf[:0], time.Now()
	return err
}

// hand gives text to the output, without a permit.
func (w *Writer) hand(text []byte) error {
	w.workers.Leave()
	defer w.workers.Enter()
	_, err := w.out.Write(text)
	return err
}

// Close writes what is left and the end of the answer, and waits for all goroutines. It must be called, once the
// answer has failed too (Abort does not write the end).
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	defer w.parquet.release()
	if err := w.finish(); w.err == nil {
		w.err = err
	}
	w.checkShape()
	if w.err != nil || w.shape == nil {
		return w.err
	}
	w.buf = append(w.buf, w.shape.foot...)
	if w.err = w.flush(); w.err == nil && w.parquet != nil {
		w.err = w.parquet.close()
	}
	w.giveBack()
	return w.err
}

// giveBack returns the buffer to the pool.
func (w *Writer) giveBack() {
	if w.pooled != nil && cap(w.buf) <= 4*blockBytes {
		*w.pooled = w.buf[:0]
		bufferPool.Put(w.pooled)
	}
	w.pooled, w.buf = nil, nil
}

// Abort ends the answer without its end, so that a reader sees that it is not whole, and waits for all goroutines.
func (w *Writer) Abort() {
	if w.closed {
		return
	}
	defer w.parquet.release()
	if err := w.finish(); w.err == nil {
		w.err = err
	}
	if w.err == nil {
		w.err = w.flush()
	}
	w.giveBack()
}

// finish waits for the pipeline, or for the table's last page.
func (w *Writer) finish() error {
	w.closed = true
	w.inline.release()
	switch {
	case w.pipe != nil:
		return w.pipe.close()
	case w.table != nil:
		defer w.table.release()
		return section.Guard(w.table.close)
	}
	return nil
}
