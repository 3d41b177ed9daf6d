package cpu

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// staticList is a sorted list that is the same for every partial match. Once it has been probed often enough it is
// kept as a bitmap too.
type staticList struct {
	list   []pcsr.Vertex
	probes atomic.Int64
	once   sync.Once
	bits   atomic.Pointer[bitmap]
}

// bitmap returns the list as a bitmap if n more probes make it worth while, else nil.
func (l *staticList) bitmap(n, least int) *bitmap {
	if b := l.bits.Load(); b != nil {
		return b
	}
	span := int(l.list[len(l.list)-1] - l.list[0])
	if l.probes.Add(int64(n)) < int64(len(l.list)/2+span/256+least) {
		return nil
	}
	l.once.Do(func() {
		b := &bitmap{}
		b.set(l.list)
		l.bits.Store(b)
	})
	return l.bits.Load()
}

// bitmap is a set of vertices base … base+64·len(words)-1; or, with a shift, what such a set is looked up in first: a bit for each 1<<shift vertices, set where one of
// them is in the list.
type bitmap struct {
	base  pcsr.Vertex
	shift uint8
	words []uint64
	list  []pcsr.Vertex // with a shift: the members
}

// set makes b the set of a sorted list. The memory of b is used again; it must be clear.
func (b *bitmap) set(list []pcsr.Vertex) { b.fill(list, 0) }

// setFew makes b the set of a sorted list, with a shift where that is tuned so: then each member has half of sparseBits or more. The list must stay as it is.
func (b *bitmap) setFew(list []pcsr.Vertex, t *tuning) {
	span := int(list[len(list)-1] - list[0])
	if span <= 64*t.sparseWords || span <= t.sparseBits*len(list) {
		b.set(list)
		return
	}
	b.list = list
	b.fill(list, bits.Len(uint(span/(t.sparseBits*len(list)))))
}

// fill sets the bits of a sorted list's members.
func (b *bitmap) fill(list []pcsr.Vertex, shift int) {
	b.base, b.shift = list[0]&^63, uint8(shift)
	n := int(list[len(list)-1]-b.base)>>shift/64 + 1
	if cap(b.words) < n {
		b.words = make([]uint64, n)
	}
	b.words = b.words[:n]
	words, base, by := b.words, b.base, shift&31
	for _, v := range list {
		v = (v - base) >> by
		words[v/64] |= 1 << (v % 64)
	}
}

// clear empties the set, given the list that it was made of.
func (b *bitmap) clear(list []pcsr.Vertex) {
	if b.list = nil; b.shift > 0 || len(b.words) <= len(list) {
		clear(b.words)
		return
	}
	for _, v := range list {
		b.words[(v-b.base)/64] = 0
	}
}

// filter writes the members of list that are in the set to dst, which may be list's own memory.
func (b *bitmap) filter(dst, list []pcsr.Vertex) []pcsr.Vertex {
	dst = grow(dst, len(list))
	if b.shift > 0 {
		return b.keepFew(b.near(dst, list))
	}
	words, n := b.words, 0
	for _, v := range list {
		dst[n] = v
		i := v - b.base // wraps to beyond the words below base
		if w := int(i / 64); w < len(words) {
			n += int(words[w] >> (i % 64) & 1)
		}
	}
	return dst[:n]
}

// count returns how many members of list are in the set.
func (b *bitmap) count(list []pcsr.Vertex) int {
	if b.shift > 0 {
		return b.countFew(list)
	}
	words, n := b.words, 0
	for _, v := range list {
		i := v - b.base
		if w := int(i / 64); w < len(words) {
			n += int(words[w] >> (i % 64) & 1)
		}
	}
	return n
}

// near writes the members of list whose bits are set to dst, which may be list's own memory.
func (b *bitmap) near(dst, list []pcsr.Vertex) []pcsr.Vertex {
	words, n := b.words, 0
	for _, v := range list {
		dst[n] = v
		i := (v - b.base) >> b.shift // those below base wrap to beyond all words, or to some that are looked up
		if w := int(i / 64); w < len(words) {
			n += int(words[w] >> (i % 64) & 1)
		}
	}
	return dst[:n]
}

// keepFew keeps the members of list that are in a set with a shift, few of many that have been tested.
func (b *bitmap) keepFew(list []pcsr.Vertex) []pcsr.Vertex {
	n := 0
	for _, v := range list {
		if pcsr.Contains(b.list, v) {
			list[n] = v
			n++
		}
	}
	return list[:n]
}

// countFew returns how many members of list are in a set with a shift.
func (b *bitmap) countFew(list []pcsr.Vertex) (n int) {
	words := b.words
	for _, v := range list {
		i := (v - b.base) >> b.shift
		if w := int(i / 64); w < len(words) && words[w]>>(i%64)&1 != 0 && pcsr.Contains(b.list, v) {
			n++
		}
	}
	return n
}

// leastGrown vertices have lines of the cache of their own.
const leastGrown = 64

func grow(buf []pcsr.Vertex, n int) []pcsr.Vertex {
	if cap(buf) < n {
		return make([]pcsr.Vertex, n, max(n+n/2, leastGrown))
	}
	return buf[:n]
}

// gallopRatio is how many times longer one list must be for galloping to beat merging.
const gallopRatio = 12

// countCommon is countCommon of two lists, the shorter first, that may be long.
func (w *worker) countCommon(source, other []pcsr.Vertex) uint64 {
	if len(source) <= longList {
		return uint64(countCommon(source, other))
	}
	n := uint64(0)
	for piece := range slices.Chunk(source, longList) {
		if w.run.stop.Load() {
			break
		}
		other = other[pcsr.Gallop(other, piece[0]):]
		n += uint64(countCommon(piece, other[:pcsr.Gallop(other, piece[len(piece)-1]+1)]))
	}
	return n
}

// countCommon returns the size of the intersection of two sorted lists.
func countCommon(a, b []pcsr.Vertex) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	if len(b) > gallopRatio*len(a) {
		for _, v := range a {
			b = b[pcsr.Gallop(b, v):]
			if len(b) == 0 {
				break
			}
			if b[0] == v {
				n++
			}
		}
		return n
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		if x == y {
			n++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return n
}
