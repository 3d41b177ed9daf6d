package pcsr

import (
	"iter"
	"sync/atomic"
)

// patch is what a Patched partition has: the rows of another one, its ground, and instead of some of them, and beside them, rows that
// were touched.
type patch struct {
	ground *Partition // not Patched itself
	rows   tree[touchedRow]
	filter filter // of the keys of rows
	edges  int
	moved  int           // how many of rows appeared or vanished; where none did, rows have the numbers that they have in the ground
	since  int           // how many edges came and went since there was nothing but the ground
	bytes  int           // of rows and short lists
	held   *atomic.Int64 // counts the bytes of what is made later
	whole  lazy[Partition]
	ends   atomic.Uint64 // the last row vertex<<32 | the first, once they were asked for; 0 before
}

// find returns the entry of v, nil where it is as in the ground.
func (p *patch) find(v Vertex) *touchedRow {
	if !p.filter.has(v) {
		return nil
	}
	return p.rows.get(v)
}

// row is Partition.Row.
func (p *patch) row(v Vertex) (int, bool) {
	if p.moved == 0 {
		return p.ground.Row(v)
	}
	t, before := p.rows.seek(v)
	if t != nil {
		return int(t.at) + int(before), t.degree() > 0
	}
	row, ok := p.ground.Row(v)
	return row + int(before), ok
}

// neighbours is Partition.Neighbours.
func (p *patch) neighbours(v Vertex) []Vertex {
	if p.filter.has(v) {
		if t := p.rows.get(v); t != nil {
			return t.neighbours()
		}
	}
	return p.ground.Neighbours(v)
}

// has is Partition.Has.
func (p *patch) has(v Vertex) bool {
	if p.moved > 0 && p.filter.has(v) {
		if t := p.rows.get(v); t != nil {
			return t.degree() > 0
		}
	}
	_, ok := p.ground.Row(v)
	return ok
}

// spot is where a row is found: in its entry, whose vertex is v, or in the ground.
type spot struct {
	v     Vertex
	entry *touchedRow // nil: in row at of the ground
	at    int
	next  Vertex // the entries from this one on come later
}

// locate finds a row.
func (p *patch) locate(row int) spot {
	v, t, before := p.rows.seekRow(row)
	if t == nil {
		return spot{at: row}
	}
	if row == int(t.at)+int(before) && t.degree() > 0 {
		return spot{v: v, entry: t, at: int(t.at), next: v}
	}
	_, shift := t.rank()
	at := min(row-int(before)-int(shift), p.ground.Rows()-1) // less in a damaged file
	return spot{at: max(at, 0), next: v + 1}
}

// vertex is Partition.Vertex.
func (p *patch) vertex(row int) Vertex {
	if p.moved == 0 {
		return p.ground.Vertex(min(row, p.ground.Rows()-1)) // less in a damaged file
	}
	if found := p.locate(row); found.entry != nil {
		return found.v
	} else {
		return p.ground.Vertex(found.at)
	}
}

// findEnds is Partition.Ends of so many rows, which look for them once.
func (p *patch) findEnds(rows int) (first, last Vertex) {
	ends := p.ends.Load()
	if ends == 0 {
		ends = uint64(p.vertex(rows-1))<<32 | uint64(p.vertex(0))
		p.ends.Store(ends)
	}
	return Vertex(ends), Vertex(ends >> 32)
}

// list is Partition.List.
func (p *patch) list(row int) []Vertex {
	if found := p.locate(row); found.entry != nil {
		return found.entry.neighbours()
	} else {
		return p.ground.List(found.at)
	}
}

// rowDegree is Partition.Degree.
func (p *patch) rowDegree(row int) int {
	if found := p.locate(row); found.entry != nil {
		return found.entry.degree()
	} else {
		return p.ground.Degree(found.at)
	}
}

// rowFrom is Partition.RowFrom.
func (p *patch) rowFrom(v Vertex) int {
	if p.moved == 0 {
		return p.ground.RowFrom(v)
	}
	t, before := p.rows.seek(v)
	if t != nil {
		return int(t.at) + int(before)
	}
	return p.ground.RowFrom(v) + int(before)
}

// mergeRows yields the rows of a ground, and in their place or beside them those that were touched.
func mergeRows[T any](ground iter.Seq2[Vertex, T], rows tree[touchedRow], of func(*touchedRow) T) iter.Seq2[Vertex, T] {
	return func(yield func(Vertex, T) bool) {
		entries := rows.cursor()
		w, t := entries.peek()
		next := func() bool { // yields an entry
			was := t
			v := w
			entries.at++
			w, t = entries.peek()
			return was.degree() == 0 || yield(v, of(was))
		}
		for v, row := range ground {
			for t != nil && w < v {
				if !next() {
					return
				}
			}
			if t != nil && w == v {
				if !next() {
					return
				}
				continue
			}
			if !yield(v, row) {
				return
			}
		}
		for t != nil && next() {
		}
	}
}

