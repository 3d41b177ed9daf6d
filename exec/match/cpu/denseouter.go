package cpu

import "math/bits"

// outerBytes is what a worker needs for the outer vertices of patterns that have one: a bitmap of the root's neighbours for each row.
func (d *dense) outerBytes() int64 { return 8 * int64(len(d.starts)) * int64((d.longest+63)/64) }

// meetRows makes the bitmaps of what rows have in common with a root, or clears them.
func (w *denseWorker) meetRows(list []uint32, clearing bool) {
	for i, middle := range list {
		for _, row := range w.lists[w.offsets[middle]:w.offsets[middle+1]] {
			if at := int(row)*w.words + i>>6; clearing {
				w.outer[at] = 0
			} else {
				w.outer[at] |= 1 << (i & 63)
			}
		}
	}
}

// eachOuter binds the last level to each vertex that may be the outer one, and counts the tail.
func (w *denseWorker) eachOuter() {
	level := len(w.Levels) - 1
	set, bit := w.sets.with[level][level+1], uint8(1)<<level
	for _, row := range w.lists[w.offsets[w.far.row]:w.offsets[w.far.row+1]] {
		if w.place[row] > 0 || !w.mayBeOuter(row) {
			continue
		}
		n, near := 0, w.outer[int(row)*w.words:][:len(set)]
		switch {
		case w.Tail[0].Near&bit != 0:
			for k, word := range set {
				n += bits.OnesCount64(word & near[k])
			}
		case w.Tail[0].Absent&bit != 0:
			for k, word := range set {
				n += bits.OnesCount64(word &^ near[k])
			}
		default:
			for _, word := range set {
				n += bits.OnesCount64(word)
			}
		}
		w.total = add(w.total, uint64(n))
	}
}

// mayBeOuter reports whether a neighbour of the far vertex is one of what the levels between are bound to, or is not, as the last level asks.
func (w *denseWorker) mayBeOuter(row uint32) bool {
	s := &w.Levels[len(w.Levels)-1]
	for e := 1; e < len(w.Levels)-1; e++ {
		b, asked := w.bound[e], s.Near
		near := w.outer[int(row)*w.words+b>>6]>>(b&63)&1 != 0
		if near {
			asked = s.Absent
		}
		if asked>>e&1 != 0 {
			return false
		}
	}
	return true
}
