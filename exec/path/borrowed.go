package path

import "sync"

// Searches borrow what they need for each vertex of the graph, and give it back without a bit in it: a query may search very many small graphs, one after the other, whose vertices are
// numbered as those of all are.
var (
	bitmaps = sync.Pool{New: func() any { return new([]uint64) }}
	pieces  = sync.Pool{New: func() any { return new([nodePiece]node) }}
)

// borrowBitmap is a bitmap of some words, none of which has a bit.
func borrowBitmap(words int) []uint64 {
	if b := *bitmaps.Get().(*[]uint64); cap(b) >= words {
		return b[:words]
	}
	return make([]uint64, words)
}

// giveBack ends what borrowBitmap began. None of the words may have a bit.
func giveBack(bitmap []uint64) {
	if bitmap != nil {
		bitmaps.Put(&bitmap)
	}
}

// release gives back what a search has borrowed, which has to be done by searching without an error. It may be used again.
func (s *Search) release() {
	if s.seen != nil {
		s.begin()
		giveBack(s.seen)
		s.seen = nil
	}
	if s.levels != nil {
		giveBack(s.levels.front)
		s.levels.front = nil
	}
	for _, m := range s.machines {
		m.begin()
		for state, bitmap := range m.seen {
			giveBack(bitmap)
			m.seen[state] = nil
		}
		for _, p := range m.nodes {
			pieces.Put(p)
		}
		m.nodes, m.size, m.grown = nil, 0, 0
	}
}
