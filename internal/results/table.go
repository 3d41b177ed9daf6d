package results

import (
	"bytes"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// A table looks at a page to choose its columns' widths; later pages may widen a column. A page ends after so many rows, or after
// the row with which its text is so long.
const (
	pageRows = 500
	pageText = 1 << 20
)

// Columns are cut to narrowest at least, and filled up to mostFilled at most: one long term must not make every row as long.
const (
	narrowest  = 8
	mostFilled = 500
)

// tableWriter writes solutions as aligned text, a page at a time.
type tableWriter struct {
	hand      func(text []byte) error // gives text to the output
	variables []string
	decoder   Decoder
	prefixes  *prefixes
	limit     int
	charge    func(bytes int64) error
	charged   int64
	settled   int // of the text

	widths []int
	right  []bool
	n      int
	headed bool
	// text holds the page's cells one after the other, row by row; ends and size are each cell's end and width.
	text    []byte
	ends    []int
	size    []int
	numbers []bool
	buf     []byte
	nt      []byte
	scratch []byte
}

func newTableWriter(w *Writer, variables []string, options Options) *tableWriter {
	return &tableWriter{
		hand: w.hand, variables: variables, decoder: w.decode, prefixes: newPrefixes(options.Prefixes), limit: options.Width, charge: w.charge,
		widths: make([]int, len(variables)), right: make([]bool, len(variables)),
	}
}

func (t *tableWriter) write(cols [][]ID, n int) error {
	for r := range n {
		for _, col := range cols {
			if t.add(col[r]); len(t.text) >= t.settled+pageText { // within a row, too: it may be of many columns
				if err := t.settle(); err != nil {
					return err
				}
			}
		}
		if t.n++; t.n == pageRows || len(t.text) >= pageText {
			if err := t.page(); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFactorised writes the solutions of factorised rows.
func (t *tableWriter) writeFactorised(b *vector.Batch) error {
	var rows vector.Batch
	for part := range b.Runs(pageRows) {
		part.Enumerate(&rows)
		if err := t.write(rows.Cols, rows.N); err != nil {
			return err
		}
	}
	return nil
}

// settle counts what the table holds, and says why it must end.
func (t *tableWriter) settle() error {
	const cell = 8 + 8 + 1 // of ends, size and numbers
	t.settled = len(t.text)
	held := int64(cap(t.text) + cap(t.nt) + cap(t.scratch) + cap(t.buf) + cap(t.ends)*cell)
	change := held - t.charged
	t.charged = held
	return t.charge(change)
}

// add appends one cell to the page.
func (t *tableWriter) add(id ID) {
	start, number := len(t.text), false
	if id != dictionary.None {
		t.nt = t.decoder.AppendNTriples(t.nt[:0], id)
		var c cell
		c, t.scratch = parse(t.nt, t.scratch)
		if number = c.datatype != nil && numberShape(c.value) != ""; number {
			t.text = append(t.text, c.value...)
		} else {
			t.text = t.prefixes.encode(t.text, c)
		}
	}
	t.ends = append(t.ends, len(t.text))
	t.size = append(t.size, displayWidth(t.text[start:]))
	t.numbers = append(t.numbers, number || id == dictionary.None)
}

// page writes the rows collected so far.
func (t *tableWriter) page() error {
	if err := t.settle(); err != nil {
		return err
	}
	if !t.headed {
		for c, v := range t.variables {
			t.widths[c] = displayWidth([]byte(v))
			t.right[c] = t.n > 0
		}
	}
	columns := len(t.variables)
	for i, size := range t.size {
		c := i % columns
		t.widths[c] = max(t.widths[c], size)
		t.right[c] = t.right[c] && t.numbers[i]
	}
	fitWidths(t.widths, t.limit)
	t.buf = t.buf[:0]
	if !t.headed {
		t.head()
	}
	start := 0
	for r := range t.n {
		for c := range columns {
			i := r*columns + c
			t.cell(c, t.text[start:t.ends[i]], t.size[i])
			start = t.ends[i]
		}
		t.endLine()
		if len(t.buf) >= blockBytes {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	t.n, t.text, t.ends, t.size, t.numbers, t.settled = 0, t.text[:0], t.ends[:0], t.size[:0], t.numbers[:0], 0
	return t.flush()
}

// flush hands on the lines that are ready.
func (t *tableWriter) flush() error {
	err := t.hand(t.buf)
	t.buf = t.buf[:0]
	return err
}

func (t *tableWriter) head() {
	t.headed = true
	for c, v := range t.variables {
		t.cell(c, []byte(v), displayWidth([]byte(v)))
	}
	t.endLine()
	for c, width := range t.widths {
		if c > 0 {
			t.buf = append(t.buf, ' ', ' ')
		}
		t.buf = append(t.buf, bytes.Repeat([]byte("─"), min(width, mostFilled))...)
	}
	t.buf = append(t.buf, '\n')
}

// cell appends one cell, padded or cut to its column's width.
func (t *tableWriter) cell(c int, text []byte, size int) {
	if c > 0 {
		t.buf = append(t.buf, ' ', ' ')
	}
	if size > t.widths[c] {
		text, size = cutText(text, t.widths[c])
	}
	fill := min(t.widths[c], mostFilled) - size
	if t.right[c] {
		t.pad(fill)
	}
	t.buf = append(t.buf, text...)
	if !t.right[c] {
		t.pad(fill)
	}
}

func (t *tableWriter) pad(n int) {
	for range n {
		t.buf = append(t.buf, ' ')
	}
}

// endLine ends a line without trailing spaces.
func (t *tableWriter) endLine() {
	t.buf = append(bytes.TrimRight(t.buf, " "), '\n')
}

// close writes the last page, and the head when there was no row.
func (t *tableWriter) close() error {
	if t.n == 0 && t.headed {
		return nil
	}
	return t.page()
}

// release gives back what the table holds.
func (t *tableWriter) release() {
	_ = t.charge(-t.charged)
	t.charged, t.text, t.buf, t.nt, t.scratch = 0, nil, nil, nil, nil
}

// fitWidths narrows the widest columns until the table fits limit columns of a terminal; 0 means no limit.
func fitWidths(widths []int, limit int) {
	if limit <= 0 || len(widths) == 0 {
		return
	}
	for {
		total, widest, second := 2*(len(widths)-1), 0, 0
		for c, w := range widths {
			total += w
			if w > widths[widest] {
				widest = c
			}
		}
		over := total - limit
		if over <= 0 || widths[widest] <= narrowest {
			return
		}
		for c, w := range widths {
			if c != widest {
				second = max(second, w)
			}
		}
		cut := max(1, min(over, widths[widest]-second))
		widths[widest] = max(narrowest, widths[widest]-cut)
	}
}
