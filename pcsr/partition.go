package pcsr

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Partition holds the lists N(v, l) of one edge label in one direction. Its rows are the vertices with at least one
// such edge, in ascending order; each row has a list of neighbours, ascending and without repeats.
//
// The methods that look up or list allocate nothing; a loop calls them on one *Partition without further indirection.
type Partition struct {
	layer  Layer
	base   Vertex // smallest row vertex
	rows   uint32
	probes uint32 // Hash, Group: how many buckets a lookup reads at most
	patch  *patch // Patched: what it is made of, in place of the arrays

	index      []uint32 // what layer needs; see docs/STORE.md
	vertices   []Vertex // row → vertex; nil where the layer tells (Range, Bitmap)
	offsets    []uint32 // rows+1 positions in neighbours; nil where every row has exactly one neighbour
	neighbours []Vertex

	file *section.File // what the arrays lie in, to be checked; nil in memory
}

// Arrays are the parts of a partition as they lie in memory and in the file: aligned, little-endian 32-bit words.
type Arrays struct {
	Layer Layer
	// Base is the smallest row vertex; Bitmap, Direct and Range count from it.
	Base Vertex
	// Rows is the number of rows; Edges is len(Neighbours).
	Rows, Edges uint32
	// Probes is how many buckets (Hash) or groups (Group) a lookup reads at most.
	Probes uint32
	// Index is the row layer: blocks, buckets, groups or row numbers; empty for Range and List.
	Index []uint32
	// Vertices are the row vertices in order; nil for Range and Bitmap.
	Vertices []Vertex
	// Offsets has Rows+1 entries: row r's list is Neighbours[Offsets[r]:Offsets[r+1]]. It is nil where every row has
	// exactly one neighbour: row r's list is then Neighbours[r:r+1].
	Offsets []uint32
	// Neighbours are the lists of all rows, one after the other.
	Neighbours []Vertex
}

// Arrays returns the partition's memory, all of it checked, to be copied elsewhere as it is and never written. Those of a Patched
// partition are made the first time, in the time of copying it, and have another row layer.
func (p *Partition) Arrays() Arrays {
	p = p.flat()
	if p.file.Unchecked() {
		p.check()
	}
	return Arrays{
		Layer: p.layer, Base: p.base, Rows: p.rows, Edges: uint32(len(p.neighbours)), Probes: p.probes,
		Index: p.index, Vertices: p.vertices, Offsets: p.offsets, Neighbours: p.neighbours,
	}
}

// flat is the partition as arrays.
func (p *Partition) flat() *Partition {
	if p.layer == Patched {
		return p.patch.arrays()
	}
	return p
}

// Bytes is the size of all arrays; of a Patched partition, of what was touched, about.
func (p *Partition) Bytes() int {
	if p.layer == Patched {
		return p.patch.bytes
	}
	return 4 * (len(p.index) + len(p.vertices) + len(p.offsets) + len(p.neighbours))
}

// Layer says how rows are found.
func (p *Partition) Layer() Layer { return p.layer }

// Rows is the number of vertices with an edge here.
func (p *Partition) Rows() int { return int(p.rows) }

// Edges is the number of edges.
func (p *Partition) Edges() int {
	if p.layer == Patched {
		return p.patch.edges
	}
	return len(p.neighbours)
}

// Row returns the row of v and whether it has one. v may be any number.
func (p *Partition) Row(v Vertex) (int, bool) {
	if p.layer == Range {
		return int(v - p.base), v-p.base < p.rows
	}
	return p.find(v)
}

// Vertex returns the vertex of a row, 0 ≤ row < Rows(). Bitmap layers and Patched ones search for it: use
// RowVertices or AppendVertices for many.
func (p *Partition) Vertex(row int) Vertex {
	switch {
	case p.layer == Range:
		return p.base + uint32(row)
	case p.layer == Bitmap:
		return p.selectBitmap(uint32(row))
	case p.layer == Patched:
		return p.patch.vertex(row)
	}
	if p.file.Unchecked() {
		section.Check(p.file, p.vertices[row:row+1])
	}
	return p.vertices[row]
}

// Ends returns the vertices of the first row and of the last, of which there must be one.
func (p *Partition) Ends() (first, last Vertex) {
	if p.layer == Patched {
		return p.patch.findEnds(int(p.rows))
	}
	return p.Vertex(0), p.Vertex(int(p.rows) - 1)
}

// List returns the neighbours of a row, 0 ≤ row < Rows().
func (p *Partition) List(row int) []Vertex {
	if p.layer == Patched {
		return p.patch.list(row)
	}
	if p.file.Unchecked() {
		p.checkList(row)
	}
	return p.list(row)
}

