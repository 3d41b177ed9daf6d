package pcsr

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// batch has the keys of the edges of one label that are to be added and removed.
type batch struct {
	label          Label
	added, removed []uint64
	adding, taking int // how many these are to be
}

// split gathers the edges by their labels, ascending; the goroutines are the sorter's.
func split(added, removed []Edge, by *keySorter) []batch {
	if l, only := onlyLabel(added, removed, by); only {
		return []batch{{label: l, added: keysOf(added, by), removed: keysOf(removed, by)}}
	}
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

// onlyLabel is the label of all edges, where there is one.
func onlyLabel(added, removed []Edge, by *keySorter) (l Label, only bool) {
	for _, edges := range [2][]Edge{added, removed} {
		if len(edges) > 0 {
			l, only = edges[0].Label, true
		}
	}
	var other atomic.Bool
	for _, edges := range [2][]Edge{added, removed} {
		by.across(len(edges), func(low, high int) {
			if slices.ContainsFunc(edges[low:high], func(e Edge) bool { return e.Label != l }) {
				other.Store(true)
			}
		})
	}
	return l, only && !other.Load()
}

// keysOf are the keys of edges.
func keysOf(edges []Edge, by *keySorter) []uint64 {
	keys := make([]uint64, len(edges))
	by.across(len(edges), func(low, high int) {
		for i, e := range edges[low:high] {
			keys[low+i] = edgeKey(e.From, e.To)
		}
	})
	return keys
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
