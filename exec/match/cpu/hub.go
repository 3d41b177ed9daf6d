package cpu

import (
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// hubs are long lists that come again and again, in any order, as bitmaps: members of short lists are looked up in
// them one by one, without searching. All workers of a run have them in common; each is made by who has met its list often enough first, and stays as it is.
// Nobody waits for anybody: who is woken by another one gets a thread only when that one has nothing more to do.
type hubs struct {
	places [1 << hubBits]atomic.Pointer[hub]
	words  atomic.Int64         // of bitmaps of the run
	room   atomic.Int64         // in words, of bitmaps of all runs that had these hubs
	used   [1 << hubBits]uint32 // places, the first of them
	n      atomic.Int32         // how many of those

	current currents
}

// hub is a list and its bitmap. Its memory stays with its place: the next run has much the same lists.
type hub struct {
	state atomic.Int32 // one of those below
	list  []pcsr.Vertex
	bits  bitmap
}

// The states of a hub: it may be taken for a list, it is being made, it has been made.
const (
	free = iota
	taken
	made
)

const (
	// A bitmap may take hubSparse words for each member of its list, all of a run's hubMemory words, and what is kept for later runs hubRoom.
	hubSparse, hubMemory, hubRoom = 4, 2 << 20, 4 << 20
	hubBits                       = 12
)

// watch is a list of n members between two that a worker has seen so often in a run, by the end of its number. (Lists that look alike are counted as one, which
// makes a bitmap sooner. It points nowhere, so that nothing has to be dropped when a worker ends.)
type watch struct {
	first, last pcsr.Vertex
	n           uint32
	seen, run   uint16
}

// hub returns the bitmap of a list, nil where there is none yet.
func (w *worker) hub(list []pcsr.Vertex) *bitmap {
	all := w.run.hubs.Load()
	if all == nil && w.work < w.tuning.quiet {
		return nil
	}
	last := len(list) - 1
	words := int(list[last]-list[0])/64 + 1
	if words > hubSparse*len(list) {
		return nil
	}
	place := placeOf(list) >> (32 - hubBits)
	if all != nil {
		if h := all.places[place].Load(); h != nil {
			switch state := h.state.Load(); {
			case state == made && len(h.list) == len(list) && &h.list[0] == &list[0]:
				return &h.bits
			case state != free:
				return nil
			}
		}
	}
	if w.watched == nil {
		w.watched = make([]watch, 1<<hubBits)
	}
	m := &w.watched[place]
	if is := (watch{list[0], list[last], uint32(len(list)), 0, uint16(w.number)}); m.first != is.first || m.last != is.last || m.n != is.n || m.run != is.run {
		*m = is
	}
	if m.seen++; int(m.seen) <= w.often {
		return nil
	}
	return w.run.commonHubs().add(list, place, int64(words))
}

// placeOf hashes a list by its ends and its length.
func placeOf(list []pcsr.Vertex) uint32 {
	last := len(list) - 1
	return (list[0]*0x9E3779B1 ^ list[last]*0x85EBCA77 ^ uint32(last)*0xC2B2AE3D) * 0x27D4EB2F
}

// commonHubs are the hubs of the run, made when they are first wanted.
func (r *run) commonHubs() *hubs {
	for {
		if h := r.hubs.Load(); h != nil {
			return h
		}
		h := r.matcher.hubs.Swap(nil)
		if h == nil {
			h = &hubs{}
		}
		if !r.hubs.CompareAndSwap(nil, h) {
			r.matcher.hubs.Store(h)
		}
	}
}

// dropHubs ends the use of the run's hubs; the matcher keeps the memory of one run's, unless it has become too much. Where they are many, the run does not wait until that is
// done.
func (r *run) dropHubs() {
	h := r.hubs.Swap(nil)
	if h == nil || h.room.Load() > hubRoom {
		return
	}
	drop := func() {
		h.drop()
		r.matcher.hubs.Store(h)
	}
	if h.n.Load() > fewHubs {
		go drop()
	} else {
		drop()
	}
}

// fewHubs are dropped in less time than it takes to begin something else.
const fewHubs = 32

// add makes the bitmap of a list, if there is room for it; nil where another has its place by then. Who comes while it is made does without.
func (h *hubs) add(list []pcsr.Vertex, place uint32, words int64) *bitmap {
	if h.words.Load()+words > hubMemory { // to read this is cheaper than to take it back
		return nil
	}
	n := h.places[place].Load()
	if n == nil {
		h.places[place].CompareAndSwap(nil, &hub{})
		n = h.places[place].Load()
	}
	if !n.state.CompareAndSwap(free, taken) {
		return nil
	}
	if h.words.Add(words) > hubMemory {
		h.words.Add(-words)
		n.state.Store(free)
		return nil
	}
	h.used[h.n.Add(1)-1] = place
	n.list = list
	clear(n.bits.words) // of the list before
	before := cap(n.bits.words)
	n.bits.set(list)
	h.room.Add(int64(cap(n.bits.words) - before))
	n.state.Store(made)
	return &n.bits
}

// drop lets go of all lists, which belong to a graph, and keeps the memory; the bitmaps are cleared by who uses them again.
func (h *hubs) drop() {
	if h.room.Load()+h.current.drop() > hubRoom {
		clear(h.current.spare[:])
	}
	for _, place := range h.used[:h.n.Load()] {
		n := h.places[place].Load()
		n.list = nil
		n.state.Store(free)
	}
	h.n.Store(0)
	h.words.Store(0)
}
