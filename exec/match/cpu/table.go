package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// table is a batch of partial matches: cols[slot] has n rows for each slot that the table's level keeps.
type table struct {
	cols [][]dictionary.ID
	n    int
	room int // rows the columns in use have memory for
}

// shape readies the table for the given width; its columns keep their memory.
func (t *table) shape(width int) {
	t.n, t.room = 0, 0
	if cap(t.cols) < width {
		t.cols = append(t.cols[:cap(t.cols)], make([][]dictionary.ID, width-cap(t.cols))...)
	}
	t.cols = t.cols[:width]
}

// reserve makes room for n more rows in the given columns and in column slot (none when negative).
func (t *table) reserve(n int, columns []int, slot int) {
	if t.n+n <= t.room {
		return
	}
	t.room = max(t.n+n, min(2*t.room, 4096), 64)
	for _, c := range columns {
		t.cols[c] = enlarge(t.cols[c], t.room)
	}
	if slot >= 0 {
		t.cols[slot] = enlarge(t.cols[slot], t.room)
	}
}

func enlarge(col []dictionary.ID, n int) []dictionary.ID {
	if cap(col) >= n {
		return col[:n]
	}
	return append(slices.Clip(col), make([]dictionary.ID, n-len(col))...)
}

// fill writes v to n rows from row on.
func fill(col []dictionary.ID, row, n int, v dictionary.ID) {
	for i := range col[row : row+n] {
		col[row+i] = v
	}
}

// part returns a copy of rows low … high-1 of the given columns.
func (t *table) part(columns []int, low, high int) *table {
	out := &table{cols: make([][]dictionary.ID, len(t.cols)), n: high - low, room: high - low}
	for _, c := range columns {
		out.cols[c] = slices.Clone(t.cols[c][low:high])
	}
	return out
}
