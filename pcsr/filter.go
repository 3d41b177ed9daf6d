package pcsr

import "sync/atomic"

// filter says of vertices that they have no entry in a patch, or that they may have one: two bits of one word a vertex
// (Putze, Sanders and Singler, Cache-, hash- and space-efficient Bloom filters, 2007: blocked filters). It is shared by all
// patches over one ground; vertices that one of them adds may be taken for entries by the others. Copies are one and the same.
type filter struct {
	words []atomic.Uint64
	shift uint8 // 64 less the bits of the number of words
}

const (
	// filterWord is the number of vertices for each word of a full filter: one in fifty others passes.
	filterWord = 4
	// leastFilter is the number of words of the smallest.
	leastFilter = 16
)

// filterFor returns a filter of the row vertices of a patch: was, where it has room for all, with the vertices added, or a new one with all of rows.
func filterFor[V ranked](was filter, rows tree[V], added []Vertex) filter {
	if rows.size() <= filterWord*len(was.words) {
		for _, v := range added {
			was.add(v)
		}
		return was
	}
	words, shift := leastFilter, uint8(60)
	for 2*rows.size() > filterWord*words {
		words, shift = 2*words, shift-1
	}
	f := filter{words: make([]atomic.Uint64, words), shift: shift}
	rows.ascend(0, func(v Vertex, _ *V) bool {
		f.add(v)
		return true
	})
	return f
}

// bits are the word of a vertex and its bits there.
func (f *filter) bits(v Vertex) (word, bits uint64) {
	h := uint64(v+1) * 0x9E3779B97F4A7C15
	return h >> (f.shift & 63), 1<<(h>>24&63) | 1<<(h>>18&63)
}

func (f *filter) add(v Vertex) {
	word, bits := f.bits(v)
	if w := &f.words[word]; w.Load()&bits != bits {
		w.Or(bits)
	}
}

// has reports whether v may have been added.
func (f *filter) has(v Vertex) bool {
	word, bits := f.bits(v)
	return f.words[word].Load()&bits == bits
}