// lists is Partition.Lists.
func (p *patch) lists() iter.Seq2[Vertex, []Vertex] {
	return mergeRows(p.ground.Lists(), p.rows, (*touchedRow).neighbours)
}

// degrees is Partition.Degrees.
func (p *patch) degrees() iter.Seq2[Vertex, int] {
	return mergeRows(p.ground.Degrees(), p.rows, (*touchedRow).degree)
}

// rowVertices is Partition.RowVertices.
func (p *patch) rowVertices() iter.Seq[Vertex] {
	if p.moved == 0 {
		return p.ground.RowVertices()
	}
	type nothing struct{}
	ground := func(yield func(Vertex, nothing) bool) {
		for v := range p.ground.RowVertices() {
			if !yield(v, nothing{}) {
				return
			}
		}
	}
	rows := mergeRows(ground, p.rows, func(*touchedRow) nothing { return nothing{} })
	return func(yield func(Vertex) bool) {
		for v := range rows {
			if !yield(v) {
				return
			}
		}
	}
}

// appendVertices is Partition.AppendVertices of rows that there are.
func (p *patch) appendVertices(dst []Vertex, low, high int) []Vertex {
	if p.moved == 0 {
		return p.ground.AppendVertices(dst, low, min(high, p.ground.Rows()))
	}
	start := p.locate(low)
	if p.ground.layer == Bitmap {
		return p.appendBits(dst, start, high-low)
	}
	at, left := start.at, high-low // rows of the ground so far, and rows to come
	p.rows.ascend(start.next, func(v Vertex, t *touchedRow) bool {
		run := int(t.at) - at
		if _, shift := t.rank(); shift == 0 || run >= left {
			return run < left // the vertex stays a row of the ground's, or comes later
		}
		dst = p.ground.AppendVertices(dst, at, at+run)
		at, left = int(t.at)+oneIf(t.inGround()), left-run
		if t.degree() > 0 {
			dst = append(dst, v)
			left--
		}
		return left > 0
	})
	end := p.ground.Rows()
	return p.ground.AppendVertices(dst, min(at, end), min(at+left, end)) // less in a damaged file
}

// appendBits is appendVertices of so many rows over a Bitmap, where a row is quicker found by its vertex than by its number.
func (p *patch) appendBits(dst []Vertex, start spot, left int) []Vertex {
	from := start.v
	if start.entry == nil {
		from = p.ground.Vertex(start.at)
	}
	p.rows.ascend(start.next, func(v Vertex, t *touchedRow) bool {
		if !t.moves() {
			return true
		}
		n := len(dst)
		dst = p.ground.appendBits(dst, from, v, left)
		left -= len(dst) - n
		if left > 0 && t.degree() > 0 {
			dst = append(dst, v)
			left--
		}
		from = v + 1
		return left > 0
	})
	return p.ground.appendBits(dst, from, noVertex, left)
}

// arrays makes a partition of arrays of the rows, once.
func (p *patch) arrays() *Partition {
	if made := p.whole.made.Load(); made != nil {
		return made
	}
	return p.whole.get(func() *Partition {
		flat := p.touched()
		if p.ground.rows > 0 {
			flat = overwrite(p.ground, flat)
		} else {
			flat = newPartition(chooseLayer(flat.vertices), flat.vertices, flat.offsets, flat.neighbours)
		}
		countMemory(p.held, flat, flat.memory())
		return flat
	})
}

// touched are the entries as a partition of arrays; rows that are gone have no neighbours there.
func (p *patch) touched() *Partition {
	n, edges := p.rows.size(), 0
	p.rows.ascend(0, func(_ Vertex, t *touchedRow) bool {
		edges += t.degree()
		return true
	})
	over := &Partition{layer: List, rows: uint32(n), vertices: make([]Vertex, 0, n), offsets: make([]uint32, 1, n+1), neighbours: make([]Vertex, 0, edges)}
	p.rows.ascend(0, func(v Vertex, t *touchedRow) bool {
		over.vertices = append(over.vertices, v)
		over.neighbours = append(over.neighbours, t.neighbours()...)
		over.offsets = append(over.offsets, uint32(len(over.neighbours)))
		return true
	})
	over.base = over.vertices[0]
	return over
}
