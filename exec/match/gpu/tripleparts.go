package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sort"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"golang.org/x/sync/errgroup"
)

// hostTriples are the lists of a label that triangles are counted by where they do not find room on the device, in pinned host memory.
type hostTriples struct {
	*match.TripleLists
	walks, via []uint32 // as TripleLists.Walks makes them
	storage
}

// tripleLists makes the lists of a label in pinned host memory, unless they are there.
func (r *reading) tripleLists(ctx context.Context, label pcsr.Label, pays bool) (*hostTriples, error) {
	return hostLists(ctx, r, r.hostTriples, label, pays, func(s *storage) (t *hostTriples, err error) {
		t = &hostTriples{}
		room := func(words int) ([]uint32, error) {
			made, _, err := r.d.hostRoom(s, words)
			return made, err
		}
		each := func(f func(v uint32)) error { return eachVertex(ctx, t.Vertices, f) }
		if t.TripleLists, err = match.NewTripleLists(ctx, r.graph, label); err == nil {
			err = t.List(room, each)
		}
		if err == nil {
			t.walks, t.via, err = t.Walks(room, each)
		}
		t.storage = *s
		return t, err
	})
}

// Of the vertices with the most neighbours a goroutine takes one at a time, heavyVertices, of the others so many.
const (
	heavyVertices  = 1 << 16
	verticesAtOnce = 1 << 10
)

// eachVertex calls f with all numbers of vertices, by all cores.
func eachVertex(ctx context.Context, vertices int, f func(v uint32)) error {
	var group errgroup.Group
	var next atomic.Int64
	light := max(vertices-heavyVertices, 0)
	heavy := vertices - light
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			return section.Guard(func() error {
				for ctx.Err() == nil {
					piece := int(next.Add(1)) - 1
					first, end := vertices-1-piece, vertices-piece
					if piece >= heavy {
						first = (piece - heavy) * verticesAtOnce
						end = min(first+verticesAtOnce, light)
					}
					if first >= end {
						return nil
					}
					for v := first; v < end; v++ {
						f(uint32(v))
					}
				}
				return nil
			})
		})
	}
	return errors.Join(group.Wait(), ctx.Err())
}

// tripleParts is how triangles are counted in a part of the memory that their lists take: a block of the lists that are walked is on the device, and the
// others, with what is walked for them, pass by in chunks, for each block.
type tripleParts struct {
	// blocks and chunks are where each begins, as vertices, and where the last ends.
	blocks, chunks []uint32
	// block and chunk are how many bytes each takes at most.
	block, chunk int64
}

const (
	mostTripleBlocks = 64       // more blocks take longer than joining
	mostTripleChunk  = 32 << 20 // bytes; the next one comes while one is looked through
	tripleChunkShare = 8        // of the room for all
)

// parts cuts the lists for so many bytes of the device; nil where they are too few.
func (t *hostTriples) parts(room int64) *tripleParts {
	p := &tripleParts{}
	p.chunk, p.block = partSizes(room)
	p.block = min(p.block, t.listBytes(0, uint32(t.Vertices)))
	var ok bool
	if p.chunks, ok = cutVertices(t.Vertices, p.chunk, t.chunkBytes); !ok {
		return nil
	}
	if p.blocks, ok = cutVertices(t.Vertices, p.block, t.listBytes); !ok || len(p.blocks)-1 > mostTripleBlocks {
		return nil
	}
	return p
}

// partSizes is how many bytes of the room a chunk and a block may take.
func partSizes(room int64) (chunk, block int64) {
	chunk = min(room/tripleChunkShare, mostTripleChunk) &^ (alignment - 1)
	return chunk, (room - 2*chunk) &^ (alignment - 1)
}

// roomOfPages is how many bytes of the device may be taken that pages could have, most at most unless that is 0.
func (d *Device) roomOfPages(most int64) int64 {
	room := (d.partitions.left() + d.pages.idle()) / sizeClasses * (sizeClasses - 1) // memory is taken in size classes
	if most > 0 {
		room = min(room, most)
	}
	return room
}

// partBytes is what so many words take in a part.
func partBytes[T int | uint32](words T) int64 { return aligned(4*int64(words) + quadBytes) }

// listBytes is what the lists of vertices take, with where they begin.
func (t *hostTriples) listBytes(first, end uint32) int64 {
	return partBytes(end-first+1) + partBytes(t.Offsets[end]-t.Offsets[first])
}

// chunkBytes is what a chunk of vertices takes: their own lists, and what is walked for them.
func (t *hostTriples) chunkBytes(first, end uint32) int64 {
	return t.listBytes(first, end) + partBytes(end-first+1) + partBytes(t.walks[end]-t.walks[first])
}

// cutVertices cuts vertices into ranges that take so many bytes at most; false where one takes more alone.
func cutVertices(vertices int, most int64, bytes func(first, end uint32) int64) (starts []uint32, ok bool) {
	for first := uint32(0); first < uint32(vertices); {
		starts = append(starts, first)
		n := sort.Search(vertices-int(first), func(i int) bool { return bytes(first, first+1+uint32(i)) > most })
		if n == 0 {
			return nil, false
		}
		first += uint32(n)
	}
	return append(starts, uint32(vertices)), true
}

