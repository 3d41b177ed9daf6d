package cpu

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// hubs are long lists that come again and again, in any order, as bitmaps: members of short lists are looked up in
// them one by one, without searching. All workers of a run have them in common; each is made by who has met its list often enough first, and stays as it is.
type hubs struct {
	places [1 << hubBits]atomic.Pointer[hub]
	words  atomic.Int64 // of bitmaps kept

	mu   sync.Mutex // guards what follows
	used []uint32   // places
	kept []*hub     // without lists, by place, whose memory has what the last one left: the next run has much the same lists
}

// hub is a list and its bitmap, which is there when it has been made.
type hub struct {
	list []pcsr.Vertex
	made atomic.Bool
	bits bitmap
}

const (
	// A bitmap may take hubSparse words for each member of its list, all of a run's hubMemory words.
	hubSparse, hubMemory = 4, 2 << 20
	hubBits              = 12
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
	place := (list[0]*0x9E3779B1 ^ list[last]*0x85EBCA77 ^ uint32(last)*0xC2B2AE3D) * 0x27D4EB2F >> (32 - hubBits)
	if all != nil {
		if h := all.places[place].Load(); h != nil {
			if len(h.list) == len(list) && &h.list[0] == &list[0] && h.made.Load() {
				return &h.bits
			}
			return nil
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

// dropHubs ends the use of the run's hubs; the matcher keeps the memory of one run's.
func (r *run) dropHubs() {
	if h := r.hubs.Swap(nil); h != nil {
		h.clear()
		r.matcher.hubs.Store(h)
	}
}

// add makes the bitmap of a list, if there is room for it; nil where another has its place by then. Who comes while it is made does without.
func (h *hubs) add(list []pcsr.Vertex, place uint32, words int64) *bitmap {
	if h.words.Add(words) > hubMemory {
		h.words.Add(-words)
		return nil
	}
	n := h.take(place)
	n.list = list
	n.made.Store(false)
	placed := h.places[place].CompareAndSwap(nil, n)
	if placed {
		clear(n.bits.words)
		n.bits.set(list)
		n.made.Store(true)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if placed {
		h.used = append(h.used, place)
		return &n.bits
	}
	h.words.Add(-words)
	if n.list = nil; h.kept[place] == nil {
		h.kept[place] = n
	}
	return nil
}

// take returns a hub without a list for a place.
func (h *hubs) take(place uint32) *hub {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kept == nil {
		h.kept = make([]*hub, len(h.places))
	}
	n := h.kept[place]
	if h.kept[place] = nil; n == nil {
		n = &hub{}
	}
	return n
}

// clear drops all lists, which belong to a graph, and keeps the memory. One goroutine does that, so the bitmaps are cleared when they are used again.
func (h *hubs) clear() {
	for _, place := range h.used {
		n := h.places[place].Swap(nil)
		n.list, h.kept[place] = nil, n
	}
	h.used = h.used[:0]
	h.words.Store(0)
}
