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
	filter *filter // of the keys of rows
	edges  int
	since  int           // how many edges came and went since there was nothing but the ground
	bytes  int           // of rows and short lists
	held   *atomic.Int64 // counts the bytes of what is made later
	whole  lazy[Partition]
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
	t, before := p.rows.seek(v)
	if t != nil {
		return int(t.at) + int(before), t.degree() > 0
	}
	row, ok := p.ground.Row(v)
	return row + int(before), ok
}

// has reports whether v has a row.
func (p *patch) has(v Vertex) bool {
	if t := p.find(v); t != nil {
		return t.degree() > 0
	}
	_, ok := p.ground.Row(v)
	return ok
}

// neighbours is Partition.Neighbours.
func (p *patch) neighbours(v Vertex) []Vertex {
	if t := p.find(v); t != nil {
		return t.neighbours()
	}
	return p.ground.Neighbours(v)
}

// degree is the number of neighbours of v.
func (p *patch) degree(v Vertex) int {
	if t := p.find(v); t != nil {
		return t.degree()
	}
	return p.ground.degreeOf(v)
}

// contains reports whether w is a neighbour of v.
func (p *patch) contains(v, w Vertex) bool {
	if t := p.find(v); t != nil {
		return t.contains(w)
	}
	return Contains(p.ground.Neighbours(v), w)
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
	if found := p.locate(row); found.entry != nil {
		return found.v
	} else {
		return p.ground.Vertex(found.at)
	}
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
	t, before := p.rows.seek(v)
	if t != nil {
		return int(t.at) + int(before)
	}
	return p.ground.RowFrom(v) + int(before)
}

// walk visits n rows from one on, which there are, in their order: a stretch of rows from … to-1 of the ground, or an entry and its
// vertex.
func (p *patch) walk(row, n int, stretch func(from, to int) bool, touched func(v Vertex, t *touchedRow) bool) {
	if n <= 0 {
		return
	}
	start := p.locate(row)
	at := start.at
	going := p.rows.ascend(start.next, func(v Vertex, t *touchedRow) bool {
		if run := min(int(t.at)-at, n); run > 0 {
			if !stretch(at, at+run) {
				return false
			}
			at, n = at+run, n-run
		}
		if n == 0 {
			return false
		}
		at += oneIf(t.inGround())
		if t.degree() > 0 {
			n--
			return touched(v, t) && n > 0
		}
		return true
	})
	if rows := p.ground.Rows(); going {
		stretch(min(at, rows), min(at+n, rows)) // less in a damaged file
	}
}

// walkRows is how many row vertices of the ground are listed at a time.
const walkRows = 256

// lists is Partition.Lists.
func (p *patch) lists(rows int) iter.Seq2[Vertex, []Vertex] {
	return func(yield func(Vertex, []Vertex) bool) {
		var vertices []Vertex
		p.walk(0, rows, func(from, to int) bool {
			for ; from < to; from += walkRows {
				vertices = p.ground.AppendVertices(vertices[:0], from, min(from+walkRows, to))
				for i, v := range vertices {
					if !yield(v, p.ground.List(from+i)) {
						return false
					}
				}
			}
			return true
		}, func(v Vertex, t *touchedRow) bool {
			return yield(v, t.neighbours())
		})
	}
}

// rowVertices is Partition.RowVertices.
func (p *patch) rowVertices(rows int) iter.Seq[Vertex] {
	return func(yield func(Vertex) bool) {
		var vertices []Vertex
		p.walk(0, rows, func(from, to int) bool {
			for ; from < to; from += walkRows {
				vertices = p.ground.AppendVertices(vertices[:0], from, min(from+walkRows, to))
				for _, v := range vertices {
					if !yield(v) {
						return false
					}
				}
			}
			return true
		}, func(v Vertex, _ *touchedRow) bool {
			return yield(v)
		})
	}
}

// appendVertices is Partition.AppendVertices.
func (p *patch) appendVertices(dst []Vertex, low, high int) []Vertex {
	p.walk(low, high-low, func(from, to int) bool {
		dst = p.ground.AppendVertices(dst, from, to)
		return true
	}, func(v Vertex, _ *touchedRow) bool {
		dst = append(dst, v)
		return true
	})
	return dst
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
