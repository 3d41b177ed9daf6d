package gpu

import (
	"context"
	"errors"
	"time"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// core is a kernels.Core on the device, made of one partition of a graph and given back with it.
type core struct {
	kernels.Core
	at kernels.Address
}

// core makes the core of the partition at a place, unless it is there; nil where there is no room, or the partition itself is read in pages.
func (r *reading) core(ctx context.Context, at int) (*core, error) {
	entry, err := r.load(ctx, at, false)
	if err != nil {
		return nil, err
	}
	if r.paged[at] != nil {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.cores[at]; ok {
		return c, nil
	}
	begun := time.Now()
	c, err := r.makeCore(at, &entry)
	if err != nil {
		return nil, err
	}
	r.cores[at] = c
	r.waiting += time.Since(begun)
	return c, nil
}

func (r *reading) makeCore(place int, entry *kernels.Partition) (*core, error) {
	c := &core{Core: kernels.Core{
		Partition: r.address(place), Rows: entry.Rows, Edges: entry.Edges, Light: uint32(r.d.options.lightRoot), Split: uint32(r.d.options.splitRoot),
	}}
	size := aligned(kernels.Size[kernels.Core]())
	for _, array := range []struct {
		at    *kernels.Address
		bytes int64
	}{
		{&c.Lists, 4 * int64(c.Edges)}, {&c.Starts, 4 * (int64(c.Rows) + 1)}, {&c.Upper, 2 * int64(c.Edges)}, {&c.Sums, 4 * (int64(c.Rows)/kernels.Block + 2)},
		{&c.Pieces, 8 * c.Room()}, {&c.UpperPieces, 8 * c.Room()},
	} {
		*array.at = kernels.Address(size)
		size += aligned(array.bytes)
	}
	at, err := r.d.memory.take(size, r.d.memory.limit/4)
	if errors.Is(err, ErrOutOfMemory) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.kept = append(r.kept, at)
	for _, array := range []*kernels.Address{&c.Lists, &c.Starts, &c.Upper, &c.Sums, &c.Pieces, &c.UpperPieces} {
		*array += at
	}
	c.at = at
	header := []kernels.Core{c.Core}
	if err := r.stream.Upload(at, kernels.Bytes(header)); err != nil {
		return nil, err
	}
	blocks := min(r.d.blocks, int(c.Rows)/kernels.Block+1)
	for _, step := range []struct {
		kernel kernels.Kernel
		blocks int
	}{{kernels.CoreCount, blocks}, {kernels.CoreScan, 1}, {kernels.CoreFill, blocks}} {
		if err := r.stream.Launch(step.kernel, step.blocks, 0, at); err != nil {
			return nil, err
		}
	}
	if err := r.stream.Download(kernels.Bytes(header), at); err != nil {
		return nil, err
	}
	err = r.stream.Synchronize()
	c.Core = header[0]
	return c, err
}
