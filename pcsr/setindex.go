package pcsr

import (
	"slices"
	"sync/atomic"
)

// setIndex finds the numbers of a graph's label sets by their labels.
type setIndex struct {
	sets  *Partition
	slots []uint32 // number of a set + 1; 0 is free
}

// setNumber is the number of a label set.
type setNumber struct {
	unranked
	number uint32
}

func newSetIndex(sets *Partition) *setIndex {
	size := 16
	for size < 2*sets.Rows() {
		size *= 2
	}
	x := &setIndex{sets: sets, slots: make([]uint32, size)}
	for set := range sets.Rows() {
		at := hashLabels(sets.List(set)) % uint64(size)
		for x.slots[at] != 0 {
			at = (at + 1) % uint64(size)
		}
		x.slots[at] = uint32(set) + 1
	}
	return x
}

// find returns the number of a set, and whether there is one.
func (x *setIndex) find(labels []Label) (uint32, bool) {
	for at := hashLabels(labels) % uint64(len(x.slots)); x.slots[at] != 0; at = (at + 1) % uint64(len(x.slots)) {
		if set := x.slots[at] - 1; slices.Equal(x.sets.List(int(set)), labels) {
			return set, true
		}
	}
	return 0, false
}

func hashLabels(list []Label) uint64 {
	h := uint64(len(list))
	for _, l := range list {
		h = (h ^ uint64(l)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// setNumbers gives numbers to label sets: those that they have, and behind them new ones.
type setNumbers struct {
	sets  *Partition      // all that there are
	index *setIndex       // of the first of them
	known tree[setNumber] // the others and new ones, by their hashes
	fresh [][]Label       // the new ones
}

// number returns the number of the set of some labels.
func (s *setNumbers) number(labels []Label) uint32 {
	if n, ok := s.index.find(labels); ok {
		return n
	}
	h := uint32(hashLabels(labels) >> 32)
	for ; ; h++ {
		known := s.known.get(h)
		if known == nil {
			break
		}
		if slices.Equal(s.list(known.number), labels) {
			return known.number
		}
	}
	n := uint32(s.sets.Rows() + len(s.fresh))
	s.fresh = append(s.fresh, slices.Clone(labels))
	s.known = s.known.edit([]uint32{h}, func(int, *setNumber) (setNumber, bool) { return setNumber{number: n}, true })
	return n
}

// list is the labels of a set.
func (s *setNumbers) list(set uint32) []Label {
	if n := uint32(s.sets.Rows()); set >= n {
		return s.fresh[set-n]
	}
	return s.sets.Neighbours(set)
}

// extend returns the sets with the new ones.
func (s *setNumbers) extend(held *atomic.Int64) *Partition {
	if len(s.fresh) == 0 {
		return s.sets
	}
	var keys []uint64
	for i, labels := range s.fresh {
		for _, l := range labels {
			keys = append(keys, edgeKey(Vertex(s.sets.Rows()+i), l))
		}
	}
	return s.sets.change(&patchEdit{}, keys, nil, held)
}
