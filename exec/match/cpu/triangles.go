package cpu

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// triangles counts a cycle of three edges by triples of neighbours (match.Triangle). Vertices are numbered by degree. Each triple is met once, at the
// edge of its least and its middle vertex, whose upper lists (their neighbours of greater number) are intersected: members of the longer one are
// marked, at the vertex that has it, and the shorter ones of its neighbours are walked.
type triangles struct {
	*match.Triangle
	pieces
	vertices int
	numbers  []uint32
	order    []pcsr.Vertex
	// out and in are the neighbours; in is nil where all edges lead both ways.
	out, in *pcsr.Partition
	// offsets and to are the upper lists: numbers by 4, and 1 where an edge leads there, 2 where one leads back.
	offsets, to []uint32

	sum atomic.Uint64
	// loops are the vertices with an edge to themselves; the others how many neighbours they have by edges there, back, and both.
	loops, loopOut, loopIn, loopBoth atomic.Uint64
}

// heavyTriangles are the vertices, of most neighbours, that workers take one at a time.
const heavyTriangles = 1 << 16

// neighbourhoodsPrice is how much a plan must cost, in candidates an edge of its label, for triangles of edges that lead both ways being counted by triples
// instead of in neighbourhoods, which follow the numbers of vertices and so have the long lists of those with many neighbours. Of stores, graph A costs
// 29 and takes 1.5 times as long by triples, Wiki-Vote 54 and 0.76 times, R-MAT graphs of 2^14 to 2^20 vertices 102 to 436 and 0.54 to 0.58 times.
const neighbourhoodsPrice = 48

// paysTriples reports whether triples are worth the making of lists by degree, where there could be neighbourhoods.
func (p *join) paysTriples() bool {
	return p.tuning.TriplesFirst || p.Plan.Cost >= neighbourhoodsPrice*float64(p.Graph.Outline(p.Triangle.Label, pcsr.Out).Edges())
}

// countTriangles counts a plan by triples; false where there is no room. Its memory: 4 bytes for each edge, 16 for each vertex, and 1 for each vertex and
// worker.
func countTriangles(ctx context.Context, p *join) (n uint64, ok bool, err error) {
	t := &triangles{Triangle: p.Triangle, pieces: pieces{p: p}}
	keys := match.BothWays(t.Label)
	t.out, t.in = p.Graph.Partition(t.Label, pcsr.Out), p.Graph.Partition(t.Label, pcsr.In)
	if p.Graph.Undirected(t.Label) {
		keys, t.in = keys[:1], nil
	}
	give, ok := p.reserve(4*int64(t.out.Edges()) + 16*int64(p.Graph.Vertices()))
	if !ok {
		return 0, false, nil
	}
	defer give()
	order, err := match.OrderVertices(ctx, p.Graph, keys)
	if err != nil {
		return 0, true, err
	}
	t.numbers, t.vertices, t.order = order.Numbers, order.Count, order.Vertices(p.Graph, keys)
	if err := t.list(ctx); err != nil {
		return 0, true, err
	}
	heavy := min(t.vertices, heavyTriangles)
	ok, err = t.share(ctx, pieceCount(t.vertices, heavy), int64(t.vertices), func(take func() (int, bool)) error {
		w := triangleWorker{triangles: t, marks: make([]uint8, t.vertices)}
		for piece, ok := take(); ok; piece, ok = take() {
			first, end := pieceOf(piece, t.vertices, heavy)
			for i := first; i < end && !t.stop.Load(); i++ {
				w.count(uint32(t.vertices - 1 - i))
			}
		}
		t.sum.Add(w.sum)
		return nil
	})
	return t.sum.Load() + t.Add(t.loops.Load(), t.loopOut.Load(), t.loopIn.Load(), t.loopBoth.Load()), ok, err
}

// list makes the upper lists: how long they are, then what is in them.
func (t *triangles) list(ctx context.Context) error {
	t.offsets = make([]uint32, t.vertices+1)
	err := t.eachVertex(ctx, func(v uint32) {
		n := uint32(0)
		t.neighbours(v, func(x, _ uint32) {
			if x > v {
				n++
			}
		})
		t.offsets[v+1] = n
	})
	if err != nil {
		return err
	}
	for v := range t.vertices {
		t.offsets[v+1] += t.offsets[v]
	}
	t.to = make([]uint32, t.offsets[t.vertices])
	return t.eachVertex(ctx, func(v uint32) {
		next := t.offsets[v]
		t.neighbours(v, func(x, edges uint32) {
			if x > v {
				t.to[next] = x<<2 | edges
				next++
			} else if x == v {
				t.loop(v)
			}
		})
	})
}

// eachVertex has the workers call f with each number.
func (t *triangles) eachVertex(ctx context.Context, f func(v uint32)) error {
	_, err := t.share(ctx, (t.vertices+rowsAtOnce-1)/rowsAtOnce, 0, func(take func() (int, bool)) error {
		for piece, ok := take(); ok; piece, ok = take() {
			for v := piece * rowsAtOnce; v < min((piece+1)*rowsAtOnce, t.vertices); v++ {
				f(uint32(v))
			}
		}
		return nil
	})
	return err
}

// neighbours calls f with the numbers of a number's neighbours, each once, and the edges in between, as in to.
func (t *triangles) neighbours(v uint32, f func(x, edges uint32)) {
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
func (t *triangles) loop(v uint32) {
	t.loops.Add(1)
	t.neighbours(v, func(x, edges uint32) {
		switch {
		case x == v:
		case edges == 3:
			t.loopBoth.Add(1)
			t.loopOut.Add(1)
			t.loopIn.Add(1)
		case edges == 1:
			t.loopOut.Add(1)
		default:
			t.loopIn.Add(1)
		}
	})
}

func (t *triangles) upper(v uint32) []uint32 { return t.to[t.offsets[v]:t.offsets[v+1]] }

// triangleWorker is what one goroutine needs.
type triangleWorker struct {
	*triangles
	marks []uint8 // the edges between the number at work and those of its upper list
	sum   uint64
}

// count adds the solutions of triples of a number, one of its neighbours with a shorter list, and one that both lists have.
func (w *triangleWorker) count(v uint32) {
	own := w.upper(v)
	if len(own) == 0 {
		return
	}
	for _, entry := range own {
		w.marks[entry>>2] = uint8(entry & 3)
	}
	w.neighbours(v, func(x, edges uint32) {
		// Of two lists of one length the greater number's is walked.
		if list := w.upper(x); len(list) < len(own) || len(list) == len(own) && x > v {
			w.walk(list, x > v, edges)
		}
	})
	for _, entry := range own {
		w.marks[entry>>2] = 0
	}
}

// walk adds the solutions of triples whose third vertex is in a list and marked. least: the number at work is the least one, otherwise the
// list is the least one's.
func (w *triangleWorker) walk(list []uint32, least bool, edges uint32) {
	marks, sum := w.marks, uint64(0)
	if least {
		weights := w.Weights[edges]
		for _, entry := range list {
			sum += weights >> (16*(entry&3) + 4*uint32(marks[entry>>2])) & 15 // none where there is no edge
		}
	} else {
		weights := w.Weights[edges>>1|edges&1<<1]
		for _, entry := range list {
			sum += weights >> (4*(entry&3) + 16*uint32(marks[entry>>2])) & 15
		}
	}
	w.sum += sum
}
