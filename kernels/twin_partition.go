package kernels

import (
	"math/bits"
	"sort"
)

// twin runs the kernels' meaning in plain Go; partition.cuh has these functions under the same names.
type twin struct {
	*memory
	blocks uint64
	at     Address
	p      *Program
	clock  func() bool // reports that the slice is over
	paged  bool        // it is a kernel of paged.cu
	outer  bool        // it is CountOuter
}

// list is a sorted list in device memory, or a range of numbers.
type list struct {
	begin Address
	size  uint32
}

func (t *twin) open(program Address) {
	t.at = program
	t.p = in[Program](t.memory, program, 0)
}

func (t *twin) word(array Address, i uint64) uint32 { return *in[uint32](t.memory, array, i) }

func (t *twin) element(begin Address, i uint64) uint32 {
	if begin&Virtual != 0 {
		return uint32(begin) + uint32(i)
	}
	return t.word(begin, i)
}

// below is the number of members below v.
func (t *twin) below(l list, v uint32) uint32 {
	return uint32(sort.Search(int(l.size), func(i int) bool { return t.element(l.begin, uint64(i)) >= v }))
}

// narrow cuts a list to the members from low to below high (0: no bound).
func (t *twin) narrow(l list, low, high uint32) list {
	first, end := t.below(l, low), l.size
	if high != 0 {
		end = t.below(l, high)
	}
	if end <= first {
		return list{}
	}
	if l.begin&Virtual != 0 {
		return list{l.begin + uint64(first), end - first}
	}
	return list{l.begin + 4*uint64(first), end - first}
}

// factor is how many members of a link's list count.
func (t *twin) factor(l *Link, row uint64, candidate uint32) uint32 {
	found := t.narrow(t.resolve(l, row, candidate), l.Low, l.High)
	n := found.size
	for i := range uint64(l.ExceptCount) {
		if t.contains(found, t.value(in[Operand](t.memory, l.Except, i), row, candidate)) {
			n--
		}
	}
	return n
}

func (t *twin) contains(l list, v uint32) bool {
	i := t.below(l, v)
	return i < l.size && t.element(l.begin, uint64(i)) == v
}

func (t *twin) rowOf(p *Partition, v uint32) uint32 {
	row := uint32(None)
	switch p.Layer {
	case LayerRange:
		row = v - p.Base
	case LayerBitmap:
		row = t.rowInBitmap(p, v)
	case LayerHash:
		row = t.rowInHash(p, v)
	case LayerList:
		if i := t.below(list{p.Vertices, p.Rows}, v); i < p.Rows && t.word(p.Vertices, uint64(i)) == v {
			row = i
		}
	case LayerDirect:
		if x := v - p.Base; x < p.Words {
			row = t.word(p.Index, uint64(x))
		}
	case LayerGroup:
		row = t.rowInGroup(p, v)
	}
	if row < p.Rows {
		return row
	}
	return None
}

func (t *twin) rowInBitmap(p *Partition, v uint32) uint32 {
	x := v - p.Base
	bit := x % 224
	first := uint64(x/224) * 8
	if first+8 > uint64(p.Words) {
		return None
	}
	row := t.word(p.Index, first)
	for i := uint64(0); i < uint64(bit/32); i++ {
		row += uint32(bits.OnesCount32(t.word(p.Index, first+1+i)))
	}
	here := t.word(p.Index, first+1+uint64(bit/32))
	if here>>(bit%32)&1 == 0 {
		return None
	}
	return row + uint32(bits.OnesCount32(here&(1<<(bit%32)-1)))
}

func hashVertex(v, n uint32) uint32 { return uint32(uint64(v*0x9E3779B1) * uint64(n) >> 32) }

func (t *twin) rowInHash(p *Partition, v uint32) uint32 {
	buckets := p.Words / 8
	if v == None || buckets == 0 {
		return None
	}
	b := hashVertex(v, buckets)
	for range p.Probes {
		for i := range uint64(4) {
			if t.word(p.Index, uint64(b)*8+i) == v {
				return t.word(p.Index, uint64(b)*8+4+i)
			}
		}
		if t.word(p.Index, uint64(b)*8+3) == None {
			return None
		}
		if b++; b == buckets {
			b = 0
		}
	}
	return None
}

