package pcsr

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// batch has the keys of the edges of one label that are to be added and removed.
type batch struct {
	label          Label
	added, removed []uint64
	adding, taking int // how many these are to be
	// paired: each edge that is to be added, and each that is to be removed, stands beside the one that leads back. loopless: none leads from a vertex to
	// itself. within has all keys. Each only where that is known.
	paired, loopless bool
	within           *radix.Span
}

// split gathers the edges by their labels, ascending; the goroutines are the sorter's. It returns also the greatest vertex of those that are added, and
// their greatest label.
func split(added, removed []Edge, by *keySorter) (batches []batch, most Vertex, label Label) {
	if b, most, only := oneBatch(added, removed, by); only {
		return []batch{b}, most, b.label
	}
	s := splitter{at: map[Label]int{}}
	for _, e := range added {
		s.batch(e.Label).adding++
		most, label = max(most, e.From, e.To, e.Label), max(label, e.Label)
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
	return s.batches, most, label
}

// oneBatch is the batch of all edges, where they have one label, and the greatest vertex of those that are added.
func oneBatch(added, removed []Edge, by *keySorter) (b batch, most Vertex, only bool) {
	for _, edges := range [2][]Edge{added, removed} {
		if len(edges) > 0 {
			b.label = edges[0].Label
		}
	}
	for _, edges := range [2][]Edge{added, removed} {
		if n := len(edges); n > 0 && (edges[0].Label != b.label || edges[n-1].Label != b.label) {
			return b, 0, false
		}
	}
	came := by.keysOf(added, b.label)
	b.added, most = came.keys, came.most.Load()
	if came.other.Load() {
		return b, 0, false
	}
	gone := by.keysOf(removed, b.label)
	b.removed, b.paired, b.loopless = gone.keys, !came.single.Load() && !gone.single.Load(), !came.loop.Load() && !gone.loop.Load()
	b.within = &radix.Span{Least: uint64(min(came.least.Load(), gone.least.Load())) << 32, Most: uint64(max(most, gone.most.Load()))<<32 | noVertex}
	return b, most, !gone.other.Load() && len(added)+len(removed) > 0
}

// labelKeys are the keys of edges, and what was seen of these.
type labelKeys struct {
	keys []uint64
	// least is the smallest vertex from which one leads, most the greatest of all, also among the labels. other: one has another label. single: one is not
	// beside the one that leads back. loop: one leads from a vertex to itself.
	least, most         atomic.Uint32
	other, single, loop atomic.Bool
}

// keysOf are the keys of edges, which should have a label.
func (s *keySorter) keysOf(edges []Edge, l Label) *labelKeys {
	k := &labelKeys{keys: machine.Uncleared[uint64](len(edges))}
	k.single.Store(len(edges)%2 == 1)
	k.least.Store(noVertex)
	s.across(len(edges), func(low, high int) {
		least, most, other, single, loop := Vertex(noVertex), l, false, false, false
		for i := low; i < high; i++ {
			e := edges[i]
			k.keys[i] = edgeKey(e.From, e.To)
			least, most = min(least, e.From), max(most, e.From, e.To, e.Label)
			other, loop = other || e.Label != l, loop || e.From == e.To
			if beside := i ^ 1; beside < len(edges) {
				single = single || edges[beside].From != e.To || edges[beside].To != e.From
			}
		}
		raise(&k.most, most)
		lower(&k.least, least)
		for _, seen := range []struct {
			is   bool
			flag *atomic.Bool
		}{{other, &k.other}, {single, &k.single}, {loop, &k.loop}} {
			if seen.is {
				seen.flag.Store(true)
			}
		}
	})
	return k
}

// raise makes a number at least v.
func raise(n *atomic.Uint32, v uint32) {
	for was := n.Load(); was < v && !n.CompareAndSwap(was, v); was = n.Load() {
	}
}

// lower makes a number at most v.
func lower(n *atomic.Uint32, v uint32) {
	for was := n.Load(); was > v && !n.CompareAndSwap(was, v); was = n.Load() {
	}
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
