package live

import (
	"iter"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// fate is what became of an edge: whether the first and the last of its changes removed it. They alternate.
type fate struct{ firstGone, lastGone bool }

// fates are what became of edges of one graph: a table of open addressing with linear probing, at a load of at most 1/2. The zero value
// is empty.
type fates struct {
	slots []fated // a power of two, or none
	edges int
}

// fated is a slot, of 16 bytes; one that is not known is empty.
type fated struct {
	pcsr.Edge
	fate
	known bool
}

// leastFates is how many slots the smallest table has.
const leastFates = 64

// note notes a change of an edge, and reports whether it is the first.
func (t *fates) note(e pcsr.Edge, gone bool) (first bool) {
	if 2*t.edges >= len(t.slots) {
		t.grow()
	}
	slot := t.slot(e)
	if first = !slot.known; first {
		*slot = fated{Edge: e, fate: fate{firstGone: gone}, known: true}
		t.edges++
	}
	slot.lastGone = gone
	return first
}

// of is the fate of an edge, where it has one.
func (t *fates) of(e pcsr.Edge) (f fate, known bool) {
	if t == nil || t.edges == 0 {
		return fate{}, false
	}
	slot := t.slot(e)
	return slot.fate, slot.known
}

// slot is where an edge is, or would be.
func (t *fates) slot(e pcsr.Edge) *fated {
	last := uint64(len(t.slots) - 1)
	for i := hashEdge(e) & last; ; i = (i + 1) & last {
		if slot := &t.slots[i]; slot.Edge == e || !slot.known {
			return slot
		}
	}
}

// hashEdge mixes an edge into 64 bits (the finalizer of MurmurHash3, by Appleby).
func hashEdge(e pcsr.Edge) uint64 {
	h := (uint64(e.From)<<32 | uint64(e.To)) ^ uint64(e.Label)*0x9E3779B97F4A7C15
	h = (h ^ h>>33) * 0xFF51AFD7ED558CCD
	h = (h ^ h>>33) * 0xC4CEB9FE1A85EC53
	return h ^ h>>33
}

// grow makes the table twice as large.
func (t *fates) grow() {
	was := t.slots
	t.slots = make([]fated, max(leastFates, 2*len(was)))
	for i := range was {
		if was[i].known {
			*t.slot(was[i].Edge) = was[i]
		}
	}
}

// all yields the edges and their fates, in no order that means anything; t may be nil.
func (t *fates) all() iter.Seq2[pcsr.Edge, fate] {
	return func(yield func(pcsr.Edge, fate) bool) {
		if t == nil {
			return
		}
		for i := range t.slots {
			if s := &t.slots[i]; s.known && !yield(s.Edge, s.fate) {
				return
			}
		}
	}
}

// clear empties the table, and keeps its memory.
func (t *fates) clear() {
	clear(t.slots)
	t.edges = 0
}
