package gpu

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// hostCore is a core that is away: the lists of a label by numbers of rows, in pinned host memory, because a core does not find room on the device. Kernels
// read them there, but for those of the rows with the most neighbours, which a count brings to the device, as many as there is room for: they are few and looked up most.
// Of graph A (a million edges) a third of the upper lists' bytes are those of nine in ten that are read for triangles.
type hostCore struct {
	*match.CoreLists
	core   kernels.Core // without addresses on the device
	arrays hostArrays
	storage
}

// hostArrays are where kernels find the arrays of match.CoreLists, and pieces.
type hostArrays struct {
	offsets, within, lists, starts, upper, pieces, upperPieces kernels.Address
}

// awayPieces is how many pieces of a root in a core on the device are one of a root in a core that is away: each reads all of the root's lists, over the bus.
const awayPieces = 4

// hostCore makes the core of a label in pinned host memory, unless it is there.
func (r *reading) hostCore(ctx context.Context, label pcsr.Label, pays bool) (*hostCore, error) {
	return hostLists(ctx, r, r.hostCores, label, pays, func(s *storage) (h *hostCore, err error) {
		h = &hostCore{}
		if h.CoreLists, err = match.NewCoreLists(ctx, r.graph, label); err == nil {
			err = h.make(ctx, r.d, s)
		}
		h.storage = *s
		return h, err
	})
}

// make makes the lists and what work there is at them.
func (h *hostCore) make(ctx context.Context, d *Device, s *storage) error {
	var where []kernels.Address
	err := h.List(func(words int) ([]uint32, error) {
		made, at, err := d.hostRoom(s, words)
		where = append(where, at)
		return made, err
	}, func(f func(row uint32)) error { return eachVertex(ctx, h.Rows, f) })
	if err != nil {
		return err
	}
	a := &h.arrays
	a.offsets, a.starts, a.within, a.lists, a.upper = where[0], where[1], where[2], where[3], where[4]
	h.core = kernels.Core{
		Rows: uint32(h.Rows), Edges: uint32(len(h.Lists)), Light: uint32(d.options.lightRoot), Split: uint32(awayPieces * d.options.splitRoot),
	}
	if a.pieces, h.core.PieceCount, h.core.Longest, err = h.pieces(d, s, h.Offsets); err == nil {
		a.upperPieces, h.core.UpperPieceCount, h.core.UpperLongest, err = h.pieces(d, s, h.Starts)
	}
	return err
}

// pieces are the work of rows with many members, by where lists begin, those with the most first.
func (h *hostCore) pieces(d *Device, s *storage, begins []uint32) (at kernels.Address, count, longest uint32, err error) {
	var all []uint64
	for row := h.Rows - 1; row >= 0; row-- {
		n := begins[row+1] - begins[row]
		if longest = max(longest, n); n <= h.core.Light {
			continue
		}
		parts := h.core.Parts(n)
		for part := range parts {
			all = append(all, uint64(row)|uint64(part)<<32|uint64(parts)<<48)
		}
	}
	to, at, err := d.hostRoom(s, 2*len(all))
	if err == nil && len(all) > 0 {
		copy(to, unsafe.Slice((*uint32)(unsafe.Pointer(&all[0])), 2*len(all)))
	}
	return at, uint32(len(all)), longest, err
}

// away is a core that is away, for one count: some of it is brought to the device.
type away struct {
	*hostCore
	at     kernels.Address // on the device
	bytes  int64           // brought
	copied int64
}

// awayShare is which part of the room that pages could have a count takes in a crowd.
const awayShare = 4

// awayHeader is what comes first in a core on the device: the core, and the partition that it has for offsets.
type awayHeader struct {
	core      kernels.Core
	partition kernels.Partition
}

// bring takes what room the device has for pages, and begins to copy what is looked up most: where lists begin, and the lists of the last rows, whole where far
// vertices are bound, else what leads up of them. It returns the core as kernels find it.
func (a *away) bring(l *lane, d *Device, far bool) (kernels.Core, error) {
	lists, header := a.Upper, aligned(kernels.Size[awayHeader]())
	if far {
		lists = a.Lists
	}
	want := header + 3*partBytes(a.Rows+1) + partBytes(len(lists))
	room := d.roomOfPages(d.options.coreRoom)
	if d.lanes.crowd() { // others want pages, or bring lists too
		room /= awayShare
	}
	var err error
	a.bytes = min(want, max(room, header))
	if a.at, err = d.pages.takeFrom(a.bytes); err != nil {
		return kernels.Core{}, err
	}
	to := &bringing{stream: l.stream, arena: arena{base: a.at + kernels.Address(header), size: a.bytes - header}}
	head := []awayHeader{{a.core, kernels.Partition{Rows: a.core.Rows}}}
	c, part, from := &head[0].core, &head[0].partition, &a.arrays
	c.Partition = a.at + kernels.Address(unsafe.Offsetof(head[0].partition))
	c.Pieces, c.UpperPieces, c.ListsAway, c.ListsFrom = from.pieces, from.upperPieces, from.lists, uint32(len(a.Lists))
	if far {
		part.Offsets = to.copy(a.Offsets, from.offsets)
		c.Starts, c.Ends = to.copy(a.Within, from.within), part.Offsets+4
		c.Lists, c.ListsFrom = to.copyLast(a.Lists, a.Offsets)
		c.Upper, c.UpperAway, c.UpperFrom = c.Lists, from.lists, c.ListsFrom
	} else {
		part.Offsets = from.offsets
		c.Starts = to.copy(a.Starts, from.starts)
		c.Ends, c.UpperAway = c.Starts+4, from.upper
		c.Upper, c.UpperFrom = to.copyLast(a.Upper, a.Starts)
	}
	a.copied = to.copied
	return *c, errors.Join(to.err, l.stream.Upload(a.at, l.scratch()[:copy(l.scratch(), kernels.Bytes(head))]))
}

// bringing copies arrays to the device, one behind the other, as far as there is room.
type bringing struct {
	stream kernels.Stream
	arena  arena
	copied int64
	err    error
}

// copy returns where an array is then, which lies in host memory at an address: there, if there is no room for it.
func (b *bringing) copy(words []uint32, away kernels.Address) kernels.Address {
	at, err := b.arena.take(partBytes(len(words)))
	if err != nil {
		return away
	}
	b.copied += 4 * int64(len(words))
	b.err = errors.Join(b.err, b.stream.Upload(at, kernels.Bytes(words)))
	return at
}

// copyLast copies as many of the last lists as there is room for, of lists that begin at some places, of which the last is the end of all. It returns where they are,
// and the place where the first of them begins.
func (b *bringing) copyLast(lists, places []uint32) (at kernels.Address, from uint32) {
	row := sort.Search(len(places)-1, func(row int) bool { return partBytes(len(lists)-int(places[row])) <= b.arena.left() })
	return b.copy(lists[places[row]:], 0), places[row]
}

// give gives the device's memory back, which nothing reads any more.
func (a *away) give(d *Device) error {
	d.pages.addCopied(a.copied)
	return d.memory.give(a.at)
}

func (a *away) String() string {
	return fmt.Sprintf("lists away, %.1f MB of them here", float64(a.copied)/1e6)
}
