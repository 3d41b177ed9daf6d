package pcsr

import (
	"cmp"
	"slices"
)

// batch has the keys of the edges of one label that are to be added and removed.
type batch struct {
	label          Label
	added, removed []uint64
	adding, taking int // how many these are to be
}

// split gathers the edges by their labels, ascending.
func split(added, removed []Edge) []batch {
	s := splitter{at: map[Label]int{}}
	for _, e := range added {
		s.batch(e.Label).adding++
	}
	for _, e := range removed {
		s.batch(e.Label).taking++
	}
	s.makeRoom(make([]uint64, len(added)+len(removed)))
	for _, e := range added {
		b := s.batch(e.Label)
		b.added = append(b.added, edgeKey(e.From, e.To))
	}
	for _, e := range removed {
		b := s.batch(e.Label)
		b.removed = append(b.removed, edgeKey(e.From, e.To))
	}
	slices.SortFunc(s.batches, func(a, b batch) int { return cmp.Compare(a.label, b.label) })
	return s.batches
}

// splitter finds the batches of labels.
type splitter struct {
	batches []batch
	at      map[Label]int
	last    int // the batch that was asked for last
}

// batch is that of a label.
func (s *splitter) batch(l Label) *batch {
	if s.last < len(s.batches) && s.batches[s.last].label == l {
		return &s.batches[s.last]
	}
	i, known := s.at[l]
	if !known {
		i = len(s.batches)
		s.at[l], s.batches = i, append(s.batches, batch{label: l})
	}
	s.last = i
	return &s.batches[i]
}

// makeRoom cuts memory into pieces for the keys of each batch.
func (s *splitter) makeRoom(keys []uint64) {
	for i := range s.batches {
		b := &s.batches[i]
		b.added, keys = keys[:0:b.adding], keys[b.adding:]
		b.removed, keys = keys[:0:b.taking], keys[b.taking:]
	}
}
