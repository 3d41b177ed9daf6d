package mine

import (
	"errors"
	"fmt"
	"math/bits"
)

// Places are positions of a row, as bits.
type Places uint32

// Positions are the given positions.
func Positions(positions ...int) (p Places) {
	for _, i := range positions {
		p |= 1 << i
	}
	return p
}

// First are the first n positions.
func First(n int) Places { return 1<<n - 1 }

// Extension says by which vertices a row is extended. They are always different from those of the row.
type Extension struct {
	// Adjacent are the positions that the new vertex has an edge to; none: it has one to some vertex of the row.
	Adjacent Places
	// Apart are positions that it has no edge to.
	Apart Places
	// Above and Below are positions whose vertices it is greater, or smaller, than.
	Above, Below Places
	// Once, where Adjacent is empty, keeps of all the orders in which a connected set of vertices could be reached the one that
	// begins with its smallest vertex and goes on, each time, with the smallest that is adjacent to a vertex as far to the left as
	// possible (Arabesque's canonical embeddings). Every connected set is then met once, if all columns are extended so.
	Once bool
}

// Errors that mining may end with, beside those of its context; test with errors.Is.
var (
	ErrExtension = errors.New("mine: an extension names a position that the row does not have, or says the opposite of itself")
	ErrWide      = fmt.Errorf("mine: rows have at most %d vertices", maxColumns)
	errStopped   = errors.New("mine: another worker failed")
)

// check refuses what cannot be.
func (e Extension) check(width int) error {
	switch {
	case width >= maxColumns:
		return ErrWide
	case (e.Adjacent|e.Apart|e.Above|e.Below)&^First(width) != 0, e.Adjacent&e.Apart != 0, e.Above&e.Below != 0, e.Once && e.Adjacent != 0:
		return ErrExtension
	}
	return nil
}

