package results

import (
	"bytes"
	"io"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// pageRows is how many rows a table looks at to choose its column widths; later pages may widen a column.
const pageRows = 500

// narrowest is the least width a column is cut to.
const narrowest = 8

// tableWriter writes solutions as aligned text, a page at a time.
type tableWriter struct {
	out       io.Writer
	variables []string
	decoder   Decoder
	prefixes  *prefixes
	limit     int

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

func newTableWriter(out io.Writer, variables []string, d Decoder, options Options) *tableWriter {
	return &tableWriter{
		out: out, variables: variables, decoder: d, prefixes: newPrefixes(options.Prefixes), limit: options.Width,
		widths: make([]int, len(variables)), right: make([]bool, len(variables)),
	}
}

func (t *tableWriter) write(cols [][]ID, n int) error {
	for r := range n {
		for _, col := range cols {
			t.add(col[r])
		}
		if t.n++; t.n == pageRows {
			if err := t.page(); err != nil {
				return err
			}
		}
	}
	return nil
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
	}
	t.n, t.text, t.ends, t.size, t.numbers = 0, t.text[:0], t.ends[:0], t.size[:0], t.numbers[:0]
	_, err := t.out.Write(t.buf)
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
		t.buf = append(t.buf, bytes.Repeat([]byte("─"), width)...)
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
	if t.right[c] {
		t.pad(t.widths[c] - size)
	}
	t.buf = append(t.buf, text...)
	if !t.right[c] {
		t.pad(t.widths[c] - size)
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
