package pcsr

import (
	"fmt"
	"math"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// splice is the union of two partitions in the making. It is made in two passes over chunks of the rows of the larger
// one: the first counts rows and edges, the second writes them.
type splice struct {
	large, small *Partition
	overwrite    bool // where both have a row, the small one's counts; where that has no neighbours, the row is gone
	chunkEdges   int  // about how many edges a chunk has
	chunks       []spliceChunk
	union        *Partition
}

// spliceChunk are rows of both partitions, and where those of the union begin.
type spliceChunk struct {
	large, small [2]int // from, to
	rows, edges  uint64
}

// chunkEdges is about how many edges a goroutine takes at a time.
const chunkEdges = 1 << 18

func spliceInto(large, small *Partition) *Partition {
	return (&splice{large: large, small: small, chunkEdges: chunkEdges}).run()
}

// overwrite returns the rows of both partitions; where both have a row, that of over, and none where it has no neighbours
// there.
func overwrite(p, over *Partition) *Partition {
	return (&splice{large: p, small: over, overwrite: true, chunkEdges: chunkEdges}).run()
}

func (s *splice) run() *Partition {
	if s.small.rows == 0 {
		return s.large
	}
	if s.large.rows == 0 {
		return s.small
	}
	for _, p := range []**Partition{&s.large, &s.small} {
		*p = (*p).flat()
		if (*p).file.Unchecked() {
			(*p).check()
		}
	}
	s.split()
	machine.Parallel(len(s.chunks), func(i int) {
		c := &s.chunks[i]
		s.walk(c, (*spliceCount)(c))
	})
	rows, edges := uint64(0), uint64(0)
	for i := range s.chunks {
		c := &s.chunks[i]
		c.rows, rows = rows, rows+c.rows
		c.edges, edges = edges, edges+c.edges
	}
	if edges >= math.MaxUint32 {
		panic(&section.Damage{Err: fmt.Errorf("pcsr: a label has %d edges in several graphs, more than a partition can have", edges)})
	}
	if rows == 0 {
		return &emptyPartition
	}
	s.lay(int(rows), int(edges))
	machine.Parallel(len(s.chunks)+1, func(i int) {
		if i == len(s.chunks) {
			s.index()
			return
		}
		c := &s.chunks[i]
		s.walk(c, &spliceWriter{union: s.union, row: int(c.rows), edge: int(c.edges)})
	})
	switch u := s.union; {
	case u.layer == Hash:
		u.index, u.probes = buildHash(u.vertices)
	case u.layer == Bitmap && u.vertices != nil:
		fillBitmap(u.index, u.base, u.vertices)
		u.vertices = nil
	}
	return s.union
}

// split cuts the rows into chunks.
func (s *splice) split() {
	n := 1
	if edges := s.large.Edges() + s.small.Edges(); edges > 2*s.chunkEdges {
		n = max(1, min(edges/s.chunkEdges, s.large.Rows()))
	}
	s.chunks = make([]spliceChunk, n)
	from, other := 0, 0
	for i := range s.chunks {
		to, end := s.large.Rows(), s.small.Rows()
		if i < n-1 {
			to = int(uint64(to) * uint64(i+1) / uint64(n))
			end = min(max(other, s.small.RowFrom(s.large.Vertex(to))), end)
		}
		s.chunks[i] = spliceChunk{large: [2]int{from, to}, small: [2]int{other, end}}
		from, other = to, end
	}
}

// spliceRows takes the rows of a union in their order.
type spliceRows interface {
	// stretch takes rows from … to-1 of one partition, which the other one does not have.
	stretch(p *Partition, from, to int)
	// both takes a row that both partitions have, with its two lists.
	both(v Vertex, large, small []Vertex)
}

// walk goes through the rows of a chunk.
func (s *splice) walk(c *spliceChunk, to spliceRows) {
	vertices := s.small.AppendVertices(make([]Vertex, 0, c.small[1]-c.small[0]), c.small[0], c.small[1])
	row, end := c.large[0], c.large[1]
	for i := 0; i < len(vertices); {
		at, same := s.large.locate(vertices[i], row, end)
		if at > row {
			to.stretch(s.large, row, at)
			row = at
		}
		if same {
			list := s.large.List(row)
			if s.overwrite {
				list = nil
			}
			to.both(vertices[i], list, s.small.List(c.small[0]+i))
			row, i = row+1, i+1
			continue
		}
		first := i
		for i++; i < len(vertices); i++ {
			if row == end {
				i = len(vertices)
				break
			}
			if next, same := s.large.locate(vertices[i], row, end); same || next > row {
				break
			}
		}
		to.stretch(s.small, c.small[0]+first, c.small[0]+i)
	}
	if row < end {
		to.stretch(s.large, row, end)
	}
}

// locate returns the first of rows from … to whose vertex is not below v, and whether it is v.
func (p *Partition) locate(v Vertex, from, to int) (row int, same bool) {
	switch p.layer {
	case Range, Bitmap:
		if row, same = p.Row(v); !same {
			row = p.RowFrom(v)
		}
		row = min(max(row, from), to)
		return row, same && row < to
	}
	row = min(from+Gallop(p.vertices[from:], v), to)
	return row, row < to && p.vertices[row] == v
}

// bounds are where the lists of rows from … to-1 lie among the neighbours; nothing in a damaged file.
func (p *Partition) bounds(from, to int) (low, high int) {
	if p.offsets == nil {
		return from, to
	}
	if low, high = int(p.offsets[from]), int(p.offsets[to]); low > high || high > len(p.neighbours) {
		return 0, 0
	}
	return low, high
}

// spliceCount counts what a chunk will have.
type spliceCount spliceChunk

func (c *spliceCount) stretch(p *Partition, from, to int) {
	low, high := p.bounds(from, to)
	c.rows += uint64(to - from)
	c.edges += uint64(high - low)
}

func (c *spliceCount) both(_ Vertex, large, small []Vertex) {
	if len(large)+len(small) == 0 {
		return
	}
	c.rows++
	c.edges += uint64(len(large) + len(small) - countCommon(large, small))
}

// countCommon counts the members that two ascending lists share.
func countCommon(large, small []Vertex) int {
	if len(small) > len(large) {
		large, small = small, large
	}
	n := 0
	for _, v := range small {
		large = large[Gallop(large, v):]
		if len(large) == 0 {
			break
		}
		n += oneIf(large[0] == v)
	}
	return n
}

// lay makes the arrays of the union.
func (s *splice) lay(rows, edges int) {
	first, last := s.span()
	u := &Partition{layer: layerOf(rows, first, last), base: first, rows: uint32(rows), neighbours: make([]Vertex, edges)}
	switch {
	case u.layer == Range:
	case u.layer == Bitmap:
		u.index = make([]uint32, bitmapWords(uint64(last-first)+1))
		if first > min(s.large.base, s.small.base) {
			u.vertices = make([]Vertex, rows) // until it is filled
		}
	default:
		u.vertices = make([]Vertex, rows)
	}
	if edges != rows {
		u.offsets = make([]uint32, rows+1)
		u.offsets[rows] = uint32(edges)
	}
	s.union = u
}

// span returns the first and the last row vertex of the union, which has rows.
func (s *splice) span() (first, last Vertex) {
	low, high := [2]int{}, [2]int{s.large.Rows() - 1, s.small.Rows() - 1}
	parts := [2]*Partition{s.large, s.small}
	for i, p := range parts {
		for low[i] <= high[i] && s.isGone(p, low[i]) {
			low[i]++
		}
		for low[i] <= high[i] && s.isGone(p, high[i]) {
			high[i]--
		}
	}
	first = noVertex
	for i, p := range parts {
		if low[i] <= high[i] {
			first, last = min(first, p.Vertex(low[i])), max(last, p.Vertex(high[i]))
		}
	}
	return first, last
}

// isGone reports whether a row of one of the partitions is not in the union.
func (s *splice) isGone(p *Partition, row int) bool {
	if !s.overwrite {
		return false
	}
	if p == s.large {
		var ok bool
		if row, ok = s.small.Row(p.Vertex(row)); !ok {
			return false
		}
	}
	return s.small.Degree(row) == 0
}

// index fills a Bitmap that begins where one of the partitions does.
func (s *splice) index() {
	if s.union.layer != Bitmap || s.union.vertices != nil {
		return
	}
	s.union.mark(s.large)
	s.union.mark(s.small)
	if s.overwrite {
		for row := range s.small.Rows() {
			if s.small.Degree(row) == 0 {
				s.union.unmark(s.small.Vertex(row))
			}
		}
	}
	countBlocks(s.union.index)
}

// spliceWriter writes rows from a row and an edge of the union on.
type spliceWriter struct {
	union     *Partition
	row, edge int
}

func (w *spliceWriter) stretch(p *Partition, from, to int) {
	u := w.union
	low, high := p.bounds(from, to)
	copy(u.neighbours[w.edge:], p.neighbours[low:high])
	if u.vertices != nil {
		p.AppendVertices(u.vertices[w.row:w.row], from, to)
	}
	if u.offsets != nil {
		offsets, edge := u.offsets[w.row:w.row+to-from], uint32(w.edge)
		if p.offsets == nil {
			for i := range offsets {
				offsets[i] = edge + uint32(i)
			}
		} else {
			was, shift := p.offsets[from:][:len(offsets)], edge-uint32(low)
			for i := range offsets {
				offsets[i] = was[i] + shift
			}
		}
	}
	w.row += to - from
	w.edge += high - low
}

func (w *spliceWriter) both(v Vertex, large, small []Vertex) {
	if len(large)+len(small) == 0 {
		return
	}
	w.begin(v)
	w.edge += mergeLists(w.union.neighbours[w.edge:], large, small)
}

// begin begins the row of a vertex.
func (w *spliceWriter) begin(v Vertex) {
	u := w.union
	if u.vertices != nil {
		u.vertices[w.row] = v
	}
	if u.offsets != nil {
		u.offsets[w.row] = uint32(w.edge)
	}
	w.row++
}

// mergeLists writes the union of two ascending lists and returns its length.
func mergeLists(dst, large, small []Vertex) int {
	if len(small) > len(large) {
		large, small = small, large
	}
	n := 0
	for _, v := range small {
		at := Gallop(large, v)
		n += copy(dst[n:], large[:at])
		if large = large[at:]; len(large) > 0 && large[0] == v {
			continue
		}
		dst[n] = v
		n++
	}
	return n + copy(dst[n:], large)
}

// mark sets the bits of p's row vertices in a Bitmap.
func (u *Partition) mark(p *Partition) {
	switch p.layer {
	case Range:
		for at, end := uint64(p.base-u.base), uint64(p.base-u.base)+uint64(p.rows); at < end; {
			n := min(32-at%32, end-at)
			u.markWord(at/32, uint32((1<<n-1)<<(at%32)))
			at += n
		}
	case Bitmap:
		shift := uint64(p.base - u.base)
		for at := uint64(0); at < uint64(len(p.index)); at += blockWords {
			for i, w := range p.index[at+1 : at+blockWords] {
				if w != 0 {
					bit := at/blockWords*blockBits + uint64(i)*32 + shift
					wide := uint64(w) << (bit % 32)
					u.markWord(bit/32, uint32(wide))
					u.markWord(bit/32+1, uint32(wide>>32))
				}
			}
		}
	default:
		for _, v := range p.vertices {
			u.markWord(uint64(v-u.base)/32, 1<<((v-u.base)%32))
		}
	}
}

// unmark clears the bit of a vertex in a Bitmap.
func (u *Partition) unmark(v Vertex) {
	const words = blockWords - 1
	i := uint64(v-u.base) / 32
	if at := i/words*blockWords + 1 + i%words; at < uint64(len(u.index)) {
		u.index[at] &^= 1 << ((v - u.base) % 32)
	}
}

// markWord adds bits to word i of those of a Bitmap's blocks.
func (u *Partition) markWord(i uint64, bits uint32) {
	const words = blockWords - 1
	if at := i/words*blockWords + 1 + i%words; bits != 0 && at < uint64(len(u.index)) {
		u.index[at] |= bits
	}
}
