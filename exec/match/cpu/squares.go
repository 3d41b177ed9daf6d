package cpu

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// squares counts cycles of four edges by their paths of two (match.Squares). Vertices are numbered by degree.
type squares struct {
	*match.Squares
	pieces
	vertices int
	lists    []rankedLists

	mu  sync.Mutex
	sum sum128
}

// rankedLists are neighbours of numbered vertices, ascending: those of v are to[offsets[v]:offsets[v+1]].
type rankedLists struct{ offsets, to []uint32 }

func (l *rankedLists) of(v uint32) []uint32 { return l.to[l.offsets[v]:l.offsets[v+1]] }

const (
	// heavySquares are the vertices, of most neighbours, that workers take one at a time.
	heavySquares = 1 << 16
	// rowsAtOnce are renumbered by a worker at a time.
	rowsAtOnce = 1 << 12
)

// countSquares counts a plan by paths; false where there is no room. Its memory: 4 bytes for each edge of each list, each vertex and list, and each vertex and
// worker.
func countSquares(ctx context.Context, p *join) (n uint64, ok bool, err error) {
	s := &squares{Squares: p.Squares, pieces: pieces{p: p}}
	bytes := 8 * int64(p.Graph.Vertices())
	for _, l := range s.Lists {
		bytes += 4 * (int64(p.Graph.Partition(l.Label, l.Direction).Edges()) + 2*int64(p.Graph.Vertices()))
	}
	give, ok := p.reserve(bytes)
	if !ok {
		return 0, false, nil
	}
	defer give()
	if err := s.number(ctx); err != nil {
		return 0, true, err
	}
	heavy := min(s.vertices, heavySquares)
	ok, err = s.share(ctx, pieceCount(s.vertices, heavy), 4*int64(s.vertices), func(take func() (int, bool)) error {
		w := squareWorker{squares: s, paths: make([]uint32, s.vertices)}
		for piece, ok := take(); ok; piece, ok = take() {
			first, last := pieceOf(piece, s.vertices, heavy)
			for i := first; i < last && !s.stop.Load(); i++ {
				w.count(uint32(s.vertices - 1 - i))
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sum.add(w.sum.high, w.sum.low)
		return nil
	})
	if s.sum.high != 0 {
		return tooMany, ok, err
	}
	return s.sum.low, ok, err
}

// number numbers the vertices by degree and makes the lists.
func (s *squares) number(ctx context.Context) error {
	order, err := match.OrderVertices(ctx, s.p.Graph, s.Lists)
	if err != nil {
		return err
	}
	numbers := order.Numbers
	s.vertices = order.Count
	for _, l := range s.Lists {
		part := s.p.Graph.Partition(l.Label, l.Direction)
		made := rankedLists{offsets: order.Offsets(part), to: make([]uint32, part.Edges())}
		_, err := s.share(ctx, (part.Rows()+rowsAtOnce-1)/rowsAtOnce, 0, func(take func() (int, bool)) error {
			var rows []pcsr.Vertex
			for piece, ok := take(); ok; piece, ok = take() {
				first := piece * rowsAtOnce
				rows = part.AppendVertices(rows[:0], first, min(first+rowsAtOnce, part.Rows()))
				for i, v := range rows {
					list := made.of(numbers[v])
					for k, w := range part.List(first + i) {
						list[k] = numbers[w]
						if w == v && s.Different {
							list[k] = uint32(s.vertices) // more than any
						}
					}
					slices.Sort(list)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		s.lists = append(s.lists, made)
	}
	return nil
}

// squareWorker is what one goroutine needs.
type squareWorker struct {
	*squares
	paths []uint32 // that lead from the vertex at work to each lesser one
	sum   sum128
}

// count adds the solutions of which a vertex is the greatest.
func (w *squareWorker) count(v uint32) {
	for i := range w.Groups {
		w.group(&w.Groups[i], v)
	}
	// Opposite corners may both be the greatest vertex: the paths above end at lesser ones.
	w.sum.add(0, w.returns(0, v, v))
	w.sum.add(0, w.returns(1, v, v))
	if w.Different {
		w.sum.subtract(w.returns(0, v, uint32(w.vertices)))
		w.sum.subtract(w.returns(1, v, uint32(w.vertices)))
		w.sum.add(0, w.both(v))
	}
	if w.Loops {
		w.loops(v)
	}
}

// loops adds the solutions in which neighbouring corners are the greatest vertex, by its loops.
func (w *squareWorker) loops(v uint32) {
	var loop [4]bool
	some, all := false, true
	for i := range loop {
		_, loop[i] = slices.BinarySearch(w.lists[w.Forth[i]].of(v), v)
		some, all = some || loop[i], all && loop[i]
	}
	if !some {
		return
	}
	for i := range 4 {
		if loop[i] {
			w.sum.add(0, w.triangles(i, v))
		}
		if loop[i] && loop[(i+1)%4] { // corners i to i+2
			w.sum.add(0, common(v, w.lists[w.Forth[(i+2)%4]].of(v), w.lists[w.Back[(i+3)%4]].of(v)))
		}
	}
	if all {
		w.sum.add(0, 1)
	}
}

// triangles counts the ways back to v over two lesser vertices, by the three edges behind edge i.
func (w *squareWorker) triangles(i int, v uint32) (n uint64) {
	last := w.lists[w.Back[(i+3)%4]].of(v)
	last = last[:sort.Search(len(last), func(k int) bool { return last[k] >= v })]
	for _, end := range last {
		w.paths[end] = 1
	}
	second := &w.lists[w.Forth[(i+2)%4]]
	for _, middle := range w.lists[w.Forth[(i+1)%4]].of(v) {
		if middle >= v || w.stop.Load() {
			break
		}
		for _, end := range second.of(middle) {
			if end >= v {
				break
			}
			n += uint64(w.paths[end])
		}
	}
	for _, end := range last {
		w.paths[end] = 0
	}
	return n
}

func (w *squareWorker) group(g *match.SquareGroup, v uint32) {
	walked := 0
	for _, walk := range g.Fill {
		second := &w.lists[walk[1]]
		for _, middle := range w.lists[walk[0]].of(v) {
			if middle >= v || w.stop.Load() {
				break
			}
			for _, end := range second.of(middle) {
				if end >= v {
					break
				}
				w.paths[end]++
				walked++
			}
		}
	}
	if walked == 0 {
		return
	}
	for _, walk := range g.Read {
		second := &w.lists[walk[1]]
		for _, middle := range w.lists[walk[0]].of(v) {
			if middle >= v || w.stop.Load() {
				break
			}
			sum := uint64(0) // of fewer than 2^32 numbers below 2^32
			for _, end := range second.of(middle) {
				if end >= v {
					break
				}
				sum += uint64(w.paths[end])
			}
			high, low := bits.Mul64(sum, g.Weight)
			w.sum.add(high, low)
		}
	}
	if walked > int(v) {
		clear(w.paths[:v])
		return
	}
	for _, walk := range g.Fill {
		second := &w.lists[walk[1]]
		for _, middle := range w.lists[walk[0]].of(v) {
			if middle >= v {
				break
			}
			for _, end := range second.of(middle) {
				if end >= v {
					break
				}
				w.paths[end] = 0
			}
		}
	}
}

// returns counts the solutions in which two opposite corners, i and the next but one, are v, and the others less than a bound: the product of two
// sizes below 2^32.
func (w *squareWorker) returns(i int, v, below uint32) uint64 {
	forth := common(below, w.lists[w.Forth[i]].of(v), w.lists[w.Back[(i+1)%4]].of(v))
	if forth == 0 {
		return 0
	}
	return forth * common(below, w.lists[w.Back[(i+3)%4]].of(v), w.lists[w.Forth[(i+2)%4]].of(v))
}

// both counts the solutions in which each corner is the one opposite, the first of them v.
func (w *squareWorker) both(v uint32) uint64 {
	return common(uint32(w.vertices), w.lists[w.Forth[0]].of(v), w.lists[w.Back[1]].of(v), w.lists[w.Forth[2]].of(v), w.lists[w.Back[3]].of(v))
}

// common is how many numbers below a bound several ascending lists have in common.
func common(below uint32, first []uint32, others ...[]uint32) (n uint64) {
next:
	for _, v := range first {
		if v >= below {
			break
		}
		for i, list := range others {
			for len(list) > 0 && list[0] < v {
				list = list[1:]
			}
			if others[i] = list; len(list) == 0 {
				return n
			}
			if list[0] != v {
				continue next
			}
		}
		n++
	}
	return n
}

// sum128 is a number of 128 bits, modulo 2^128.
type sum128 struct{ high, low uint64 }

func (s *sum128) add(high, low uint64) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, low, 0)
	s.high, _ = bits.Add64(s.high, high, carry)
}

func (s *sum128) subtract(n uint64) {
	var borrow uint64
	s.low, borrow = bits.Sub64(s.low, n, 0)
	s.high, _ = bits.Sub64(s.high, 0, borrow)
}
