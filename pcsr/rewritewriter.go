package pcsr

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// write makes the partition, and returns how many bytes were made; nil where chunks trusted wrong edges.
func (r *rewrite) write(appeared, vanished []Vertex) (made *Partition, bytes int64) {
	rows, edges := r.place()
	made = &Partition{rows: uint32(rows), neighbours: machine.Uncleared[Vertex](edges)}
	if edges != rows {
		made.offsets = machine.Uncleared[uint32](rows + 1)
		made.offsets[rows] = uint32(edges)
	}
	same := len(appeared)+len(vanished) == 0
	if !same && rows > 0 {
		r.lay(made, appeared, vanished)
	}
	marks := made.index != nil
	var wrong atomic.Bool
	machine.Parallel(len(r.chunks)+oneIf(marks), func(i int) {
		if i == len(r.chunks) {
			made.exchange(r.from, appeared, vanished)
		} else if c := &r.chunks[i]; !c.write(r.from, made) {
			c.trusting, c.found = false, false
			wrong.Store(true)
		} else if r.touched != nil {
			r.touched.addRows(c.came)
		}
	})
	switch p := r.from; {
	case wrong.Load():
		return nil, 0
	case same:
		bytes = made.memory()
		made.layer, made.base, made.probes, made.index, made.vertices = p.layer, p.base, p.probes, p.index, p.vertices
		return made, bytes
	case made.vertices != nil:
		made.index, made.probes = buildLayer(made.layer, made.vertices)
		if made.layer == Bitmap {
			made.vertices = nil
		}
	}
	return made, made.memory()
}

// lay chooses the row layer for rows of which some appeared and others vanished. A Bitmap that begins where the old partition does has an index
// to be filled from that; others but a Range have their vertices noted.
func (r *rewrite) lay(made *Partition, appeared, vanished []Vertex) {
	first, last := r.span(appeared, vanished)
	made.base, made.layer = first, layerOf(int(made.rows), first, last)
	switch {
	case made.layer == Range:
	case made.layer == Bitmap && r.from.rows > 0 && first <= r.from.base:
		made.index = make([]uint32, bitmapWords(uint64(last-first)+1))
	default:
		made.vertices = make([]Vertex, made.rows)
	}
}

// span returns the first and the last row vertex, of which there are some.
func (r *rewrite) span(appeared, vanished []Vertex) (first, last Vertex) {
	p, low, high := r.from, 0, r.from.Rows()-1
	for gone := vanished; low <= high && len(gone) > 0 && p.Vertex(low) == gone[0]; gone = gone[1:] {
		low++
	}
	for gone := vanished; low <= high && len(gone) > 0 && p.Vertex(high) == gone[len(gone)-1]; gone = gone[:len(gone)-1] {
		high--
	}
	first = noVertex
	if low <= high {
		first, last = p.Vertex(low), p.Vertex(high)
	}
	if n := len(appeared); n > 0 {
		first, last = min(first, appeared[0]), max(last, appeared[n-1])
	}
	return first, last
}

// exchange fills a Bitmap with the rows of another partition, those that appeared, and without those that vanished.
func (u *Partition) exchange(p *Partition, appeared, vanished []Vertex) {
	u.mark(p)
	for _, v := range appeared {
		u.markWord(uint64(v-u.base)/32, 1<<((v-u.base)%32))
	}
	for _, v := range vanished {
		u.unmark(v)
	}
	countBlocks(u.index)
}

// place says where the rows and edges of the chunks begin, and returns how many there are.
func (r *rewrite) place() (rows, edges int) {
	for i := range r.chunks {
		c := &r.chunks[i]
		c.row, rows = rows, rows+c.hasRows
		c.edge, edges = edges, edges+c.hasEdges
	}
	if edges >= math.MaxUint32 {
		panic(&section.Damage{Err: fmt.Errorf("pcsr: a label has %d edges, more than a partition can have", edges)})
	}
	return rows, edges
}

// write writes the chunk's rows; false where keys were trusted that are wrong.
func (c *rewriteChunk) write(p, made *Partition) (right bool) {
	w := &spliceWriter{union: made, row: c.row, edge: c.edge}
	row, came, went, cameAt, wentAt := c.low, c.came, c.went, c.cameAt, c.wentAt
	for i := range c.rows {
		r := &c.rows[i]
		at := int(r.at)
		w.stretch(p, row, at)
		row = at
		var list []Vertex
		if r.has {
			list, row = p.list(at), at+1
		}
		if c.trusting {
			if !w.merged(r.v, list, came[:r.came], went[:r.went]) {
				return false
			}
			came, went = came[r.came:], went[r.went:]
			continue
		}
		w.edited(r.v, list, came[:r.came], cameAt[:r.came], wentAt[:r.went])
		came, cameAt, wentAt = came[r.came:], cameAt[r.came:], wentAt[r.went:]
	}
	w.stretch(p, row, c.high)
	return true
}

// merged takes a row with what comes and without what goes; false where one of these is there, one of those is not, or one does both.
func (w *spliceWriter) merged(v Vertex, list []Vertex, came, went []uint64) (right bool) {
	degree := len(list) + len(came) - len(went)
	if degree > 0 {
		w.begin(v)
	}
	dst := w.union.neighbours[w.edge:][:degree]
	w.edge += degree
	for len(came)+len(went) > 0 {
		comes := len(went) == 0 || len(came) > 0 && came[0] < went[0]
		var next Vertex
		switch {
		case comes:
			next, came = Vertex(came[0]), came[1:]
		case len(came) > 0 && came[0] == went[0]:
			return false
		default:
			next, went = Vertex(went[0]), went[1:]
		}
		var n int
		if dst, n = moveBelow(dst, list, next); n > len(list) {
			return false
		}
		list = list[n:]
		switch there := len(list) > 0 && list[0] == next; {
		case there == comes, comes && len(dst) == 0:
			return false
		case comes:
			dst[0], dst = next, dst[1:]
		default:
			list = list[1:]
		}
	}
	return copy(dst, list) == len(list)
}

// moveBelow copies what of an ascending list lies below v, how much it is, and returns what of dst is behind that; a number above all where there is no room.
func moveBelow(dst, list []Vertex, v Vertex) (rest []Vertex, n int) {
	if len(list) > shortRow {
		if n = Gallop(list, v); n > len(dst) {
			return dst, math.MaxInt
		}
		return dst[copy(dst, list[:n]):], n
	}
	for n < len(list) && list[n] < v {
		if n == len(dst) {
			return dst, math.MaxInt
		}
		dst[n] = list[n]
		n++
	}
	return dst[n:], n
}

// edited takes a row with what came before places of its old list, and without what was at others.
func (w *spliceWriter) edited(v Vertex, list []Vertex, came []uint64, cameAt, wentAt []uint32) {
	degree := len(list) + len(came) - len(wentAt)
	if degree == 0 {
		return
	}
	w.begin(v)
	dst, from := w.union.neighbours[w.edge:][:degree], uint32(0)
	w.edge += degree
	for len(came)+len(wentAt) > 0 {
		if len(wentAt) == 0 || len(came) > 0 && cameAt[0] <= wentAt[0] {
			n := copy(dst, list[from:cameAt[0]])
			dst[n] = Vertex(came[0])
			dst, from, came, cameAt = dst[n+1:], cameAt[0], came[1:], cameAt[1:]
			continue
		}
		n := copy(dst, list[from:wentAt[0]])
		dst, from, wentAt = dst[n:], wentAt[0]+1, wentAt[1:]
	}
	copy(dst, list[from:])
}
