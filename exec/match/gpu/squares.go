package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// Work of counts by paths of two edges: the heavySquares vertices of most neighbours are taken one at a time, of the others squaresAtOnce.
const (
	heavySquares  = 1 << 16
	squaresAtOnce = 64
)

// countSquares counts a cycle of four edges by paths of two; errNotDense where there is no room for it.
func (d *Device) countSquares(ctx context.Context, m *match.Match, squares *match.Squares) (n uint64, err error) {
	r, err := d.read(m.Graph)
	if err != nil {
		return 0, err
	}
	defer func() {
		if failed := r.end(); err == nil {
			err = failed
		}
	}()
	if m.Trace != nil {
		defer func() { m.Trace.Upload = r.waiting }()
	}
	q := squareCount{Squares: squares, d: d, permit: permit{permits: d.permits}, trace: m.Trace}
	if err := q.wait(ctx); err != nil {
		return 0, err
	}
	defer q.pass()
	if q.lists, err = r.ordered(ctx, squares.Lists); err != nil {
		return 0, err
	}
	if q.lists == nil {
		return 0, errNotDense
	}
	if q.lane, err = q.takeLane(ctx, d, d.lanes.size(q.imageBytes())); err != nil {
		return 0, err
	}
	err = section.Guard(func() (err error) {
		n, err = q.run(ctx)
		return err
	})
	if errors.Is(err, ErrOutOfMemory) {
		err = errNotDense
	}
	if err != nil {
		return 0, q.lane.dropAfter(err)
	}
	q.lane.release()
	return n, nil
}

// squareCount is one count by paths of two edges.
type squareCount struct {
	*match.Squares
	permit
	d     *Device
	lists *orderedLists
	lane  *lane
	trace *match.Trace
	image *image
	at    kernels.Address // of the kernels.Squares in it
}

func (q *squareCount) imageBytes() int64 {
	return aligned(kernels.Size[kernels.Program]() + kernels.Size[kernels.Squares]() + 64)
}

// run counts.
func (q *squareCount) run(ctx context.Context) (n uint64, err error) {
	counters, blocks, err := q.counters()
	if err != nil {
		return 0, err
	}
	defer func() {
		if err == nil || q.lane.stream.Synchronize() == nil {
			err = errors.Join(err, q.d.memory.give(counters))
		}
	}()
	if err := q.lay(counters); err != nil {
		return 0, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := q.wait(ctx); err != nil {
			return 0, err
		}
		if err := q.lane.stream.Launch(kernels.SquareCount, blocks, 0, q.image.base, q.at); err != nil {
			return 0, err
		}
		if err := q.lane.stream.Synchronize(); err != nil {
			return 0, err
		}
		q.pass()
		switch state := (*kernels.State)(unsafe.Pointer(&q.lane.mailbox()[0])); state.Status {
		case kernels.Sliced:
		case kernels.Done:
			return q.answer(state)
		default:
			return 0, fmt.Errorf("gpu: a launch ended with status %d: %w", state.Status, ErrDeviceLost)
		}
	}
}

// counters takes memory for the counters of as many blocks as there is room for in a third of what the process may take.
func (q *squareCount) counters() (at kernels.Address, blocks int, err error) {
	one := 4 * int64(q.lists.vertices)
	room := min(q.d.memory.limit/3, q.d.memory.left())
	if blocks = int(min(int64(q.d.squareBlocks), (room-alignment)/one)); blocks < 1 {
		return 0, 0, errNotDense
	}
	if at, err = q.d.memory.take(int64(blocks)*one, 0); err != nil {
		return 0, 0, err
	}
	return at, blocks, q.lane.stream.Zero(at, int64(blocks)*one)
}

// lay lays the program out.
func (q *squareCount) lay(counters kernels.Address) error {
	base, err := q.lane.arena.take(q.imageBytes())
	if err != nil {
		return err
	}
	out := q.program()
	out.Counters = counters
	q.image = &image{base: base}
	q.image.reserve(int(kernels.Size[kernels.Program]()))
	q.image.program().Mailbox = q.lane.mailboxAddress()
	q.at = put(q.image, []kernels.Squares{out})
	data := q.image.bytes()
	return q.lane.stream.Upload(base, q.lane.upload()[:copy(q.lane.upload(), data)])
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
		q.trace.Kernels += time.Duration(state.KernelTime)
		q.Name(q.trace)
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
