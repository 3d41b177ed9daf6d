package cpu

import "github.com/rdfgpu/rdfgpu/pcsr"

// apart is a list of what candidates must not be.
func (w *worker) apart(d *dynamicList) []pcsr.Vertex { return d.partition.Neighbours(w.value(d.from)) }

// subtract keeps the members of source that are not in other: by a bitmap where that is long and comes often, else by a search for each or
// by merging.
func (w *worker) subtract(c *scratch, source, other []pcsr.Vertex) []pcsr.Vertex {
	if len(other) == 0 {
		return source
	}
	if len(source) > longList {
		return w.inPieces(c, source, func(dst, piece []pcsr.Vertex) []pcsr.Vertex { return pcsr.Subtract(dst, piece, other) })
	}
	c.buf = grow(c.buf, len(source))
	if len(other) >= w.tuning.shortMark {
		if b := w.hub(other); b != nil {
			w.work += len(source)
			return b.without(c.buf[:0], source)
		}
	}
	w.work += min(len(source)+len(other), 4*len(source))
	return pcsr.Subtract(c.buf[:0], source, other)
}

// without writes the members of list that are not in the set, which has no shift, to dst, which may be list's own memory.
func (b *bitmap) without(dst, list []pcsr.Vertex) []pcsr.Vertex {
	dst = grow(dst, len(list))
	words, n := b.words, 0
	for _, v := range list {
		dst[n] = v
		i := v - b.base // wraps to beyond the words below base
		out := 1
		if w := int(i / 64); w < len(words) {
			out = int(^words[w] >> (i % 64) & 1)
		}
		n += out
	}
	return dst[:n]
}
