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
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Work of counts by paths of two edges: the heavySquares vertices of most neighbours are taken one at a time, of the others squaresAtOnce.
const (
	heavySquares  = 1 << 16
	squaresAtOnce = 64
)

// countSquares counts a cycle of four edges by paths of two; errNotDense where there is no room for it.
func (d *Device) countSquares(ctx context.Context, m *match.Match, squares *match.Squares) (n uint64, err error) {
	q := squareCount{Squares: squares, d: d, permit: permit{permits: d.permits}, trace: m.Trace}
	q.order(m.Graph)
	if q.r, err = d.read(m.Graph); err != nil {
		return 0, err
	}
	defer func() {
		if failed := q.r.end(); err == nil {
			err = failed
		}
	}()
	if m.Trace != nil {
		defer func() { m.Trace.Upload = q.r.waiting }()
	}
	if err := q.wait(ctx); err != nil {
		return 0, err
	}
	defer q.pass()
	for i, l := range q.Lists {
		at, used := q.r.place(l.Label, l.Direction)
		if !used {
			return 0, errNotDense
		}
		if _, err := q.r.load(ctx, at, false); err != nil {
			return 0, err
		}
		if q.r.paged[at] != nil {
			return 0, errNotDense
		}
		q.out.Lists[i].Partition = q.r.address(at)
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
	r     *reading
	lane  *lane
	trace *match.Trace
	image *image

	vertices []uint32 // by number
	numbers  []uint32 // by vertex
	offsets  [][]uint32
	out      kernels.Squares
	at       kernels.Address // of out in the image
}

// order numbers the vertices and lays the lists out.
func (q *squareCount) order(g *pcsr.Graph) {
	var n int
	q.numbers, n = q.Order(g)
	q.vertices = make([]uint32, n)
	for _, l := range q.Lists {
		part := g.Partition(l.Label, l.Direction)
		for v := range part.Degrees() {
			q.vertices[q.numbers[v]] = v
		}
		q.offsets = append(q.offsets, q.Offsets(part, q.numbers, n))
	}
}

func (q *squareCount) imageBytes() int64 {
	return aligned(kernels.Size[kernels.Program]() + kernels.Size[kernels.Squares]() + 64)
}

// run counts.
func (q *squareCount) run(ctx context.Context) (n uint64, err error) {
	q.out.Slice = uint64(q.d.options.slice)
	q.out.Vertices = uint32(len(q.vertices))
	q.out.Heavy, q.out.AtOnce = min(q.out.Vertices, uint32(q.d.options.heavySquares)), squaresAtOnce
	q.translate()
	memory, blocks, err := q.lay()
	if err != nil {
		return 0, err
	}
	defer func() {
		if err == nil || q.lane.stream.Synchronize() == nil {
			err = errors.Join(err, q.d.memory.give(memory))
		}
	}()
	if err := q.upload(blocks); err != nil {
		return 0, err
	}
	if err := q.lane.stream.Launch(kernels.SquareFill, q.d.squareBlocks, 0, q.at); err != nil {
		return 0, err
	}
	if err := q.lane.stream.Synchronize(); err != nil { // the arrays are not read any more
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

// translate puts the pattern into words of the device.
func (q *squareCount) translate() {
	q.out.ListCount, q.out.GroupCount = uint32(len(q.Lists)), uint32(len(q.Groups))
	if q.Different {
		q.out.Different = 1
	}
	if q.Loops {
		q.out.Loops = 1
	}
	for i := range 4 {
		q.out.Forth[i], q.out.Back[i] = uint32(q.Forth[i]), uint32(q.Back[i])
	}
	for i, g := range q.Groups {
		to := &q.out.Groups[i]
		to.Weight, to.FillCount, to.ReadCount = uint32(g.Weight), uint32(len(g.Fill)), uint32(len(g.Read))
		for k, walk := range g.Fill {
			to.Fill[k] = kernels.SquareWalk{First: uint32(walk[0]), Second: uint32(walk[1])}
		}
		for k, walk := range g.Read {
			to.Read[k] = kernels.SquareWalk{First: uint32(walk[0]), Second: uint32(walk[1])}
		}
	}
}

// lay takes memory for the lists, and for the counters of as many blocks as there is room for in a third of what the process may take.
func (q *squareCount) lay() (memory kernels.Address, blocks int, err error) {
	var size int64
	var arrays []*kernels.Address
	add := func(at *kernels.Address, words int) {
		*at = kernels.Address(size)
		size += aligned(4 * int64(words))
		arrays = append(arrays, at)
	}
	add(&q.out.Order, len(q.vertices))
	add(&q.out.Numbers, len(q.numbers))
	for i := range q.Lists {
		add(&q.out.Lists[i].Offsets, len(q.offsets[i]))
		add(&q.out.Lists[i].To, int(q.offsets[i][len(q.vertices)]))
	}
	one := 4 * int64(len(q.vertices))
	room := min(q.d.memory.limit/3, q.d.memory.left()) - size
	if blocks = int(min(int64(q.d.squareBlocks), (room-alignment)/one)); blocks < 1 {
		return 0, 0, errNotDense
	}
	add(&q.out.Counters, blocks*len(q.vertices))
	if memory, err = q.d.memory.take(size, 0); err != nil {
		return 0, 0, err
	}
	for _, at := range arrays {
		*at += memory
	}
	return memory, blocks, nil
}

// upload copies what the host has made to the device.
func (q *squareCount) upload(blocks int) error {
	base, err := q.lane.arena.take(q.imageBytes())
	if err != nil {
		return err
	}
	stream := q.lane.stream
	errs := []error{
		stream.Zero(q.out.Counters, 4*int64(blocks)*int64(len(q.vertices))),
		stream.Upload(q.out.Order, kernels.Bytes(q.vertices)), stream.Upload(q.out.Numbers, kernels.Bytes(q.numbers)),
	}
	for i := range q.Lists {
		errs = append(errs, stream.Upload(q.out.Lists[i].Offsets, kernels.Bytes(q.offsets[i])))
	}
	q.image = &image{base: base}
	q.image.reserve(int(kernels.Size[kernels.Program]()))
	q.image.program().Mailbox = q.lane.mailboxAddress()
	q.at = put(q.image, []kernels.Squares{q.out})
	errs = append(errs, stream.Upload(base, q.lane.upload()[:copy(q.lane.upload(), q.image.bytes())]))
	return errors.Join(errs...)
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
