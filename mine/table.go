package mine

import "context"

// Table is embeddings: rows of different vertices, all equally long, as a prefix tree (GAMMA, section 5.2). Each column has a vertex
// and the row of the column before that it extends. It belongs to one goroutine.
type Table struct {
	run     *run
	worker  int
	columns []*column
	spare   []*extender // by the number of columns they extend
	work    int
	row     []Vertex
}

// column is the vertices of one position.
type column struct {
	vertices []Vertex
	parents  []uint32
	// codes has the bit i(i-1)/2 + j of a row where its vertices i and j < i are adjacent, and known the bits that were looked at.
	// Rows of more than MaxPattern vertices have none.
	codes []uint32
	known uint32
}

// lookEvery is how many vertices are read between looks at the context.
const lookEvery = 1 << 16

func newTable(r *run, worker int) *Table {
	return &Table{run: r, worker: worker, row: make([]Vertex, maxColumns)}
}

// begin makes the table one column of vertices.
func (t *Table) begin(first, end int) {
	t.columns = t.columns[:0]
	c := t.push()
	t.columns = append(t.columns, c)
	c.clear()
	for v := first; v < end; v++ {
		c.append(Vertex(v), 0, 0)
	}
}

// push is the column behind the last, as it was left.
func (t *Table) push() *column {
	for len(t.spare) <= len(t.columns) {
		t.spare = append(t.spare, &extender{column: &column{}, parent: noParent})
	}
	return t.spare[len(t.columns)].column
}

func (c *column) clear() { c.vertices, c.parents, c.codes = c.vertices[:0], c.parents[:0], c.codes[:0] }

func (c *column) append(v Vertex, parent, code uint32) {
	c.vertices, c.parents, c.codes = append(c.vertices, v), append(c.parents, parent), append(c.codes, code)
}

// Graph is the graph whose vertices the rows are of.
func (t *Table) Graph() *Graph { return t.run.graph }

// Width is the number of vertices of a row.
func (t *Table) Width() int { return len(t.columns) }

// Len is the number of rows.
func (t *Table) Len() int { return len(t.last().vertices) }

func (t *Table) last() *column { return t.columns[len(t.columns)-1] }

// Row is the vertices of a row, in the order in which they were added. It is valid until the next call.
func (t *Table) Row(row int) []Vertex { return t.read(t.row[:len(t.columns)], uint32(row)) }

// read fills a row that ends in the column of its length.
func (t *Table) read(row []Vertex, at uint32) []Vertex {
	for i := len(row) - 1; i >= 0; i-- {
		c := t.columns[i]
		row[i] = c.vertices[at]
		at = c.parents[at]
	}
	return row
}

// Filter keeps the rows that a function wants, and closes the gaps in the last column. The columns before it stay as they are: a
// vertex that no row needs any more is not visited again.
func (t *Table) Filter(keep func(row []Vertex) bool) error {
	c, kept := t.last(), 0
	for row := range c.vertices {
		if keep(t.Row(row)) {
			c.vertices[kept], c.parents[kept], c.codes[kept] = c.vertices[row], c.parents[row], c.codes[row]
			kept++
		}
	}
	c.vertices, c.parents, c.codes = c.vertices[:kept], c.parents[:kept], c.codes[:kept]
	return t.look(len(c.vertices))
}

// look ends the work with its context or with the failure of another worker, and lets other queries have the processor.
func (t *Table) look(work int) error {
	if t.work += work; t.work < lookEvery {
		return nil
	}
	t.work = 0
	if t.run.ctx.Err() != nil {
		return context.Cause(t.run.ctx)
	}
	if t.run.stopped.Load() {
		return errStopped
	}
	t.run.share.Yield()
	return nil
}
