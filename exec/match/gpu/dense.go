package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Sizes of neighbourhoods: up to lightRoot neighbours are a warp's, more a block's, in more than one piece from twice splitRoot on; roots with
// more than longestRoot are not counted in neighbourhoods, for a bit for each pair of them would be too much.
const (
	lightRoot   = 64
	splitRoot   = 256
	longestRoot = 1 << 14
	// longestOuter is longestRoot with an outer vertex: a lane has a word of each bitmap.
	longestOuter = 1 << 11
	// denseWork is from how much on a light root's work is shared, in bindings of the last level.
	denseWork = 2048
	// deepPrice is match.Tuning.DeepPrice here: kernels of many levels spill registers, and fewer lanes have work at the last.
	deepPrice = 2
	// sumLevels is match.Tuning.SumLevels here: each term of a sum is a launch over all roots, and a third level costs little more than a second.
	sumLevels = 4
	// tripleLevels is match.Tuning.TripleLevels here.
	tripleLevels = 4
	// farCut is how many pieces each of those of a heavy root is with a far vertex.
	farCut = 4
)

// errNotDense: there is no room to count a pattern in neighbourhoods.
var errNotDense = fmt.Errorf("gpu: no room to count in neighbourhoods: %w", ErrUnfit)

// errNotOuter: nor one with an outer vertex, which step by step would take many times as long as the processor takes.
var errNotOuter = fmt.Errorf("gpu: no room to count with an outer vertex: %w", ErrUnfit)

// kernelBlocks is a number of blocks for each kernel that counts in neighbourhoods, those with a far vertex behind the others, behind those both for cores that
// are away, and then the one with an outer vertex.
type kernelBlocks [4*kernels.MostLevels + 1]int

// countDense counts a pattern in neighbourhoods; errNotDense or errNotOuter where there is no room for it.
func (d *Device) countDense(ctx context.Context, m *match.Match, dense *match.Dense) (uint64, error) {
	n, away := uint64(0), ""
	for _, term := range dense.Sum() {
		q := &denseCount{Dense: term, match: m}
		found, err := d.countPieces(ctx, m, q, &q.piecework)
		if errors.Is(err, errNotDense) && dense.HasOuter() {
			err = errNotOuter
		}
		if err != nil {
			return 0, err
		}
		if q.away != nil {
			away = ": " + q.away.String()
		}
		n += uint64(term.Times) * found
	}
	if m.Trace != nil {
		dense.Name(m.Trace)
		m.Trace.Steps[dense.Slots[0]].Variant += away
	}
	return n, nil
}

// denseCount is one count in neighbourhoods.
type denseCount struct {
	*match.Dense
	piecework
	match *match.Match
	core  *core
	away  *away // nil where the core is on the device
	// kernel is the one that counts, of which the device holds so many blocks.
	kernel kernels.Kernel
	blocks int
}

func (q *denseCount) ready(ctx context.Context, r *reading) (bytes int64, err error) {
	q.kernel = kernels.CountDense + kernels.Kernel(len(q.Levels)-1)
	if q.Far != nil {
		q.kernel += kernels.CountFar - kernels.CountDense
	}
	at, used := r.place(q.Label, pcsr.Out)
	if !used {
		return 0, errNotDense
	}
	if !q.d.options.listsAway && !q.d.readsPages(q.match) {
		if q.core, err = r.core(ctx, at); err != nil {
			return 0, err
		}
	}
	if q.core == nil {
		if q.Outer {
			return 0, errNotDense
		}
		host, err := r.hostCore(ctx, q.Label, q.d.paysLists(q.match, match.PartitionKey{Label: q.Label, Direction: pcsr.Out}))
		if err != nil {
			return 0, err
		}
		q.away, q.core = &away{hostCore: host}, &core{Core: host.core}
		q.kernel += kernels.CountDenseAway - kernels.CountDense
	}
	if q.longest() > longestRoot || q.Outer && q.longest() > longestOuter {
		return 0, errNotDense
	}
	if q.Outer {
		q.kernel = kernels.CountOuter
	}
	q.blocks = q.d.denseBlocks[q.kernel-kernels.CountDense]
	return q.bytes(), nil
}

// longest is the length of the longest list of a root; pieces how many there are of heavy ones.
func (q *denseCount) longest() uint32 {
	if q.Upward {
		return q.core.UpperLongest
	}
	return q.core.Longest
}

func (q *denseCount) pieces() int {
	if q.Upward {
		return int(q.core.UpperPieceCount)
	}
	return int(q.core.PieceCount)
}

