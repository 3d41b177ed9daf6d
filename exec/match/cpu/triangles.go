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
	*match.TripleLists
	pieces
	sum atomic.Uint64
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
	give, ok := p.reserve(4*int64(p.Graph.Partition(t.Label, pcsr.Out).Edges()) + 16*int64(p.Graph.Vertices()))
	if !ok {
		return 0, false, nil
	}
	defer give()
	if t.TripleLists, err = match.NewTripleLists(ctx, p.Graph, t.Label); err != nil {
		return 0, true, err
	}
	each := func(f func(v uint32)) error { return t.eachVertex(ctx, f) }
	if err := t.List(func(words int) ([]uint32, error) { return make([]uint32, words), nil }, each); err != nil {
		return 0, true, err
	}
	heavy := min(t.Vertices, heavyTriangles)
	ok, err = t.share(ctx, pieceCount(t.Vertices, heavy), int64(t.Vertices), func(take func() (int, bool)) error {
		w := triangleWorker{triangles: t, marks: make([]uint8, t.Vertices)}
		for piece, ok := take(); ok; piece, ok = take() {
			first, end := pieceOf(piece, t.Vertices, heavy)
			for i := first; i < end && !t.stop.Load(); i++ {
				w.count(uint32(t.Vertices - 1 - i))
			}
		}
		t.sum.Add(w.sum)
		return nil
	})
	return t.sum.Load() + t.Add(t.Looped.Load(), t.LoopedOut.Load(), t.LoopedIn.Load(), t.LoopedBoth.Load()), ok, err
}

// eachVertex has the workers call f with each number.
func (t *triangles) eachVertex(ctx context.Context, f func(v uint32)) error {
	_, err := t.share(ctx, (t.Vertices+rowsAtOnce-1)/rowsAtOnce, 0, func(take func() (int, bool)) error {
		for piece, ok := take(); ok; piece, ok = take() {
			for v := piece * rowsAtOnce; v < min((piece+1)*rowsAtOnce, t.Vertices); v++ {
				f(uint32(v))
			}
		}
		return nil
	})
	return err
}

// triangleWorker is what one goroutine needs.
type triangleWorker struct {
	*triangles
	marks []uint8 // the edges between the number at work and those of its upper list
	sum   uint64
}

// count adds the solutions of triples of a number, one of its neighbours with a shorter list, and one that both lists have.
func (w *triangleWorker) count(v uint32) {
	own := w.Upper(v)
	if len(own) == 0 {
		return
	}
	for _, entry := range own {
		w.marks[entry>>2] = uint8(entry & 3)
	}
	w.Neighbours(v, func(x, edges uint32) {
		// Of two lists of one length the greater number's is walked.
		if list := w.Upper(x); len(list) < len(own) || len(list) == len(own) && x > v {
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