// Extend adds a column: for each row all vertices of the extension. It calls then with the longer rows, as often as there is a
// column full of them, and takes the column away again; then must leave the table as wide as it got it, which Extend and Filter do.
func (t *Table) Extend(e Extension, then func(*Table) error) error {
	if err := e.check(len(t.columns)); err != nil {
		return err
	}
	c := t.push()
	c.known = known(e, len(t.columns))
	most := t.run.options.rows(t.run.share.Limit())
	flush := func() error {
		t.columns = append(t.columns, c)
		err := then(t)
		t.columns = t.columns[:len(t.columns)-1]
		c.clear()
		return err
	}
	c.clear()
	err := t.each(e, func(x *extender, row int) error {
		for i := 0; i < len(x.found); {
			end := min(len(x.found), i+most-len(c.vertices))
			x.take(c, row, i, end, len(t.columns))
			if i = end; len(c.vertices) == most {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil && len(c.vertices) > 0 {
		err = flush()
	}
	return err
}

// Count is how many rows Extend would make, without making them.
func (t *Table) Count(e Extension) (n uint64, err error) {
	if err := e.check(len(t.columns)); err != nil {
		return 0, err
	}
	t.push()
	err = t.each(e, func(x *extender, _ int) error {
		n += uint64(len(x.found))
		return nil
	})
	return n, err
}

// each finds the vertices that extend each row.
func (t *Table) each(e Extension, found func(*extender, int) error) error {
	x := t.spare[len(t.columns)]
	x.begin(t, e)
	for row := range t.last().vertices {
		x.extend(uint32(row))
		if err := found(x, row); err != nil {
			return err
		}
		if err := t.look(x.read + 1); err != nil {
			return err
		}
	}
	return nil
}

// known are the bits of a code that an extension tells.
func known(e Extension, width int) uint32 {
	switch {
	case width >= MaxPattern:
		return 0
	case e.Adjacent == 0:
		return uint32(First(width))
	}
	return uint32(e.Adjacent | e.Apart)
}

// extender finds the vertices that extend the rows of a table of a given width.
type extender struct {
	column *column
	table  *Table
	Extension
	row    []Vertex
	parent uint32 // whose prefix the shared lists are of
	read   int    // vertices that the last row made it read, about

	shared, found, spare []Vertex
	sharedMasks, masks   []Places // where Adjacent is empty: what each vertex is adjacent to
	low, high            uint64   // bounds of the prefix
	firsts               [maxColumns]Vertex
}

const noParent = 1<<32 - 1

func (x *extender) begin(t *Table, e Extension) {
	x.table, x.Extension, x.parent = t, e, noParent
	x.row = append(x.row[:0], make([]Vertex, len(t.columns))...)
}

// take appends found vertices to a column.
func (x *extender) take(c *column, row, first, end, width int) {
	if width >= MaxPattern {
		for _, v := range x.found[first:end] {
			c.append(v, uint32(row), 0)
		}
		return
	}
	code, shift := x.table.last().codes[row], width*(width-1)/2
	for i := first; i < end; i++ {
		mask := x.Adjacent
		if mask == 0 {
			mask = x.masks[i]
		}
		c.append(x.found[i], uint32(row), code|uint32(mask)<<shift)
	}
}

// extend finds what extends a row: found and, where Adjacent is empty, masks.
func (x *extender) extend(row uint32) {
	t, last := x.table, len(x.row)-1
	if parent := t.last().parents[row]; last == 0 || parent != x.parent {
		t.read(x.row, row)
		x.parent = parent
		x.share()
	}
	x.row[last] = t.last().vertices[row]
	if x.Adjacent == 0 {
		x.unite()
	} else {
		x.meet()
	}
}

// bounds are the numbers that a new vertex lies between: low included, high not.
func (x *extender) bounds(places Places, low, high uint64) (uint64, uint64) {
	for p := places & (x.Above | x.Below); p != 0; p &= p - 1 {
		i := bits.TrailingZeros32(uint32(p))
		if v := uint64(x.row[i]); x.Above>>i&1 != 0 {
			low = max(low, v+1)
		} else {
			high = min(high, v)
		}
	}
	return low, high
}

// share works out what all rows of one prefix have in common.
func (x *extender) share() {
	last := len(x.row) - 1
	prefix := First(last)
	x.low, x.high = x.bounds(prefix, 0, unbounded)
	x.shared, x.sharedMasks = x.shared[:0], x.sharedMasks[:0]
	if x.Adjacent == 0 {
		for i := range last {
			x.shared, x.sharedMasks = x.merge(i)
		}
		return
	}
	if x.Adjacent&prefix != 0 {
		x.shared = x.commons(x.Adjacent&prefix, x.low, x.high)
	}
}

// commons are the vertices adjacent to all of some positions, within bounds, in memory of the extender.
func (x *extender) commons(places Places, low, high uint64) []Vertex {
	i := bits.TrailingZeros32(uint32(places))
	list := append(x.shared[:0], within(x.table.Graph().Neighbours(x.row[i]), low, high)...)
	for places &= places - 1; places != 0; places &= places - 1 {
		i = bits.TrailingZeros32(uint32(places))
		x.spare = intersect(x.spare[:0], list, x.table.Graph().Neighbours(x.row[i]))
		list, x.spare = x.spare, list
	}
	return list
}

// meet finds what is adjacent to all that it must be, and apart from the rest.
func (x *extender) meet() {
	g, last := x.table.Graph(), len(x.row)-1
	low, high := x.bounds(1<<last, x.low, x.high)
	neighbours := g.Neighbours(x.row[last])
	shared := within(x.shared, low, high)
	switch own := x.Adjacent>>last&1 != 0; {
	case own && x.Adjacent == 1<<last:
		x.found = append(x.found[:0], within(neighbours, low, high)...)
	case own:
		x.found = intersect(x.found[:0], shared, within(neighbours, low, high))
	default:
		x.found = append(x.found[:0], shared...)
	}
	x.read = len(x.found) + min(len(shared), len(neighbours))
	for p := x.Apart; p != 0 && len(x.found) > 0; p &= p - 1 {
		x.found = subtract(x.found, g.Neighbours(x.row[bits.TrailingZeros32(uint32(p))]))
	}
	for p := First(last+1) &^ (x.Adjacent | x.Above | x.Below); p != 0 && len(x.found) > 0; p &= p - 1 {
		x.found = subtract(x.found, x.row[bits.TrailingZeros32(uint32(p)):][:1])
	}
}
