package gpu

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Work of counts of triangles: the heavyTriangles vertices of most neighbours are taken one at a time, of the others trianglesAtOnce.
const (
	heavyTriangles  = 1 << 18
	trianglesAtOnce = 64
)

// triplePrice is how much a plan must cost, in candidates an edge of its label, for its triangles being counted by triples of neighbours: R-MAT graphs'
// cost 12 to 17, where a count takes a tenth of what joining does, and no longer where the lists are to be made.
const triplePrice = 8

// paysTriples reports whether joining costs more than making the lists.
func paysTriples(m *match.Match, t *match.Triangle) bool {
	return m.Plan.Cost >= triplePrice*float64(m.Graph.Outline(t.Label, pcsr.Out).Edges())
}

// countTriangles counts a cycle of three edges by triples of neighbours; errNotDense where there is no room for it.
func (d *Device) countTriangles(ctx context.Context, m *match.Match, triangle *match.Triangle) (n uint64, err error) {
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
	q := triangleCount{Triangle: triangle, piecework: d.piecework(m)}
	if err := q.wait(ctx); err != nil {
		return 0, err
	}
	defer q.pass()
	if q.lists, err = r.triples(ctx, triangle.Label); err != nil {
		return 0, err
	}
	if q.lists == nil {
		return 0, errNotDense
	}
	return q.work(ctx, kernels.Size[kernels.Triangles](), q.run)
}

// triangleCount is one count by triples of neighbours.
type triangleCount struct {
	*match.Triangle
	piecework
	lists *kernels.Triangles
}

// run counts.
func (q *triangleCount) run(ctx context.Context) (uint64, error) {
	program := *q.lists
	options := &q.d.options
	program.Slice, program.AtOnce = uint64(options.slice), trianglesAtOnce
	program.Heavy, program.Room = min(program.Vertices, uint32(options.heavyTriangles)), uint32(options.triangleRoom)
	program.Weights = q.Weights
	if err := lay(&q.piecework, program); err != nil {
		return 0, err
	}
	state, err := q.launch(ctx, kernels.TriangleCount, q.d.triangleBlocks)
	if err != nil {
		return 0, err
	}
	if q.trace != nil {
		q.Name(q.trace)
	}
	n, carry := bits.Add64(state.Count, state.CountHigh<<32, 0)
	n, more := bits.Add64(n, q.Add(program.Loops, program.LoopOut, program.LoopIn, program.LoopBoth), 0)
	if carry+more+state.CountHigh>>32 != 0 {
		return 0, match.ErrTooMany
	}
	return n, nil
}

// triples makes the lists of a label that triangles are counted by, unless they are there; nil where there is no room, or the label is read in pages.
func (r *reading) triples(ctx context.Context, label pcsr.Label) (*kernels.Triangles, error) {
	r.mu.Lock()
	made := r.triangles[label]
	r.mu.Unlock()
	if made != nil {
		return made, nil
	}
	q := &kernels.Triangles{}
	for _, side := range []struct {
		direction pcsr.Direction
		at        *kernels.Address
	}{{pcsr.Out, &q.Out}, {pcsr.In, &q.In}} {
		at, used := r.place(label, side.direction)
		if !used {
			return nil, nil
		}
		if _, err := r.load(ctx, at, false); err != nil {
			return nil, err
		}
		if r.paged[at] != nil {
			return nil, nil
		}
		*side.at = r.address(at)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if made := r.triangles[label]; made != nil {
		return made, nil
	}
	begun := time.Now()
	switch err := r.makeTriples(q, label); {
	case errors.Is(err, ErrOutOfMemory):
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.triangles[label] = q
	r.waiting += time.Since(begun)
	return q, nil
}

// makeTriples numbers the vertices and has the device write the lists; mu is held.
func (r *reading) makeTriples(q *kernels.Triangles, label pcsr.Label) (err error) {
	numbers, n := match.OrderVertices(r.graph, []match.SquareList{{Label: label, Direction: pcsr.Out}, {Label: label, Direction: pcsr.In}})
	vertices := make([]pcsr.Vertex, n)
	for _, d := range []pcsr.Direction{pcsr.Out, pcsr.In} {
		for v := range r.graph.Partition(label, d).Degrees() {
			vertices[numbers[v]] = v
		}
	}
	q.Vertices = uint32(n)
	lists, entries := aligned(8*int64(n)), aligned(4*int64(r.graph.Partition(label, pcsr.Out).Edges()))
	at, err := r.d.memory.take(2*(lists+entries), r.d.memory.limit/4)
	if err != nil {
		return err
	}
	r.kept = append(r.kept, at)
	for _, array := range []struct {
		at    *kernels.Address
		bytes int64
	}{{&q.Lists, lists}, {&q.Walks, lists}, {&q.To, entries}, {&q.Via, entries}} {
		*array.at = at
		at += kernels.Address(array.bytes)
	}
	// What is needed for the making alone: the header, the vertices, the numbers.
	header, order := aligned(kernels.Size[kernels.Triangles]()), aligned(4*int64(n))
	scratch, err := r.d.memory.take(header+order+4*int64(len(numbers)), 0)
	if err != nil {
		return err
	}
	defer func() {
		if failed := r.stream.Synchronize(); failed == nil {
			err = errors.Join(err, r.d.memory.give(scratch))
		} else {
			err = errors.Join(err, failed)
		}
	}()
	q.Order, q.Numbers = scratch+kernels.Address(header), scratch+kernels.Address(header+order)
	made := []kernels.Triangles{*q}
	blocks := min(r.d.blocks, r.d.triangleBlocks)
	err = errors.Join(r.stream.Upload(scratch, kernels.Bytes(made)), r.stream.Upload(q.Order, kernels.Bytes(vertices)),
		r.stream.Upload(q.Numbers, kernels.Bytes(numbers)), r.stream.Launch(kernels.TriangleFill, blocks, 0, scratch),
		r.stream.Launch(kernels.TriangleWalks, blocks, 0, scratch), r.stream.Download(kernels.Bytes(made), scratch), r.stream.Synchronize())
	*q = made[0]
	return err
}