// countParts counts with the lists in host memory.
func (q *triangleCount) countParts(ctx context.Context) (uint64, error) {
	t, d := q.parts, q.d
	p := t.parts(d.roomOfPages(d.options.tripleRoom))
	if p == nil {
		return 0, errNotDense
	}
	base, err := d.pages.takeFrom(p.block + 2*p.chunk)
	if err != nil {
		return 0, err
	}
	run := &partsRun{triangleCount: q, tripleParts: p, at: base}
	run.buffers = [2]kernels.Address{base + kernels.Address(p.block), base + kernels.Address(p.block+p.chunk)}
	state, err := run.all(ctx)
	d.pages.addCopied(run.copied)
	if err = errors.Join(err, d.memory.give(base)); err != nil {
		return 0, err
	}
	if q.trace != nil {
		q.trace.Name(fmt.Sprintf("%s: %d MB copied in %d chunks for %d blocks", match.TriangleVariant, run.copied>>20, len(p.chunks)-1, len(p.blocks)-1))
	}
	return q.total(state, t.Looped.Load(), t.LoopedOut.Load(), t.LoopedIn.Load(), t.LoopedBoth.Load())
}

// partsRun is one count.
type partsRun struct {
	*triangleCount
	*tripleParts
	at      kernels.Address // of the block
	buffers [2]kernels.Address
	copies  kernels.Stream
	copied  int64
}

// send begins to copy lists of vertices and where they begin to the device. It returns how kernels find both, by number and by place, and where
// what follows them may lie.
func (r *partsRun) send(at kernels.Address, offsets, words []uint32, first, end uint32) (lists, to, next kernels.Address, err error) {
	low, high := offsets[first], offsets[end]
	lists, to = at-4*kernels.Address(first), at+kernels.Address(partBytes(end-first+1))
	next = to + kernels.Address(partBytes(high-low))
	r.copied += 4 * int64(end-first+1+high-low)
	err = errors.Join(r.copies.Upload(at, kernels.Bytes(offsets[first:end+1])), r.copies.Upload(to, kernels.Bytes(words[low:high])))
	return lists, to - 4*kernels.Address(low), next, err
}

// all counts block by block, and for each chunk by chunk.
func (r *partsRun) all(ctx context.Context) (state *kernels.State, err error) {
	t := r.parts
	if r.trace != nil { // the device adds up all launches' time
		defer func(trace *match.Trace) {
			if r.trace = trace; state != nil {
				trace.Kernels += time.Duration(state.KernelTime)
			}
		}(r.trace)
		r.trace = nil
	}
	if r.copies, err = r.lane.copying(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.copies.Synchronize()) }()
	block := kernels.Triangles{Offsets: 1}
	r.fill(&block)
	if err := lay(&r.piecework, block); err != nil {
		return nil, err
	}
	turn := 0
	for b := range len(r.blocks) - 1 {
		first, end := r.blocks[b], r.blocks[b+1]
		if block.Lists, block.To, _, err = r.send(r.at, t.Offsets, t.To, first, end); err != nil {
			return nil, err
		}
		block.Low, block.Span = first, end-first
		next, err := r.sendChunk(0, block, r.buffers[turn%2])
		if err != nil {
			return nil, err
		}
		for c := range len(r.chunks) - 1 {
			chunk := next
			if err := errors.Join(r.copies.Synchronize(), ctx.Err()); err != nil {
				return nil, err
			}
			turn++
			state, err = r.countChunk(ctx, chunk, func() (err error) {
				if c+2 < len(r.chunks) {
					next, err = r.sendChunk(c+1, block, r.buffers[turn%2])
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return state, nil
}

// sendChunk begins to copy a chunk, and returns the work at its vertices, by the block.
func (r *partsRun) sendChunk(c int, work kernels.Triangles, at kernels.Address) (kernels.Triangles, error) {
	t, first, end := r.parts, r.chunks[c], r.chunks[c+1]
	var own, walked error
	work.OwnLists, work.Own, at, own = r.send(at, t.Offsets, t.To, first, end)
	work.Walks, work.Via, _, walked = r.send(at, t.walks, t.via, first, end)
	work.First, work.Vertices = first, end
	light := t.Vertices - min(t.Vertices, r.d.options.heavyTriangles) // those before are light
	work.Heavy = end - min(max(first, uint32(light)), end)
	return work, errors.Join(own, walked)
}

// countChunk counts at the vertices of a chunk that is there. ahead begins to bring the next one, once nothing that the launch waits for is to be copied: that
// would stand behind it in the bus's queue.
func (r *partsRun) countChunk(ctx context.Context, work kernels.Triangles, ahead func() error) (*kernels.State, error) {
	scratch := r.lane.scratch()
	if err := r.lane.stream.Upload(r.piecework.at, scratch[:copy(scratch, kernels.Bytes([]kernels.Triangles{work}))]); err != nil {
		return nil, err
	}
	return r.launchBeside(ctx, kernels.TriangleCount, r.d.triangleBlocks, ahead)
}
