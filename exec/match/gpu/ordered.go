package gpu

import (
	"context"
	"errors"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// once returns what was made of whole partitions and is kept by a key, and has it made where it is not there, of the partitions' addresses. nil where
// there is no room, or a partition is read in pages. It is given back with the graph.
func once[K comparable, V any](ctx context.Context, r *reading, kept map[K]*V, key K, keys []match.PartitionKey, make func(at []kernels.Address) (*V, error)) (*V, error) {
	r.mu.Lock()
	v := kept[key]
	r.mu.Unlock()
	if v != nil {
		return v, nil
	}
	var addresses []kernels.Address
	for _, k := range keys {
		at, used := r.place(k.Label, k.Direction)
		if !used {
			return nil, nil
		}
		if _, err := r.load(ctx, at, false); err != nil {
			return nil, err
		}
		if r.paged[at] != nil {
			return nil, nil
		}
		addresses = append(addresses, r.address(at))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if v := kept[key]; v != nil {
		return v, nil
	}
	begun, had := time.Now(), len(r.kept)
	v, err := make(addresses)
	if err != nil {
		if failed := r.stream.Synchronize(); failed != nil { // it may still write there
			return nil, errors.Join(err, failed)
		}
		var lost error
		for _, at := range r.kept[had:] {
			lost = errors.Join(lost, r.d.memory.give(at))
		}
		r.kept = r.kept[:had]
		if errors.Is(err, ErrOutOfMemory) {
			return nil, lost
		}
		return nil, errors.Join(err, lost)
	}
	kept[key] = v
	r.waiting += time.Since(begun)
	return v, nil
}

// keep takes memory that is given back with the graph; mu is held.
func (r *reading) keep(bytes int64) (kernels.Address, error) {
	at, err := r.d.memory.take(bytes, r.d.memory.limit/4)
	if err == nil {
		r.kept = append(r.kept, at)
	}
	return at, err
}

// byOrder has kernels write lists by the numbers of vertices. They read what, from an address that launch is told, in which vertices and numbers become the
// addresses of the vertices by number and of the numbers by vertex; all of it is there for the launch alone. mu is held.
func byOrder[T any](r *reading, order *match.VertexOrder, keys []match.PartitionKey, what *T, vertices, numbers *kernels.Address, launch func(at kernels.Address) error) (err error) {
	header, size := aligned(kernels.Size[T]()), aligned(4*int64(order.Count))
	at, err := r.d.memory.take(header+size+4*int64(len(order.Numbers)), 0)
	if err != nil {
		return err
	}
	defer func() {
		if failed := r.stream.Synchronize(); failed == nil {
			err = errors.Join(err, r.d.memory.give(at))
		} else {
			err = errors.Join(err, failed)
		}
	}()
	*vertices, *numbers = at+kernels.Address(header), at+kernels.Address(header+size)
	return errors.Join(r.stream.Upload(at, kernels.Bytes([]T{*what})), r.stream.Upload(*vertices, kernels.Bytes(order.Vertices(r.graph, keys))),
		r.stream.Upload(*numbers, kernels.Bytes(order.Numbers)), launch(at))
}

// orderedLists are partitions' lists by the numbers of a match.VertexOrder, on the device.
type orderedLists struct {
	vertices uint32
	lists    []kernels.SquareList
}

// orderedKey is the partitions, and how many.
type orderedKey struct {
	lists [kernels.MostSquareLists]match.PartitionKey
	n     int
}

// keyOf names partitions.
func keyOf(keys []match.PartitionKey) orderedKey {
	key := orderedKey{n: len(keys)}
	copy(key.lists[:], keys)
	return key
}

// ordered makes the lists of partitions, unless they are there; nil where there is no room, or a partition is read in pages.
func (r *reading) ordered(ctx context.Context, keys []match.PartitionKey) (*orderedLists, error) {
	return once(ctx, r, r.orders, keyOf(keys), keys, func(at []kernels.Address) (*orderedLists, error) {
		order, err := match.OrderVertices(ctx, r.graph, keys)
		if err != nil {
			return nil, err
		}
		o, offsets := &orderedLists{vertices: uint32(order.Count)}, make([][]uint32, len(keys))
		var size int64
		for i, k := range keys {
			offsets[i] = order.Offsets(r.graph.Partition(k.Label, k.Direction))
			list := kernels.SquareList{Partition: at[i], Offsets: kernels.Address(size)}
			size += aligned(4 * int64(len(offsets[i])))
			list.To = kernels.Address(size)
			size += aligned(4 * int64(offsets[i][order.Count]))
			o.lists = append(o.lists, list)
		}
		to, err := r.keep(size)
		if err != nil {
			return nil, err
		}
		q := kernels.Squares{Vertices: o.vertices, ListCount: uint32(len(keys))}
		for i := range o.lists {
			o.lists[i].Offsets += to
			o.lists[i].To += to
			if err := r.stream.Upload(o.lists[i].Offsets, kernels.Bytes(offsets[i])); err != nil {
				return nil, err
			}
		}
		copy(q.Lists[:], o.lists)
		return o, byOrder(r, order, keys, &q, &q.Order, &q.Numbers, func(at kernels.Address) error {
			return r.stream.Launch(kernels.SquareFill, min(r.d.blocks, r.d.squareBlocks), 0, at)
		})
	})
}
