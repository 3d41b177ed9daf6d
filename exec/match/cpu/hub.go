package cpu

import "github.com/rdfgpu/rdfgpu/pcsr"

// hubs keeps long lists that come again and again, in any order, as bitmaps: members of short lists are looked up in
// them one by one, without searching.
type hubs struct {
	places []mark
	used   []int
	words  int // of bitmaps kept
}

const (
	// A bitmap may take hubSparse words for each member of its list, all of a worker's hubMemory words.
	hubSparse, hubMemory = 4, 2 << 20
	hubBits              = 12
)

// find returns the bitmap of a list, nil where there is none yet.
func (h *hubs) find(list []pcsr.Vertex, often int) *bitmap {
	last := len(list) - 1
	words := int(list[last]-list[0])/64 + 1
	if words > hubSparse*len(list) {
		return nil
	}
	if h.places == nil {
		h.places = make([]mark, 1<<hubBits)
	}
	place := (list[0]*0x9E3779B1 ^ list[last]*0x85EBCA77 ^ uint32(last)*0xC2B2AE3D) * 0x27D4EB2F >> (32 - hubBits)
	m := &h.places[place]
	if len(m.list) != len(list) || &m.list[0] != &list[0] {
		if m.on {
			return nil
		}
		if m.list == nil {
			h.used = append(h.used, int(place))
		}
		m.begin(list)
		return nil
	}
	if m.on {
		return &m.bits
	}
	if h.words+words > hubMemory {
		return nil
	}
	b := m.often(often)
	if b != nil {
		h.words += words
	}
	return b
}

// forget drops all lists, which belong to a graph, and keeps the memory.
func (h *hubs) forget() {
	for _, place := range h.used {
		h.places[place].forget()
	}
	h.used, h.words = h.used[:0], 0
}
