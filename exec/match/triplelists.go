package match

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TripleLists are the lists that triangles are counted by (Triangle). Vertices are numbered by degree; each has an upper list, its neighbours of greater
// number.
type TripleLists struct {
	// Vertices is how many are numbered.
	Vertices int
	// Offsets and To are the upper lists, by number: numbers by 4, and 1 where an edge leads there, 2 where one leads back.
	Offsets, To []uint32
	// Looped are the vertices with an edge to themselves; the others how many neighbours they have by edges there, back, and both.
	Looped, LoopedOut, LoopedIn, LoopedBoth atomic.Uint64

	numbers []uint32
	order   []pcsr.Vertex
	// out and in are the neighbours; in is nil where all edges lead both ways.
	out, in *pcsr.Partition
}

// NewTripleLists numbers the vertices of a label. It takes 8 bytes for each vertex of the graph.
func NewTripleLists(ctx context.Context, g *pcsr.Graph, label pcsr.Label) (*TripleLists, error) {
	t := &TripleLists{out: g.Partition(label, pcsr.Out), in: g.Partition(label, pcsr.In)}
	keys := BothWays(label)
	if g.Undirected(label) {
		keys, t.in = keys[:1], nil
	}
	order, err := OrderVertices(ctx, g, keys)
	if err != nil {
		return nil, err
	}
	t.numbers, t.Vertices, t.order = order.Numbers, order.Count, order.Vertices(g, keys)
	return t, nil
}

// List makes the upper lists in what room has for so many words: how long they are, then what is in them. each calls a function with each number, by as many
// threads as it likes.
func (t *TripleLists) List(room func(words int) ([]uint32, error), each func(f func(v uint32)) error) (err error) {
	if t.Offsets, err = room(t.Vertices + 1); err != nil {
		return err
	}
	if err = each(func(v uint32) {
		n := uint32(0)
		t.Neighbours(v, func(x, _ uint32) {
			if x > v {
				n++
			}
		})
		t.Offsets[v+1] = n
	}); err != nil {
		return err
	}
	if t.To, err = room(begin(t.Offsets)); err != nil {
		return err
	}
	return each(func(v uint32) {
		next := t.Offsets[v]
		t.Neighbours(v, func(x, edges uint32) {
			if x > v {
				t.To[next] = x<<2 | edges
				next++
			} else if x == v {
				t.loop(v)
			}
		})
	})
}

// begin makes of lists' lengths, each behind the place of its list, where they begin, and returns where the last ends.
func begin(offsets []uint32) int {
	offsets[0] = 0
	for i := 1; i < len(offsets); i++ {
		offsets[i] += offsets[i-1]
	}
	return int(offsets[len(offsets)-1])
}

// Walks makes alike the lists of the neighbours, lesser ones too, whose upper list is shorter than a number's own and not empty; of two that are as long the
// greater number's. The entries are as in To.
func (t *TripleLists) Walks(room func(words int) ([]uint32, error), each func(f func(v uint32)) error) (offsets, via []uint32, err error) {
	if offsets, err = room(t.Vertices + 1); err != nil {
		return nil, nil, err
	}
	walked := func(v, x uint32) bool {
		own, n := len(t.Upper(v)), len(t.Upper(x))
		return n > 0 && (n < own || n == own && x > v)
	}
	if err = each(func(v uint32) {
		n := uint32(0)
		t.Neighbours(v, func(x, _ uint32) {
			if walked(v, x) {
				n++
			}
		})
		offsets[v+1] = n
	}); err != nil {
		return nil, nil, err
	}
	if via, err = room(begin(offsets)); err != nil {
		return nil, nil, err
	}
	return offsets, via, each(func(v uint32) {
		next := offsets[v]
		t.Neighbours(v, func(x, edges uint32) {
			if walked(v, x) {
				via[next] = x<<2 | edges
				next++
			}
		})
	})
}

// Upper is the upper list of a number.
func (t *TripleLists) Upper(v uint32) []uint32 { return t.To[t.Offsets[v]:t.Offsets[v+1]] }

// Neighbours calls f with the numbers of a number's neighbours, each once, and the edges in between, as in To.
func (t *TripleLists) Neighbours(v uint32, f func(x, edges uint32)) {
	out := t.out.Neighbours(t.order[v])
	if t.in == nil {
		for _, a := range out {
			f(t.numbers[a], 3)
		}
		return
	}
	in := t.in.Neighbours(t.order[v])
	for len(out) > 0 && len(in) > 0 {
		a, b := out[0], in[0]
		if a <= b {
			out = out[1:]
		}
		if b <= a {
			in = in[1:]
		}
		switch {
		case a < b:
			f(t.numbers[a], 1)
		case a > b:
			f(t.numbers[b], 2)
		default:
			f(t.numbers[a], 3)
		}
	}
	for _, a := range out {
		f(t.numbers[a], 1)
	}
	for _, b := range in {
		f(t.numbers[b], 2)
	}
}

// loop adds what an edge of a number to itself takes part in.
func (t *TripleLists) loop(v uint32) {
	t.Looped.Add(1)
	t.Neighbours(v, func(x, edges uint32) {
		switch {
		case x == v:
		case edges == 3:
			t.LoopedBoth.Add(1)
			t.LoopedOut.Add(1)
			t.LoopedIn.Add(1)
		case edges == 1:
			t.LoopedOut.Add(1)
		default:
			t.LoopedIn.Add(1)
		}
	})
}
