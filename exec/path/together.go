package path

import (
	"math/bits"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// together searches from up to 64 vertices at a time and counts where walks end (MS-BFS, Then et al., VLDB 2014): a pair of a state and a vertex has a
// bit for each vertex that it was reached from, and is gone on from once a level, for all that reached it in the level before. It keeps its memory for the next
// search.
type together struct {
	search *Search
	c      *match.Closure
	hops   [][]togetherHop // by state
	// seen, next and front are by state, then by vertex: what a pair was reached from, what of that came in this level, and in the one before.
	seen, next, front []uint64
	level, come       []pair
	touched           []pair
}

type togetherHop struct {
	on *pcsr.Partition
	to int32
}

// pair is a vertex that is reached in a state.
type pair struct {
	state  int32
	vertex pcsr.Vertex
}

// togetherBytes is what searching a closure together takes for each pair, beside what is reached.
const togetherBytes = 24

func newTogether(s *Search, c *match.Closure) *together {
	t := &together{search: s, c: c, hops: make([][]togetherHop, c.States+1)}
	for _, h := range c.Hops {
		t.hops[h.From] = append(t.hops[h.From], togetherHop{c.Graph.Partition(h.Label, h.Direction), int32(h.To)})
	}
	size := c.States * c.Graph.Vertices()
	t.seen, t.next, t.front = make([]uint64, size), make([]uint64, size), make([]uint64, size)
	return t
}

func (t *together) bytes() int64 {
	return int64(len(t.seen))*togetherBytes + int64(cap(t.level)+cap(t.come)+cap(t.touched))*8
}

func (t *together) at(p pair) int { return int(p.state)*t.c.Graph.Vertices() + int(p.vertex) }

// count adds to counts at how many vertices walks from each source end.
func (t *together) count(sources []pcsr.Vertex, counts []uint64) error {
	defer t.clear()
	for i, v := range sources {
		if err := t.expand(pair{int32(t.c.States), v}, 1<<i); err != nil {
			return err
		}
	}
	for t.settle(); len(t.level) > 0; t.settle() {
		for _, p := range t.level {
			if err := t.expand(p, t.front[t.at(p)]); err != nil {
				return err
			}
		}
		if err := t.search.held.Need(t.search.Bytes() + t.bytes()); err != nil {
			return err
		}
	}
	t.ends(sources, counts)
	return nil
}

// expand goes on from a pair, for some sources.
func (t *together) expand(p pair, mask uint64) error {
	for _, h := range t.hops[p.state] {
		base := int(h.to) * t.c.Graph.Vertices()
		seen, next := t.seen[base:], t.next[base:]
		if err := t.search.reads(1); err != nil {
			return err
		}
		err := t.search.each(h.on.Neighbours(p.vertex), func(w pcsr.Vertex) error {
			if fresh := mask &^ seen[w]; fresh != 0 {
				if next[w] == 0 {
					t.come = append(t.come, pair{h.to, w})
				}
				next[w] |= fresh
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settle makes what came the next level.
func (t *together) settle() {
	t.level, t.come = t.come, t.level[:0]
	for _, p := range t.level {
		at := t.at(p)
		if t.seen[at] == 0 {
			t.touched = append(t.touched, p)
		}
		t.seen[at] |= t.next[at]
		t.front[at], t.next[at] = t.next[at], 0
	}
}

// ends counts what was reached in states in which walks may end, a vertex once for each source. What is counted is forgotten.
func (t *together) ends(sources []pcsr.Vertex, counts []uint64) {
	if t.c.Zero {
		first := int32(bits.TrailingZeros32(t.c.Ending))
		for i, v := range sources {
			p := pair{first, v}
			if t.seen[t.at(p)] == 0 {
				t.touched = append(t.touched, p)
			}
			t.seen[t.at(p)] |= 1 << i
		}
	}
	for _, p := range t.touched {
		mask := uint64(0)
		for states := t.c.Ending; states != 0; states &= states - 1 {
			at := t.at(pair{int32(bits.TrailingZeros32(states)), p.vertex})
			mask |= t.seen[at]
			t.seen[at] = 0
		}
		for ; mask != 0; mask &= mask - 1 {
			counts[bits.TrailingZeros64(mask)]++
		}
	}
}

// clear readies for the next search.
func (t *together) clear() {
	for _, list := range [][]pair{t.touched, t.come} {
		for _, p := range list {
			t.seen[t.at(p)], t.next[t.at(p)] = 0, 0
		}
	}
	t.level, t.come, t.touched = t.level[:0], t.come[:0], t.touched[:0]
}
