package pcsr

import "github.com/rdfgpu/rdfgpu/internal/section"

// KeepRows appends to dst those of ascending vertices that have a row here: Has for many. dst may be vertices[:0].
func (p *Partition) KeepRows(dst, vertices []Vertex) []Vertex {
	switch {
	case len(vertices) == 0 || p.rows == 0:
		return dst
	case p.layer == Patched:
		return p.patch.keepRows(dst, vertices, int(p.rows))
	case p.layer == Range:
		return append(dst, Between(vertices, p.base, p.base+p.rows)...)
	case p.layer == Bitmap && p.readsMost(vertices):
		return p.keepBits(dst, vertices)
	}
	for _, v := range vertices {
		if _, ok := p.find(v); ok {
			dst = append(dst, v)
		}
	}
	return dst
}

// readsMost reports whether the bits of ascending vertices can be read at once: all of the file is checked, or they are so many that
// what lies between them is checked now.
func (p *Partition) readsMost(vertices []Vertex) bool {
	if !p.file.Unchecked() {
		return true
	}
	if vertices[len(vertices)-1] < p.base {
		return false
	}
	first := uint64(max(vertices[0], p.base)-p.base) / blockBits * blockWords
	last := min((uint64(vertices[len(vertices)-1]-p.base)/blockBits+1)*blockWords, uint64(len(p.index)))
	if first >= last || last-first > uint64(len(vertices)) {
		return false
	}
	section.Check(p.file, p.index[first:last])
	return true
}

// keepBits is KeepRows for a Bitmap, of which the bits alone are read.
func (p *Partition) keepBits(dst, vertices []Vertex) []Vertex {
	n := len(dst)
	dst = append(dst, vertices...)
	for _, v := range dst[n:] {
		dst[n] = v
		n += int(p.bit(v))
	}
	return dst[:n]
}

// bit is 1 where v is a row of a Bitmap, else 0. What it reads is checked already.
func (p *Partition) bit(v Vertex) uint32 {
	x := v - p.base
	at := uint64(x/blockBits)*blockWords + uint64(1+x%blockBits/32)
	if at >= uint64(len(p.index)) {
		return 0
	}
	return p.index[at] >> (x % 32) & 1
}

// keepRows is Partition.KeepRows of a partition with so many rows.
func (p *patch) keepRows(dst, vertices []Vertex, rows int) []Vertex {
	if p.moved == 0 {
		return p.ground.KeepRows(dst, vertices)
	}
	readsBits, few := p.ground.layer == Bitmap && p.ground.readsMost(vertices), fewTouched
	if readsBits {
		few = fewTouchedBits
	}
	if len(vertices) < leastKept || few*p.touchedBetween(vertices[0], vertices[len(vertices)-1], rows) > len(vertices) {
		if readsBits {
			return p.keepEach(dst, vertices)
		}
		for _, v := range vertices {
			if p.has(v) {
				dst = append(dst, v)
			}
		}
		return dst
	}
	p.rows.ascend(vertices[0], func(v Vertex, t *touchedRow) bool {
		if !t.moves() {
			return true
		}
		n := Gallop(vertices, v)
		dst, vertices = p.ground.KeepRows(dst, vertices[:n]), vertices[n:]
		if len(vertices) > 0 && vertices[0] == v {
			if t.degree() > 0 {
				dst = append(dst, v)
			}
			vertices = vertices[1:]
		}
		return len(vertices) > 0
	})
	return p.ground.KeepRows(dst, vertices)
}

// keepEach is keepRows over a Bitmap of which the bits alone are read, and entries where the filter says that there may be one.
func (p *patch) keepEach(dst, vertices []Vertex) []Vertex {
	n := len(dst)
	dst = append(dst, vertices...)
	for _, v := range dst[n:] {
		is := int(p.ground.bit(v))
		if p.filter.has(v) {
			if t := p.rows.get(v); t != nil {
				is = oneIf(t.degree() > 0)
			}
		}
		dst[n] = v
		n += is
	}
	return dst[:n]
}

// touchedBetween is about how many rows were touched between two vertices, were they spread evenly among so many.
func (p *patch) touchedBetween(low, high Vertex, rows int) int {
	first, last := p.findEnds(rows)
	span := uint64(last-first) + 1
	return int(uint64(p.rows.size()) * min(uint64(high-low)+1, span) / span)
}

const (
	// Each of fewer than leastKept vertices is looked for by itself, and each of more where there are not fewTouched of them for each touched
	// row; else the ground is asked for those between these rows.
	leastKept, fewTouched = 64, 8
	// fewTouchedBits is fewTouched where the bits of the ground are read without more ado.
	fewTouchedBits = 32
)
