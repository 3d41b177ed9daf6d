package gpu

import (
	"context"
	"errors"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// orderedLists are partitions' lists by the numbers that match.OrderVertices gives, on the device, made once and given back with the graph.
type orderedLists struct {
	vertices uint32
	lists    []kernels.SquareList
}

// orderedKey is the partitions, and how many.
type orderedKey struct {
	lists [kernels.MostSquareLists]match.SquareList
	n     int
}

// ordered makes the lists of partitions, unless they are there; nil where there is no room, or a partition is read in pages.
func (r *reading) ordered(ctx context.Context, lists []match.SquareList) (*orderedLists, error) {
	key := orderedKey{n: len(lists)}
	copy(key.lists[:], lists)
	r.mu.Lock()
	o := r.orders[key]
	r.mu.Unlock()
	if o != nil {
		return o, nil
	}
	o = &orderedLists{}
	for _, l := range lists {
		at, used := r.place(l.Label, l.Direction)
		if !used {
			return nil, nil
		}
		if _, err := r.load(ctx, at, false); err != nil {
			return nil, err
		}
		if r.paged[at] != nil {
			return nil, nil
		}
		o.lists = append(o.lists, kernels.SquareList{Partition: r.address(at)})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if made := r.orders[key]; made != nil {
		return made, nil
	}
	begun := time.Now()
	switch err := r.makeOrdered(o, lists); {
	case errors.Is(err, ErrOutOfMemory):
		return nil, nil
	case err != nil:
		return nil, err
	}
	r.orders[key] = o
	r.waiting += time.Since(begun)
	return o, nil
}

// makeOrdered numbers the vertices and has the device write the lists; mu is held.
func (r *reading) makeOrdered(o *orderedLists, lists []match.SquareList) (err error) {
	numbers, n := match.OrderVertices(r.graph, lists)
	vertices, offsets := make([]pcsr.Vertex, n), make([][]uint32, len(lists))
	o.vertices = uint32(n)
	var size int64
	for i, l := range lists {
		part := r.graph.Partition(l.Label, l.Direction)
		for v := range part.Degrees() {
			vertices[numbers[v]] = v
		}
		offsets[i] = match.OrderedOffsets(part, numbers, n)
		o.lists[i].Offsets = kernels.Address(size)
		size += aligned(4 * int64(n+1))
		o.lists[i].To = kernels.Address(size)
		size += aligned(4 * int64(offsets[i][n]))
	}
	// What is needed for the making alone: a kernels.Squares, the vertices, the numbers.
	header, order := aligned(kernels.Size[kernels.Squares]()), aligned(4*int64(n))
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
	at, err := r.d.memory.take(size, r.d.memory.limit/4)
	if err != nil {
		return err
	}
	r.kept = append(r.kept, at)
	q := kernels.Squares{Order: scratch + kernels.Address(header), Numbers: scratch + kernels.Address(header+order), Vertices: o.vertices, ListCount: uint32(len(lists))}
	for i := range o.lists {
		o.lists[i].Offsets += at
		o.lists[i].To += at
		if err := r.stream.Upload(o.lists[i].Offsets, kernels.Bytes(offsets[i])); err != nil {
			return err
		}
	}
	copy(q.Lists[:], o.lists)
	return errors.Join(r.stream.Upload(scratch, kernels.Bytes([]kernels.Squares{q})), r.stream.Upload(q.Order, kernels.Bytes(vertices)),
		r.stream.Upload(q.Numbers, kernels.Bytes(numbers)), r.stream.Launch(kernels.SquareFill, min(r.d.blocks, r.d.squareBlocks), 0, scratch))
}