// list is List of what has been checked.
func (p *Partition) list(row int) []Vertex {
	if p.offsets == nil {
		return p.neighbours[row : row+1 : row+1]
	}
	low, high := p.offsets[row], p.offsets[row+1]
	if low > high || uint64(high) > uint64(len(p.neighbours)) {
		return nil // the file was written so; Verify says so
	}
	return p.neighbours[low:high:high]
}

// Degree is len(List(row)).
func (p *Partition) Degree(row int) int {
	if p.offsets == nil {
		if p.layer == Patched {
			return p.patch.rowDegree(row)
		}
		return 1
	}
	if p.file.Unchecked() {
		p.checkOffsets(row)
	}
	return len(p.list(row))
}

// EdgesOf is how many edges rows low … high-1 have; of a Patched partition about as many.
func (p *Partition) EdgesOf(low, high int) int {
	switch {
	case low >= high:
		return 0
	case p.layer == Patched:
		return int(float64(p.Edges()) * float64(high-low) / float64(p.Rows()))
	case p.offsets == nil:
		return high - low
	}
	if p.file.Unchecked() {
		p.checkOffsets(low)
		p.checkOffsets(high - 1)
	}
	return max(0, int(p.offsets[high])-int(p.offsets[low]))
}

// Within is how many rows have a vertex of low … high-1, and how many edges these have; false of a Patched partition, which would have to be read.
func (p *Partition) Within(low, high Vertex) (rows int, edges uint64, ok bool) {
	if p.layer == Patched {
		return 0, 0, false
	}
	first, end := p.RowFrom(low), p.RowFrom(high)
	return max(0, end-first), uint64(p.EdgesOf(first, end)), true
}

// Single reports that every row has exactly one neighbour: List(row) is Arrays().Neighbours[row].
func (p *Partition) Single() bool { return p.offsets == nil && p.Edges() == int(p.rows) }

// Neighbours returns N(v, l), ascending and without repeats; nil when v has no edge here.
func (p *Partition) Neighbours(v Vertex) []Vertex {
	row, ok := int(v-p.base), v-p.base < p.rows
	if p.layer != Range {
		if p.layer == Patched {
			return p.patch.neighbours(v)
		}
		row, ok = p.find(v)
	}
	if !ok {
		return nil
	}
	if p.file.Unchecked() {
		p.checkList(row)
	}
	return p.list(row)
}

// Has reports whether v has a row: Row without its number, which a Patched partition has to look for.
func (p *Partition) Has(v Vertex) bool {
	if p.layer == Patched {
		return p.patch.has(v)
	}
	_, ok := p.Row(v)
	return ok
}

// degreeOf is len(Neighbours(v)), and makes no list.
func (p *Partition) degreeOf(v Vertex) int {
	if p.layer == Patched {
		if t := p.patch.find(v); t != nil {
			return t.degree()
		}
		p = p.patch.ground
	}
	row, ok := p.Row(v)
	if !ok {
		return 0
	}
	return p.Degree(row)
}

// contains reports whether w is a neighbour of v, and makes no list.
func (p *Partition) contains(v, w Vertex) bool {
	if p.layer == Patched {
		if t := p.patch.find(v); t != nil {
			return t.contains(w)
		}
		p = p.patch.ground
	}
	return Contains(p.Neighbours(v), w)
}

