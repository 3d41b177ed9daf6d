package gpu

import (
	"context"
	"errors"
	"math"
	"math/bits"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// Work of counts by paths of two edges: the heavySquares vertices of most neighbours are taken one at a time, of the others squaresAtOnce.
const (
	heavySquares  = 1 << 16
	squaresAtOnce = 64
)

// countSquares counts a cycle of four edges by paths of two; errNotDense where there is no room for it.
func (d *Device) countSquares(ctx context.Context, m *match.Match, squares *match.Squares) (uint64, error) {
	q := &squareCount{Squares: squares, match: m}
	return d.countPieces(ctx, m, q, &q.piecework)
}

// squareCount is one count by paths of two edges.
type squareCount struct {
	*match.Squares
	piecework
	match *match.Match
	lists *orderedLists
	away  *hostOrder // where there is no room for the lists
}

func (q *squareCount) ready(ctx context.Context, r *reading) (bytes int64, err error) {
	if !q.d.options.listsAway && !q.d.readsPages(q.match) {
		q.lists, err = r.ordered(ctx, q.Lists)
	}
	if err == nil && q.lists == nil {
		q.away, err = r.orderedAway(ctx, q.Lists, q.d.paysLists(q.match, q.Lists...))
	}
	return imageBytes[kernels.Squares](), err
}

// run counts.
func (q *squareCount) run(ctx context.Context) (n uint64, err error) {
	if q.away != nil {
		brought, failed := kernels.Address(0), error(nil)
		if q.lists, brought, failed = q.away.bring(q.lane, q.d); failed != nil {
			return 0, failed
		}
		defer func() {
			if brought != 0 && (err == nil || q.lane.stream.Synchronize() == nil) {
				err = errors.Join(err, q.d.memory.give(brought))
			}
		}()
	}
	counters, blocks, err := q.counters()
	if err != nil {
		return 0, err
	}
	defer func() {
		if err == nil || q.lane.stream.Synchronize() == nil {
			err = errors.Join(err, q.d.memory.give(counters))
		}
	}()
	program := q.program()
	program.Counters = counters
	if err := lay(&q.piecework, program); err != nil {
		return 0, err
	}
	state, err := q.launch(ctx, kernels.SquareCount, blocks)
	if err != nil {
		return 0, err
	}
	return q.answer(state)
}

// counters takes memory for the counters of as many blocks as there is room for in a third of what the process may take.
func (q *squareCount) counters() (at kernels.Address, blocks int, err error) {
	one := 4 * int64(q.lists.vertices)
	room := min(q.d.memory.limit/3, q.d.memory.left()+q.d.pages.idle())
	if blocks = int(min(int64(q.d.squareBlocks), (room-alignment)/one)); blocks < 1 {
		return 0, 0, errNotDense
	}
	if at, err = q.d.pages.takeFrom(int64(blocks) * one); err != nil {
		return 0, 0, err
	}
	return at, blocks, q.lane.stream.Zero(at, int64(blocks)*one)
}

// program translates the pattern.
func (q *squareCount) program() kernels.Squares {
	n := q.lists.vertices
	out := kernels.Squares{
		Slice: uint64(q.d.options.slice), Vertices: n, Heavy: min(n, uint32(q.d.options.heavySquares)), AtOnce: squaresAtOnce,
		ListCount: uint32(len(q.Lists)), GroupCount: uint32(len(q.Groups)),
	}
	copy(out.Lists[:], q.lists.lists)
	if q.Different {
		out.Different = 1
	}
	if q.Loops {
		out.Loops = 1
	}
	for i := range 4 {
		out.Forth[i], out.Back[i] = uint32(q.Forth[i]), uint32(q.Back[i])
	}
	for i, g := range q.Groups {
		to := &out.Groups[i]
		to.Weight, to.FillCount, to.ReadCount = uint32(g.Weight), uint32(len(g.Fill)), uint32(len(g.Read))
		for k, walk := range g.Fill {
			to.Fill[k] = kernels.SquareWalk{First: uint32(walk[0]), Second: uint32(walk[1])}
		}
		if g.Alike() {
			to.ReadCount = 0
		}
		for k, walk := range g.Read {
			to.Read[k] = kernels.SquareWalk{First: uint32(walk[0]), Second: uint32(walk[1])}
		}
	}
	return out
}

// answer is the number of solutions.
func (q *squareCount) answer(state *kernels.State) (uint64, error) {
	out := []kernels.Squares{{}}
	if err := errors.Join(q.lane.stream.Download(kernels.Bytes(out), q.at), q.lane.stream.Synchronize()); err != nil {
		return 0, err
	}
	if q.trace != nil {
		if q.trace.Name(match.SquareVariant); q.away != nil {
			q.trace.Name(match.SquareVariant + ": lists away")
		}
	}
	low, carry := bits.Add64(state.Count, state.CountHigh<<32, 0)
	high := state.CountHigh>>32 + carry
	minus, carry := bits.Add64(out[0].Minus, out[0].MinusHigh<<32, 0)
	minusHigh := out[0].MinusHigh>>32 + carry
	n, borrow := bits.Sub64(low, minus, 0)
	if high, _ = bits.Sub64(high, minusHigh, borrow); high != 0 || state.Overflowed != 0 || n == math.MaxUint64 {
		return 0, match.ErrTooMany
	}
	return n, nil
}
