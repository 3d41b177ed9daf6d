package cpu

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// isPair reports whether the candidates are what two lists of neighbours by constant labels have in common, or what the first has alone.
func (s *step) isPair() bool {
	if len(s.dynamic) == 0 || len(s.dynamic)+len(s.apart) != 2 || s.tests() || s.Low != 0 || s.High != dictionary.None {
		return false
	}
	if a, b := s.pair(); a.partition == nil || b.partition == nil {
		return false
	}
	return !s.IsOrdered() && len(s.static)+len(s.checks)+len(s.Distinct)+len(s.Plan.EdgeDistinct) == 0
}

// pair is the two lists of a step that has two.
func (s *step) pair() (a, b *dynamicList) {
	if len(s.apart) > 0 {
		return &s.dynamic[0], &s.apart[0]
	}
	return &s.dynamic[0], &s.dynamic[1]
}

// shortPair is the longest list, and longPair the longest of the other, that are merged for each partial match without being looked up in
// what is remembered; of a list of fewPair members each is searched in the other.
const shortPair, longPair, fewPair = 8, 64, 4

// countPair counts what two short lists have in common, or the first has alone; false where they are long.
func (w *worker) countPair(s *step) (n uint64, ok bool) {
	x, y := s.pair()
	a := x.partition.Neighbours(w.values[x.from.Slot])
	if len(a) == 0 {
		return 0, true
	}
	if n, ok = w.countShort(a, y.partition.Neighbours(w.value(y.from))); len(s.apart) > 0 { // what is apart may be a constant's
		n = uint64(len(a)) - n
	}
	return n, ok
}

// countShort counts what two short lists have in common; false where they are long.
func (w *worker) countShort(a, b []pcsr.Vertex) (n uint64, ok bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(b) <= longPair && len(a) <= shortPair:
		w.work += len(a) + len(b)
		return countMerged(a, b), true
	case len(a) <= fewPair:
		w.work += bgp.SearchPrice * len(a)
		for _, v := range a {
			if pcsr.Contains(b, v) {
				n++
			}
		}
		return n, true
	}
	return 0, false
}

// countMerged counts the common members of two lists.
func countMerged(a, b []pcsr.Vertex) (n uint64) {
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x < y:
			a = a[1:]
		case x > y:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}