// RowVertices yields the row vertices, ascending.
func (p *Partition) RowVertices() iter.Seq[Vertex] {
	if p.layer == Patched {
		return p.patch.rowVertices()
	}
	return func(yield func(Vertex) bool) {
		switch p.layer {
		case Range:
			for i := range p.rows {
				if !yield(p.base + i) {
					return
				}
			}
		case Bitmap:
			left := p.rows // the index may have been written with more bits
			p.scanWords(0, func(start Vertex, word uint32) bool {
				for ; word != 0; word &= word - 1 {
					left--
					if !yield(start+uint32(bits.TrailingZeros32(word))) || left == 0 {
						return false
					}
				}
				return true
			})
		default:
			section.Check(p.file, p.vertices)
			for _, v := range p.vertices {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// AppendVertices appends the vertices of rows low … high-1, ascending.
func (p *Partition) AppendVertices(dst []Vertex, low, high int) []Vertex {
	switch {
	case low >= high:
		return dst
	case p.layer == Patched:
		return p.patch.appendVertices(dst, low, high)
	case p.layer == Range:
		for row := low; row < high; row++ {
			dst = append(dst, p.base+uint32(row))
		}
		return dst
	case p.layer != Bitmap:
		section.Check(p.file, p.vertices[low:high])
		return append(dst, p.vertices[low:high]...)
	}
	return p.appendBits(dst, p.selectBitmap(uint32(low)), noVertex, high-low)
}

// appendBits appends the row vertices of a Bitmap that lie from one vertex on and before another, so many at most.
func (p *Partition) appendBits(dst []Vertex, from, to Vertex, most int) []Vertex {
	if most <= 0 || from >= to {
		return dst
	}
	from = max(from, p.base)
	n, last := len(dst), int(p.rows)
	if to != noVertex {
		last = p.RowFrom(to)
	}
	left := min(most, max(0, last-p.rankBitmap(from-p.base)))
	dst = slices.Grow(dst, left)[:n+left]
	rest := dst[n:]
	p.scanWords(from-p.base, func(start Vertex, word uint32) bool {
		into := rest[:min(bits.OnesCount32(word), len(rest))]
		for i := range into {
			into[i] = start + uint32(bits.TrailingZeros32(word))
			word &= word - 1
		}
		rest = rest[len(into):]
		return len(rest) > 0
	})
	return dst[:len(dst)-len(rest)]
}

// scanWords yields the words of a Bitmap, the bits of 32 vertices each, from that with base+from on, and the first of the 32; bits before from are left out.
func (p *Partition) scanWords(from uint32, yield func(start Vertex, word uint32) bool) {
	mask := uint32(0xFFFFFFFF) << (from % blockBits % 32)
	skip := from % blockBits / 32
	for b := uint64(from / blockBits); (b+1)*blockWords <= uint64(len(p.index)); b++ {
		if p.file.Unchecked() {
			p.checkIndex(b*blockWords, blockWords)
		}
		block := (*[blockWords]uint32)(p.index[b*blockWords:])
		for i := skip; i < blockWords-1; i++ {
			if !yield(p.base+uint32(b)*blockBits+i*32, block[(1+i)&7]&mask) {
				return
			}
			mask = 0xFFFFFFFF
		}
		skip = 0
	}
}

// RowFrom returns the number of rows whose vertex is below v: the first row from v on. Bitmap layers do it in constant
// time too, the others but Range search.
func (p *Partition) RowFrom(v Vertex) int {
	switch {
	case p.layer == Patched:
		return p.patch.rowFrom(v)
	case p.rows == 0 || v <= p.base:
		return 0
	case p.layer == Range:
		return int(min(v-p.base, p.rows))
	case p.layer == Bitmap:
		return p.rankBitmap(v - p.base)
	}
	return p.searchVertices(v)
}

// rankBitmap counts the row vertices below base+x.
func (p *Partition) rankBitmap(x uint32) int {
	at := uint64(x/blockBits) * blockWords
	if at+blockWords > uint64(len(p.index)) {
		return int(p.rows)
	}
	if p.file.Unchecked() {
		p.checkIndex(at, blockWords)
	}
	block := (*[blockWords]uint32)(p.index[at:])
	row := block[0] + rankBlock(block, x%blockBits)
	return int(min(row, p.rows))
}

// Lists yields every row vertex with its neighbours, ascending.
func (p *Partition) Lists() iter.Seq2[Vertex, []Vertex] {
	if p.layer == Patched {
		return p.patch.lists()
	}
	return func(yield func(Vertex, []Vertex) bool) {
		row := 0
		for v := range p.RowVertices() {
			if row >= int(p.rows) || !yield(v, p.List(row)) {
				return
			}
			row++
		}
	}
}

// Degrees yields every row vertex with the number of its neighbours, ascending.
func (p *Partition) Degrees() iter.Seq2[Vertex, int] {
	if p.layer == Patched {
		return p.patch.degrees()
	}
	return func(yield func(Vertex, int) bool) {
		row := 0
		for v := range p.RowVertices() {
			if row >= int(p.rows) || !yield(v, p.Degree(row)) {
				return
			}
			row++
		}
	}
}

// newPartition makes a partition of sorted distinct row vertices; row r's neighbours are
// neighbours[offsets[r]:offsets[r+1]]. It takes the slices over.
func newPartition(layer Layer, vertices []Vertex, offsets, neighbours []uint32) *Partition {
	p := layOut(layer, vertices, offsets, len(neighbours))
	p.neighbours = neighbours
	return p
}

// layOut is newPartition without the neighbours, of which there are edges.
func layOut(layer Layer, vertices []Vertex, offsets []uint32, edges int) *Partition {
	p := &Partition{layer: layer, rows: uint32(len(vertices))}
	if len(vertices) == 0 {
		p.layer = Range
		return p
	}
	p.base = vertices[0]
	p.index, p.probes = buildLayer(layer, vertices)
	if layer != Range && layer != Bitmap {
		p.vertices = vertices
	}
	if edges != len(vertices) {
		p.offsets = offsets
	}
	return p
}
