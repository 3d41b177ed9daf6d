package gpu

import (
	"context"
	"errors"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// hostOrder is orderedLists in pinned host memory, where kernels read them, because they do not find room on the device: squares read a list as often as its vertex
// has greater neighbours, from the first member to the last.
type hostOrder struct {
	orderedLists
	offsets [][]uint32 // of each list
	storage
}

// orderedAway makes the lists of partitions in pinned host memory, unless they are there.
func (r *reading) orderedAway(ctx context.Context, keys []match.PartitionKey, pays bool) (*hostOrder, error) {
	return hostLists(ctx, r, r.hostOrders, keyOf(keys), pays, func(s *storage) (*hostOrder, error) {
		h := &hostOrder{}
		err := h.make(ctx, r.d, r.graph, keys, s)
		h.storage = *s
		return h, err
	})
}

func (h *hostOrder) make(ctx context.Context, d *Device, g *pcsr.Graph, keys []match.PartitionKey, s *storage) error {
	order, err := match.OrderVertices(ctx, g, keys)
	if err != nil {
		return err
	}
	h.vertices = uint32(order.Count)
	vertices := order.Vertices(g, keys)
	for _, key := range keys {
		part := g.Partition(key.Label, key.Direction)
		made := order.Offsets(part)
		offsets, at, err := d.hostRoom(s, len(made))
		if err != nil {
			return err
		}
		copy(offsets, made)
		to, lists, err := d.hostRoom(s, int(made[order.Count]))
		if err != nil {
			return err
		}
		h.offsets = append(h.offsets, offsets)
		h.lists = append(h.lists, kernels.SquareList{Offsets: at, To: lists})
		err = eachVertex(ctx, order.Count, func(v uint32) {
			list := to[offsets[v]:offsets[v+1]]
			for i, x := range part.Neighbours(vertices[v]) {
				list[i] = order.Numbers[x]
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bring begins to copy where lists begin to the device, if there is room for that, at an address that is to be given back; 0: there is none. It returns the lists as
// kernels find them.
func (h *hostOrder) bring(l *lane, d *Device) (*orderedLists, kernels.Address, error) {
	each := partBytes(h.vertices + 1)
	all := int64(len(h.lists)) * each
	if all > d.roomOfPages(d.options.coreRoom) {
		return &h.orderedLists, 0, nil
	}
	at, err := d.pages.takeFrom(all)
	if errors.Is(err, ErrOutOfMemory) {
		return &h.orderedLists, 0, nil
	}
	o := &orderedLists{vertices: h.vertices}
	for i, list := range h.lists {
		list.Offsets = at + kernels.Address(int64(i)*each)
		err = errors.Join(err, l.stream.Upload(list.Offsets, kernels.Bytes(h.offsets[i])))
		o.lists = append(o.lists, list)
	}
	if err != nil {
		return nil, 0, errors.Join(err, d.memory.give(at))
	}
	return o, at, nil
}
