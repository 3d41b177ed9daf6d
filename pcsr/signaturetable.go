package pcsr

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// bytesPerEdge bounds the table: it takes at most so many bytes an edge of the graph.
const bytesPerEdge = 4

// commonShare is the share of rows above which an item gets no bit, in percent.
const commonShare = 90

// makeSignatures makes the table. What a bit can stand for comes in two halves with bits of their own: the sides, and
// the classes of a vertex and of its neighbours by a side.
func (c *counter) makeSignatures() {
	g := c.g
	t := &g.signatures
	*t = SignatureTable{g: g, classAt: t.classAt, classSides: t.classSides}
	subjects := &g.sets[Out].of
	if subjects.rows == 0 {
		return
	}
	last := subjects.Vertex(int(subjects.rows) - 1)
	t.base, t.rows = subjects.base, last-subjects.base+1
	sides, classes := c.sideItems(), c.classItems()
	wide := [2]int{len(sides), len(classes)}
	for i, n := range wide {
		wide[i] = min((n+31)/32, maxSignatureWords/2)
	}
	for i := 1; 4*uint64(wide[0]+wide[1])*uint64(t.rows) > bytesPerEdge*g.edges; i = 1 - i {
		wide[i] = max(wide[i]-1, 0)
	}
	if t.words = uint32(wide[0] + wide[1]); t.words == 0 {
		t.base, t.rows = 0, 0
		return
	}
	giveBits(sides, 0, 32*wide[0])
	giveBits(classes, 32*wide[0], 32*(wide[0]+wide[1]))
	t.stride = (t.rows + 15) / 16 * 16
	t.columns = make([]uint32, uint64(t.words)*uint64(t.stride))
	const chunk = 1 << 16
	machine.Parallel(int((uint64(t.rows)+chunk-1)/chunk), func(i int) {
		low := t.base + uint32(i)*chunk
		c.sign(low, uint32(min(uint64(low)+chunk, uint64(last)+1)))
	})
}

// item is something that a bit can stand for, with the number of vertices that have it.
type item struct {
	bit  *uint32
	rows uint64
}

// sideItems are the sides that not nearly all subjects have.
func (c *counter) sideItems() []item {
	t := &c.g.signatures
	t.sideBits = make([]uint32, 2*len(c.g.parts))
	rows := make([]uint64, len(t.sideBits))
	subjects := uint64(c.g.sets[Out].of.rows)
	for profile, n := range c.profiles {
		for d, set := range []uint32{uint32(profile >> 32), uint32(profile)} {
			if profile>>32 == 0 || set == 0 {
				continue
			}
			for _, l := range c.g.sets[d].labels.List(int(set - 1)) {
				rows[2*int(c.g.slot(l))+d] += uint64(n)
			}
		}
	}
	var items []item
	for k, n := range rows {
		t.sideBits[k] = noBit
		if n > 0 && n*100 < subjects*commonShare {
			items = append(items, item{&t.sideBits[k], n})
		}
	}
	return items
}

// classItems are the classes that a vertex can be in and the pairs of a side and a class that its neighbour by that side
// can be in.
func (c *counter) classItems() []item {
	g, t := c.g, &c.g.signatures
	if c.classOf == nil {
		return nil
	}
	var items []item
	subjects := uint64(g.sets[Out].of.rows)
	add := func(bit *uint32, rows uint64) {
		if *bit = noBit; rows*100 < subjects*commonShare {
			items = append(items, item{bit, rows})
		}
	}
	classes := g.Partition(g.typeLabel, In)
	t.classBits = make([]uint32, classes.Rows())
	for row := range t.classBits {
		add(&t.classBits[row], uint64(classes.Degree(row)))
	}
	for i, edges := range c.classEdges {
		entry := t.classSides[i*classWords:]
		k := entry[0] ^ 1
		add(&entry[1], min(uint64(edges), uint64(g.parts[k/2][k%2].rows)))
	}
	return items
}

// giveBits gives every item one of the bits low … high-1: the most frequent first, each the bit used least so far.
func giveBits(items []item, low, high int) {
	if low == high {
		return
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(b.rows, a.rows) })
	load := make([]uint64, high-low)
	for _, it := range items {
		least := 0
		for b := range load {
			if load[b] < load[least] {
				least = b
			}
		}
		load[least] += it.rows
		*it.bit = uint32(low + least)
	}
}

// sign fills the rows of the vertices low … high-1.
func (c *counter) sign(low, high Vertex) {
	g, t := c.g, &c.g.signatures
	var vertices []Vertex
	masks := make([]Signature, len(c.sets))
	stamps := make([]int, len(c.sets))
	for k := range t.sideBits {
		p := &g.parts[k/2][k%2]
		row, end := p.RowFrom(low), p.RowFrom(high)
		vertices = p.AppendVertices(vertices[:0], row, end)
		classes := k%2 == int(Out) && g.hasType && g.used[k/2] == g.typeLabel
		for i, v := range vertices {
			var s Signature
			s.set(t.sideBits[k])
			for _, w := range p.List(row + i) {
				if classes {
					c.signClass(&s, w)
				}
				set := c.classSet(w)
				if set == 0 {
					continue
				}
				if stamps[set] != k+1 {
					stamps[set], masks[set] = k+1, c.mask(set, k)
				}
				for i := range s.Words {
					s.Words[i] |= masks[set].Words[i]
				}
			}
			t.or(v, s)
		}
	}
}

func (c *counter) signClass(s *Signature, class Vertex) {
	if row, ok := c.g.Partition(c.g.typeLabel, In).Row(class); ok {
		s.set(c.g.signatures.classBits[row])
	}
}

// mask has the bits of a neighbour by side k whose classes are those of a class set.
func (c *counter) mask(set uint32, k int) Signature {
	var s Signature
	classes := c.g.Partition(c.g.typeLabel, In)
	side := Side{c.g.used[k/2], Direction(k % 2).Reverse()}
	for _, row := range c.sets[set] {
		s.set(c.g.signatures.classBit(classes.Vertex(int(row)), side))
	}
	return s
}

// or adds bits to the row of v.
func (t *SignatureTable) or(v Vertex, s Signature) {
	if v-t.base >= t.rows {
		return // a damaged file
	}
	for c := range t.words {
		t.columns[uint64(c)*uint64(t.stride)+uint64(v-t.base)] |= s.Words[c]
	}
}
