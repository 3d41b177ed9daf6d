package cpu

import (
	"math/bits"

	"github.com/rdfgpu/rdfgpu/exec/match"
)

// denseSets are the bitmaps of what levels and then the vertices of the tail may still be bound to, by how many levels are bound: each binding narrows those
// that ask something of it once, for all that is bound behind it (code motion: STMatch, SC 2022).
type denseSets struct {
	asks []match.DenseSet
	// with[e][i] is set i with e levels bound, which may be with[e-1][i]; room[e][i] is its own memory.
	with, room [match.MostDenseStep + 1][match.MostDenseStep + match.MostTailSets][]uint64
}

// make takes memory for sets of so many words.
func (d *denseSets) make(p *match.Dense, words int) {
	d.asks = append(append([]match.DenseSet(nil), p.Levels...), p.Tail...)
	for e := range p.Levels {
		for i := e + 1; i < len(d.asks); i++ {
			d.room[e+1][i] = make([]uint64, words)
		}
	}
}

// begin finds the sets with nothing bound but the root.
func (w *denseWorker) begin() {
	all := w.rows[(w.size+2)*w.words : (w.size+3)*w.words]
	for i := range all {
		all[i] = ^uint64(0)
	}
	if rest := w.size & 63; rest != 0 {
		all[len(all)-1] = 1<<rest - 1
	}
	for i := range w.sets.asks {
		set := all
		if w.sets.asks[i].Upper {
			set = w.rows[w.size*w.words : (w.size+1)*w.words]
		}
		w.sets.with[0][i] = set
	}
}

// enumerate binds the levels from one on.
func (w *denseWorker) enumerate(level int) {
	if level > 0 {
		for i := level; i < len(w.sets.asks); i++ {
			if !(w.Outer && i == len(w.Levels)-1) && !w.narrow(i, level-1) {
				return
			}
		}
	}
	if w.Outer && level == len(w.Levels)-1 {
		w.eachOuter()
		return
	}
	if level == len(w.Levels) {
		w.total = add(w.total, w.finish())
		return
	}
	for word, left := range w.sets.with[level][level] {
		for ; left != 0; left &= left - 1 {
			if level < 2 && w.stop.Load() {
				return
			}
			w.bound[level] = 64*word + bits.TrailingZeros64(left)
			w.enumerate(level + 1)
		}
	}
}

// narrow narrows set i by what a level is bound to, and reports whether anything is left.
func (w *denseWorker) narrow(i, level int) bool {
	s, bit := &w.sets.asks[i], uint8(1)<<level
	from := w.sets.with[level][i]
	if (s.Near|s.Absent|s.Apart|s.Above)&bit == 0 {
		w.sets.with[level+1][i] = from
		return true
	}
	b := w.bound[level]
	to, row := w.sets.room[level+1][i][:len(from)], w.rows[b*w.words:][:len(from)]
	w.sets.with[level+1][i] = to
	switch {
	case s.Near&bit != 0:
		for k, word := range from {
			to[k] = word & row[k]
		}
	case s.Absent&bit != 0:
		for k, word := range from {
			to[k] = word &^ row[k]
		}
	default:
		copy(to, from)
	}
	is := true
	if level == 0 && w.Far != nil {
		b, is = w.far.at, w.far.is
	}
	if (s.Absent|s.Apart)&bit != 0 && is {
		to[b>>6] &^= 1 << (b & 63)
	}
	if s.Above&bit != 0 && b >= 0 {
		clear(to[:b>>6])
		to[b>>6] &= ^uint64(1) << (b & 63)
	}
	any := uint64(0)
	for _, word := range to {
		any |= word
	}
	return any != 0
}

// finish adds up the terms with all levels bound.
func (w *denseWorker) finish() (sum uint64) {
	var sizes [1 << match.MostTailSets]uint64
	first := w.sets.with[len(w.Levels)][len(w.Levels):]
	a, b, c := first[0], first[1], first[2]
	switch len(w.Tail) {
	case 1:
		for _, word := range a {
			sizes[1] += uint64(bits.OnesCount64(word))
		}
	case 2:
		b = b[:len(a)]
		for k, word := range a {
			sizes[1] += uint64(bits.OnesCount64(word))
			sizes[2] += uint64(bits.OnesCount64(b[k]))
			sizes[3] += uint64(bits.OnesCount64(word & b[k]))
		}
	default:
		b, c = b[:len(a)], c[:len(a)]
		for k, word := range a {
			sizes[1] += uint64(bits.OnesCount64(word))
			sizes[2] += uint64(bits.OnesCount64(b[k]))
			sizes[3] += uint64(bits.OnesCount64(word & b[k]))
			sizes[4] += uint64(bits.OnesCount64(c[k]))
			sizes[5] += uint64(bits.OnesCount64(word & c[k]))
			sizes[6] += uint64(bits.OnesCount64(b[k] & c[k]))
			sizes[7] += uint64(bits.OnesCount64(word & b[k] & c[k]))
		}
	}
	for i := range w.Terms {
		t := &w.Terms[i]
		product := uint64(t.Factor) // sums are modulo 2^64 and end in less: sizes are longestRoot at most, and four of them multiplied
		for _, set := range t.Sizes {
			product *= sizes[set]
		}
		sum += product
	}
	return sum
}
