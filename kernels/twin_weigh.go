package kernels

import "math"

// factorOf is extend.cuh's.
func (t *twin) factorOf(l *Link, row uint64, v uint32) uint64 {
	switch {
	case l.OtherCount > 0:
		return uint64(t.common(l, row, v))
	case LinkKind(l.Kind) != Weights:
		return uint64(t.factor(l, row, v))
	}
	r := uint32(0)
	if l.Partition != 0 {
		r = t.rowOf(in[Partition](t.memory, l.Partition, 0), t.value(&l.From, row, v))
	}
	if r == None {
		return 0
	}
	return *in[uint64](t.memory, l.ListAt, uint64(r))
}

// common is extend.cuh's, without any.
func (t *twin) common(l *Link, row uint64, v uint32) (n uint32) {
	found := t.narrow(t.resolve(l, row, v), l.Low, l.High)
	for i := range uint64(found.size) {
		member := t.element(found.begin, i)
		counts := true
		for k := range uint64(l.OtherCount) {
			counts = counts && t.contains(t.narrow(t.resolve(in[Link](t.memory, l.Others, k), row, v), l.Low, l.High), member)
		}
		for k := range uint64(l.ExceptCount) {
			counts = counts && t.value(in[Operand](t.memory, l.Except, k), row, v) != member
		}
		if counts {
			n++
		}
	}
	return n
}

// noLink is the choice of a candidate that comes from none of its step's links.
const noLink = Shared - 1

// memberWeight is weigh.cu's.
func (t *twin) memberWeight(s *Step, v uint32) uint64 {
	if v < s.Low || s.High != 0 && v >= s.High || !t.passes(s, 0, v, noLink) {
		return 0
	}
	return t.weigh(s, 0, v)
}

// plus is weigh.cu's.
func plus(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}

// weighLists carries a Weighing out.
func (t *twin) weighLists(w *Weighing) {
	for row := range w.Rows {
		first, end := row, row+1
		if w.Offsets != 0 {
			first, end = t.word(w.Offsets, uint64(row)), t.word(w.Offsets, uint64(row)+1)
		}
		sum := uint64(0)
		for e := first; e < end; e++ {
			sum = plus(sum, t.memberWeight(&w.Step, t.element(w.Members, uint64(e))))
		}
		*in[uint64](t.memory, w.Weights, uint64(row)) = sum
	}
}