// room is how many words a root takes at most that are not in shared memory.
func (q *denseCount) room() (words int64) {
	n := int64(q.longest())
	each := (n + 63) / 64
	if q.Outer {
		words = int64(q.core.Rows)*each + (int64(q.core.Rows)+63)/64
		if n > kernels.Middle {
			words += (n + 1) * each
		}
		return words
	}
	if q.away != nil {
		words = (n + 1) / 2
	}
	if q.Far != nil {
		words += 3*((int64(q.core.Rows)+63)/64) + (n+1)/2 + min(kernels.FarWords/max(each, 1), kernels.FarChunk)*each
	}
	switch {
	case n <= kernels.Middle:
		return words
	case q.Far != nil:
		return words + (n+1)*each
	default:
		return words + (n+1)*each + n/2 + 1
	}
}

// bytes is the memory that a count would like: bitmaps for each block, or for each piece where these are fewer; some pieces become several.
func (q *denseCount) bytes() int64 {
	blocks := q.blocks
	if q.Far == nil {
		blocks = min(4*q.pieces(), blocks)
	}
	return imageBytes[kernels.Dense]() + q.leftBytes() + int64(blocks)*8*q.room() + 8*mostDeferred + 2*alignment
}

func (q *denseCount) leftBytes() int64 { return aligned(32 * int64(q.blocks)) }

// mostDeferred is how many pieces launches may leave to the next; what is more they do at once.
const mostDeferred = 1 << 16

// run counts.
func (q *denseCount) run(ctx context.Context) (n uint64, err error) {
	if q.away != nil {
		if q.core.Core, err = q.away.bring(q.lane, q.d, q.Far != nil); err == nil {
			q.core.at = q.away.at
		}
		defer func() {
			if q.away.at != 0 && (err == nil || q.lane.stream.Synchronize() == nil) {
				err = errors.Join(err, q.away.give(q.d))
			}
		}()
		if err != nil {
			return 0, err
		}
	}
	program := q.program()
	if err := q.takeRoom(&program); err != nil {
		return 0, err
	}
	if err := lay(&q.piecework, program); err != nil {
		return 0, err
	}
	state, err := q.launch(ctx, q.kernel, q.blocks)
	if err != nil {
		return 0, err
	}
	found := state.Solutions()
	high, n := bits.Mul64(found, q.Automorphisms)
	if high != 0 || found == math.MaxUint64 {
		return 0, match.ErrTooMany
	}
	return n, nil
}

// takeRoom takes what each block needs, of the lane's memory that the program leaves.
func (q *denseCount) takeRoom(out *kernels.Dense) (err error) {
	arena := &q.lane.arena
	left := func() int64 { return arena.left() - imageBytes[kernels.Dense]() - alignment }
	if out.Left, err = arena.take(q.leftBytes()); err != nil {
		return err
	}
	if err := q.lane.stream.Zero(out.Left, q.leftBytes()); err != nil {
		return err
	}
	deferred := max(0, min(mostDeferred, left()/16/alignment*alignment/8))
	if out.DeferredPieces, err = arena.take(8 * deferred); err != nil {
		return err
	}
	out.DeferredRoom = uint64(deferred)
	blocks := int64(q.blocks)
	if room := q.room(); room > 0 {
		blocks = min(blocks, (left()-alignment)/(8*room))
	}
	if blocks <= 0 {
		return errNotDense
	}
	out.HeavyBlocks = uint32(blocks)
	out.Scratch, err = arena.take(blocks * 8 * q.room())
	return err
}

// program translates the pattern.
func (q *denseCount) program() kernels.Dense {
	out := kernels.Dense{
		Core: q.core.at, Room: uint64(q.room()), Slice: uint64(q.d.options.slice), Work: uint32(q.d.options.denseWork),
		Smallest: uint32(q.Smallest), LevelCount: uint32(len(q.Levels)), TailCount: uint32(len(q.Tail)), TermCount: uint32(len(q.Terms)), Upward: asFlag(q.Upward),
	}
	if q.Far != nil {
		out.Common, out.Cut = uint32(q.Far.Common), uint32(q.d.options.farCut)
		if q.away != nil {
			out.Cut = max(out.Cut/awayPieces, 1)
		}
		out.FarApart, out.FarAbsent = asFlag(q.Far.Apart), asFlag(q.Far.Absent)
	}
	if len(q.Terms) == 1 && q.Terms[0].Factor == 1 && len(q.Terms[0].Sizes) == 1 {
		out.Linear = 1
	}
	for i := range q.Levels {
		out.Levels[i] = denseSet(&q.Levels[i])
	}
	for i := range q.Tail {
		out.Tail[i] = denseSet(&q.Tail[i])
	}
	for i, t := range q.Terms {
		term := &out.Terms[i]
		term.Factor, term.Count = uint64(t.Factor), uint32(len(t.Sizes))
		for k, set := range t.Sizes {
			term.Sizes[k] = uint32(set)
		}
	}
	return out
}

func denseSet(s *match.DenseSet) kernels.DenseSet {
	return kernels.DenseSet{Near: uint32(s.Near), Apart: uint32(s.Apart), Absent: uint32(s.Absent), Above: uint32(s.Above), Upper: asFlag(s.Upper)}
}

func asFlag(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}
