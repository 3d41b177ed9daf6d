package pcsr

import "github.com/rdfgpu/rdfgpu/internal/section"

// Signature is the encoded neighbourhood of a query vertex (SGSI, section 3.1): a data vertex v can match only if every
// bit set here is set in v's row of the SignatureTable, and v has a row where Subject is set. The zero value filters nothing.
type Signature struct {
	Words [4]uint32
	// Subject says that the query vertex has an edge out: vertices without a row in the table do not match.
	Subject bool
}

// IsZero reports whether the signature filters nothing.
func (s Signature) IsZero() bool { return s == Signature{} }

// SignatureTable holds the signatures of the vertices base … base+Rows()-1, which are all that have an edge out (in a union
// of graphs, all in the largest, and in one that was changed, all that had one before; Subject is not set there), column first: word c of every vertex, then word c+1 of every
// vertex (SGSI, figure 7d).
//
// Unlike the published one it has one bit a group (under SPARQL's homomorphisms two edges of a query vertex may meet
// the same neighbour, so "more than one" filters nothing), and bits are not hashed but given out by frequency: what few
// vertices have shares a bit with what few others have, and what nearly all have gets none.
type SignatureTable struct {
	g       *Graph
	base    Vertex
	rows    uint32
	words   uint32
	stride  uint32 // words from a column to the next; a multiple of 16
	columns []uint32

	sideBits  []uint32 // side number → bit, or noBit
	classBits []uint32 // row of the partition of rdf:type, In → bit, or noBit

	// classAt[r] is where row r of the partition of rdf:type, In, begins in classSides, counted in entries of classWords
	// words: side, and the bit of a vertex with a neighbour in the class by the opposite side.
	classAt, classSides []uint32

	file *section.File // what the arrays lie in, to be checked; nil in memory

	// In a union of graphs, under is the table of the largest, whose bits these are; in a graph that was changed, that of the
	// graph as it was. Nil in others.
	under *SignatureTable
	// touched are the vertices, in sets of which some grow, that got edges which the bits know nothing of; late the classes
	// that vertices got which have such edges.
	touched []*marks
	late    *marks
	whole   *wholeColumns // of Columns, where there are touched vertices
}

const (
	classWords = 2
	// maxClassEntries is how many pairs of class and side may have a bit.
	maxClassEntries = 1 << 18
)

// Side is one end of the edges of a label: the vertices with such an edge in direction Dir are its rows.
type Side struct {
	Label Label
	Dir   Direction
}

// noBit stands for what has no bit in a signature.
const noBit = 0xFF

// maxSignatureWords is the number of columns of the largest table.
const maxSignatureWords = len(Signature{}.Words)

// KnownEdge is what a query says of one edge of a query vertex: a neighbour by Side that is in all Classes.
type KnownEdge struct {
	Side
	Classes []Vertex
}

// Signatures returns the graph's signature table; it has no rows where one would not pay. In a union of graphs the first
// call takes time in proportion to what all but the largest have.
func (g *Graph) Signatures() *SignatureTable {
	switch {
	case g.over != nil:
		return g.over.signatures(g)
	case g.live != nil:
		return g.live.line.signatures()
	}
	return &g.signatures
}

// Base is the vertex of the first row.
func (t *SignatureTable) Base() Vertex { return t.base }

// Rows is the number of vertices with a row; 0 where there is no table.
func (t *SignatureTable) Rows() int { return int(t.rows) }

// Words is the number of columns, at most four; the bits of Signature.Words beyond it are never set.
func (t *SignatureTable) Words() int { return int(t.words) }

// Columns is the table, all of it checked: word c of vertex v is Columns()[c*Stride()+v-Base()]. In a union of graphs or
// one that was changed it is a copy, which is made anew when more vertices have been touched.
func (t *SignatureTable) Columns() []uint32 {
	section.Check(t.file, t.columns)
	if t.whole != nil {
		return t.whole.of(t)
	}
	return t.columns
}

// Stored are the columns of the vertices that the graph had, or the largest of a union, before the others came: those that Touched visits are to
// pass everything. They are in memory, or in the file, of one identity for all graphs that share them.
func (t *SignatureTable) Stored() (columns []uint32, identity Identity) {
	section.Check(t.file, t.columns)
	if len(t.columns) == 0 {
		return nil, Identity{}
	}
	if at, ok := t.file.Place(t.columns); ok {
		return t.columns, Identity{place: at}
	}
	return t.columns, Identity{first: &t.columns[0]}
}

