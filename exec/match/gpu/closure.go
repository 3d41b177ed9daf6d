package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

var _ match.Searcher = (*Device)(nil)

// Search implements match.Searcher. Partitions that are read in pages are not searched here.
func (d *Device) Search(ctx context.Context, c *match.Closure, ends func(source int, from pcsr.Vertex, words []uint32) error) (counts []uint64, err error) {
	begun := time.Now()
	if c.Trace != nil {
		c.Trace.Backend = d.Name()
	}
	q := &closureSearch{Closure: c, ends: ends}
	err = d.use(func() error {
		_, err := d.countPieces(ctx, &match.Match{Graph: c.Graph, Trace: c.Trace}, q, &q.piecework)
		return err
	})
	if errors.Is(err, errNotDense) {
		err = fmt.Errorf("gpu: %w", match.ErrNotSearched)
	}
	if c.Trace != nil {
		c.Trace.Elapsed += time.Since(begun)
	}
	return q.counts, err
}

// closureSearch is one search of a closure.
type closureSearch struct {
	*match.Closure
	piecework
	ends       func(source int, from pcsr.Vertex, words []uint32) error
	partitions []kernels.Address // of the hops
	counts     []uint64
}

func (q *closureSearch) ready(ctx context.Context, r *reading) (bytes int64, err error) {
	if len(q.Hops) > kernels.MostHops || q.States > kernels.MostStates || len(q.Sources) > kernels.MostSources {
		return 0, errNotDense
	}
	for _, h := range q.Hops {
		at, used := r.place(h.Label, h.Direction)
		if !used {
			return 0, errNotDense
		}
		if _, err := r.load(ctx, at, false); err != nil {
			return 0, err
		}
		if r.paged[at] != nil {
			return 0, errNotDense
		}
		q.partitions = append(q.partitions, r.address(at))
	}
	return imageBytes[kernels.Closure](), nil
}

// run searches.
func (q *closureSearch) run(ctx context.Context) (n uint64, err error) {
	program, memory, err := q.program()
	if err != nil {
		return 0, err
	}
	defer func() {
		if err == nil || q.lane.stream.Synchronize() == nil {
			err = cmp.Or(err, q.d.memory.give(memory)) // that of ends as it is
		}
	}()
	if err := lay(&q.piecework, program); err != nil {
		return 0, err
	}
	kernel := kernels.ClosureOne
	if len(q.Sources) > 1 {
		kernel = kernels.ClosureMany
	}
	if _, err := q.launch(ctx, kernel, q.d.closureBlocks); err != nil {
		return 0, err
	}
	out := []kernels.Closure{program}
	if err := errors.Join(q.lane.stream.Download(kernels.Bytes(out), q.at), q.lane.stream.Synchronize()); err != nil {
		return 0, err
	}
	q.counts = append(q.counts, out[0].Counts[:len(q.Sources)]...)
	if q.ends == nil {
		return 0, nil
	}
	return 0, q.handOut(ctx, &program)
}

// program translates the closure, and takes and clears the memory that it is searched in.
func (q *closureSearch) program() (p kernels.Closure, memory kernels.Address, err error) {
	p = kernels.Closure{
		Slice: uint64(q.d.options.slice), VertexCount: uint32(q.Graph.Vertices()), StateCount: uint32(q.States), HopCount: uint32(len(q.Hops)),
		SourceCount: uint32(len(q.Sources)), Ending: q.Ending, End: uint64(len(q.Sources)),
	}
	if q.Zero {
		p.Zero = 1
	}
	chunks := int64(1)
	for i, h := range q.Hops {
		p.Hops[i] = kernels.Hop{Partition: q.partitions[i], From: uint32(h.From), To: uint32(h.To)}
		chunks += int64(q.Graph.Outline(h.Label, h.Direction).Edges()) / (kernels.LongList / 2)
	}
	copy(p.Sources[:], q.Sources)
	p.Room = uint64(q.Pairs()) + uint64(len(q.Sources))
	var size, cleared int64
	lay := func(to *kernels.Address, bytes int64) {
		*to = kernels.Address(size)
		size += aligned(bytes)
	}
	words, queue := 4*int64(p.Words()), 4*int64(p.Room)
	if len(q.Sources) == 1 {
		p.Filled = 1
		lay(&p.Seen, int64(q.States)*words)
		cleared = size
	} else {
		all := 8 * int64(q.States) * int64(p.VertexCount)
		queue *= 2
		lay(&p.Seen, all)
		lay(&p.Next, all)
		cleared = size
		lay(&p.Front, all)
	}
	lay(&p.Vertices, queue)
	lay(&p.States, queue)
	lay(&p.Chunks, chunks*kernels.Size[kernels.ClosureChunk]())
	if q.ends != nil {
		lay(&p.Ends, words*int64(len(q.Sources)))
	}
	if memory, err = q.take(size); err != nil {
		return p, 0, err
	}
	for _, at := range []*kernels.Address{&p.Seen, &p.Next, &p.Front, &p.Vertices, &p.States, &p.Chunks, &p.Ends} {
		*at += memory
	}
	if q.ends == nil {
		p.Ends = 0
	}
	return p, memory, q.begin(&p, memory, cleared)
}

// take takes memory, a third of what the process may take at most, for which partitions go that no query reads.
func (q *closureSearch) take(bytes int64) (kernels.Address, error) {
	if bytes > q.d.memory.limit/3 {
		return 0, errNotDense
	}
	return q.d.partitions.alloc(bytes, func(bytes, _ int64) (kernels.Address, error) { return q.d.memory.take(bytes, 0) })
}

// begin clears the first bytes of the memory, which is given back where that fails, and puts the sources into the queue.
func (q *closureSearch) begin(p *kernels.Closure, memory kernels.Address, bytes int64) error {
	states, stream := make([]uint32, len(q.Sources)), q.lane.stream
	for i := range states {
		states[i] = p.StateCount
	}
	err := errors.Join(stream.Zero(memory, bytes), stream.Upload(p.Vertices, kernels.Bytes(q.Sources)), stream.Upload(p.States, kernels.Bytes(states)))
	if failed := stream.Synchronize(); failed != nil {
		return errors.Join(err, failed)
	}
	if err != nil {
		return errors.Join(err, q.d.memory.give(memory))
	}
	return nil
}

// handOut tells where walks end, source by source.
func (q *closureSearch) handOut(ctx context.Context, p *kernels.Closure) error {
	staging, err := q.lane.staging()
	if err != nil {
		return err
	}
	q.d.lanes.handing.Add(1)
	defer q.d.lanes.handing.Add(-1)
	words := p.Words()
	for source := range q.Sources {
		if q.counts[source] == 0 {
			continue
		}
		for from := uint64(0); from < words; from += stagingBytes / 4 {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, begun := min(stagingBytes/4, words-from), time.Now()
			at := p.Ends + 4*(uint64(source)*words+from)
			if err := errors.Join(q.lane.stream.Download(staging[:4*n], at), q.lane.stream.Synchronize()); err != nil {
				return err
			}
			if q.trace != nil {
				q.trace.Download += time.Since(begun)
			}
			if err := q.ends(source, pcsr.Vertex(32*from), unsafe.Slice((*uint32)(unsafe.Pointer(&staging[0])), n)); err != nil {
				return err
			}
		}
	}
	return nil
}
