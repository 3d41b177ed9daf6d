package cpu

import (
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

// bitmap is a set of vertices base … base+64·len(words)-1.
type bitmap struct {
	base  pcsr.Vertex
	words []uint64
}

// set makes b the set of a sorted list. The memory of b is used again; it must be clear.
func (b *bitmap) set(list []pcsr.Vertex) {
	b.base = list[0] &^ 63
	n := int(list[len(list)-1]-b.base)/64 + 1
	if cap(b.words) < n {
		b.words = make([]uint64, n)
	}
	b.words = b.words[:n]
	for _, v := range list {
		v -= b.base
		b.words[v/64] |= 1 << (v % 64)
	}
}

// clear empties the set, given the list that it was made of.
func (b *bitmap) clear(list []pcsr.Vertex) {
	for _, v := range list {
		b.words[(v-b.base)/64] = 0
	}
}

// filter writes the members of list that are in the set to dst, which may be list's own memory.
func (b *bitmap) filter(dst, list []pcsr.Vertex) []pcsr.Vertex {
	dst = grow(dst, len(list))
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
	words, n := b.words, 0
	for _, v := range list {
		i := v - b.base
		if w := int(i / 64); w < len(words) {
			n += int(words[w] >> (i % 64) & 1)
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