func (t *twin) rowInGroup(p *Partition, v uint32) uint32 {
	groups := p.Words / 32
	if v == None || groups == 0 {
		return None
	}
	g := hashVertex(v, groups)
	for probe := uint32(0); probe < p.Probes && g < groups; probe++ {
		for i := range uint64(15) {
			if t.word(p.Index, uint64(g)*32+2*i) == v {
				return t.word(p.Index, uint64(g)*32+2*i+1)
			}
		}
		g = t.word(p.Index, uint64(g)*32+30)
	}
	return None
}

func (t *twin) rowList(p *Partition, row uint32) list {
	if row == None {
		return list{}
	}
	if t.paged && p.Pages != 0 {
		return t.pagedList(p, row)
	}
	if p.Offsets == 0 {
		return list{p.Neighbours + uint64(row)*4, 1}
	}
	low, high := t.word(p.Offsets, uint64(row)), t.word(p.Offsets, uint64(row)+1)
	return list{p.Neighbours + uint64(low)*4, high - low}
}

func (t *twin) neighbours(p *Partition, v uint32) list { return t.rowList(p, t.rowOf(p, v)) }

func (t *twin) value(o *Operand, row uint64, candidate uint32) uint32 {
	switch o.Kind {
	case Column:
		return t.word(o.Column, row)
	case Candidate:
		return candidate
	}
	return o.Constant
}

func (t *twin) partitionOf(label, direction uint32) *Partition {
	slot := t.rowOf(in[Partition](t.memory, t.p.Incident, 4), label)
	if slot == None {
		return nil
	}
	return in[Partition](t.memory, t.p.Partitions, 2*uint64(slot)+uint64(direction))
}

func (t *twin) linkPartition(l *Link, row uint64, candidate uint32) *Partition {
	if l.Partition != 0 {
		return in[Partition](t.memory, l.Partition, 0)
	}
	return t.partitionOf(t.value(&l.Label, row, candidate), l.Direction)
}

// resolve returns the list that a link names for a row.
func (t *twin) resolve(l *Link, row uint64, candidate uint32) list {
	switch LinkKind(l.Kind) {
	case List:
		return list{l.ListAt, uint32(l.Length)}
	case Numbers:
		return list{Virtual | l.ListAt, uint32(l.Length)}
	case EdgeLabels:
		incident := in[Partition](t.memory, t.p.Incident, uint64(l.Direction))
		r := t.rowOf(incident, t.value(&l.From, row, candidate))
		if r == None {
			return list{}
		}
		return t.rowList(in[Partition](t.memory, t.p.Incident, uint64(l.Direction)+2), t.word(incident.Neighbours, uint64(r)))
	}
	part := t.linkPartition(l, row, candidate)
	switch {
	case part == nil:
		return list{}
	case LinkKind(l.Kind) == Neighbours:
		return t.neighbours(part, t.value(&l.From, row, candidate))
	case part.Layer == LayerRange:
		return list{Virtual | uint64(part.Base), part.Rows}
	}
	return list{part.Vertices, part.Rows}
}

// member reports whether a candidate lies in the list that a link names for a row.
func (t *twin) member(l *Link, row uint64, candidate uint32) bool {
	switch LinkKind(l.Kind) {
	case List:
		if l.Bitmap != 0 {
			return t.word(l.Bitmap, uint64(candidate>>5))>>(candidate&31)&1 != 0
		}
		return t.contains(list{l.ListAt, uint32(l.Length)}, candidate)
	case Numbers:
		return candidate-uint32(l.ListAt) < uint32(l.Length)
	case Rows:
		part := t.linkPartition(l, row, candidate)
		return part != nil && t.rowOf(part, candidate) != None
	}
	return t.contains(list{*in[uint64](t.memory, l.Begin, row), t.word(l.Size, row)}, candidate)
}

func (t *twin) hasEdge(from, label, to uint32) bool {
	part := t.partitionOf(label, 0)
	return part != nil && t.contains(t.neighbours(part, from), to)
}

func (t *twin) holds(c *Check, row uint64, v uint32) bool {
	return t.hasEdge(t.value(&c.From, row, v), t.value(&c.Label, row, v), t.value(&c.To, row, v)) == (c.Absent == 0)
}

func (t *twin) sameEdge(q *Pair, row uint64, v uint32) bool {
	return t.value(&q.A.From, row, v) == t.value(&q.B.From, row, v) &&
		t.value(&q.A.Label, row, v) == t.value(&q.B.Label, row, v) && t.value(&q.A.To, row, v) == t.value(&q.B.To, row, v)
}