// Touched visits the vertices that pass everything, in no order, some more than once, and some that later changes of the graph touched.
func (t *SignatureTable) Touched(visit func(Vertex)) {
	for _, m := range t.touched {
		m.each(visit)
	}
}

// Stride is the number of words from a column to the next, a multiple of 16.
func (t *SignatureTable) Stride() int { return int(t.stride) }

// Encode makes the signature of a query vertex from the edges it is known to have and the classes it is known to be in.
func (t *SignatureTable) Encode(edges []KnownEdge, classes []Vertex) Signature {
	var s Signature
	if t.rows == 0 {
		return s
	}
	if t.under != nil {
		return t.encode(edges, classes)
	}
	for _, e := range edges {
		s.Subject = s.Subject || e.Dir == Out
		k, ok := t.g.sideNumber(e.Side)
		if !ok || k >= len(t.sideBits) {
			continue
		}
		section.Check(t.file, t.sideBits[k:k+1])
		s.set(t.sideBits[k])
		for _, class := range e.Classes {
			s.set(t.classBit(class, Side{e.Label, e.Dir.Reverse()}))
		}
	}
	for _, class := range classes {
		s.Subject = true
		if row, ok := t.g.Partition(t.g.typeLabel, In).Row(class); ok && t.g.hasType && row < len(t.classBits) {
			section.Check(t.file, t.classBits[row:row+1])
			s.set(t.classBits[row])
		}
	}
	return s
}

func (s *Signature) set(bit uint32) {
	if bit < uint32(len(s.Words)*32) {
		s.Words[bit/32] |= 1 << (bit % 32)
	}
}

// Match reports whether v may match a query vertex with the signature. It reads column after column and stops at the
// first that excludes v.
func (t *SignatureTable) Match(v Vertex, s Signature) bool {
	row := v - t.base
	if row >= t.rows {
		return !s.Subject
	}
	if t.file.Unchecked() {
		t.checkRow(row)
	}
	for c, at := uint32(0), uint64(row); c < t.words; c, at = c+1, at+uint64(t.stride) {
		if w := s.Words[c&3]; w != 0 && t.columns[at]&w != w {
			return t.touched != nil && t.isTouched(v)
		}
	}
	return true
}

// checkRow checks the words of a row.
func (t *SignatureTable) checkRow(row uint32) {
	for c, at := uint32(0), uint64(row); c < t.words; c, at = c+1, at+uint64(t.stride) {
		section.Check(t.file, t.columns[at:at+1])
	}
}

// classBit is the bit of a vertex whose neighbour in the class has it by the given side; noBit where there is none.
func (t *SignatureTable) classBit(class Vertex, side Side) uint32 {
	if !t.g.hasType {
		return noBit
	}
	row, ok := t.g.Partition(t.g.typeLabel, In).Row(class)
	k, used := t.g.sideNumber(side)
	if !ok || !used || row+1 >= len(t.classAt) {
		return noBit
	}
	section.Check(t.file, t.classAt[row:row+2])
	low, end := t.classAt[row], t.classAt[row+1]
	if low > end || uint64(end)*classWords > uint64(len(t.classSides)) {
		return noBit // the file was written so
	}
	section.Check(t.file, t.classSides[low*classWords:end*classWords])
	for high := end; low < high; {
		if mid := low + (high-low)/2; t.classSides[mid*classWords] < uint32(k) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low >= end || t.classSides[low*classWords] != uint32(k) {
		return noBit
	}
	return t.classSides[low*classWords+1]
}

// sideNumber is 2·slot + direction, and whether the label has edges.
func (g *Graph) sideNumber(side Side) (int, bool) {
	slot := g.slot(side.Label)
	return int(slot)*2 + int(side.Dir&1), slot != noSlot
}

// checkShape checks the lengths that Match and Encode rely on.
func (t *SignatureTable) checkShape() bool {
	return t.words <= uint32(maxSignatureWords) && t.stride >= t.rows && t.stride%16 == 0 && uint64(t.base)+uint64(t.rows) <= noVertex &&
		uint64(len(t.columns)) == uint64(t.words)*uint64(t.stride)
}
