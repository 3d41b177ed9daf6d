package gpu

import (
	"context"
	"errors"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// patch makes a partition that updates have changed of the newest state of it on the device, or of what it differs from: what
// is copied there is the difference; the lists, row vertices and offsets are moved on the device, and the row layer is made anew.
func (p *partitions) patch(ctx context.Context, l *loaded, part *pcsr.Partition) error {
	source, from, edits, err := p.source(ctx, l.ground, part)
	if err != nil {
		return err
	}
	if form := part.Form(); form.Rows > 0 {
		if err = p.reshape(l, form); err == nil {
			err = p.carryOut(&edit{from: from, to: l.entry, edits: edits}, l)
		}
	}
	p.mu.Lock()
	if err == nil {
		p.made++
	}
	p.mu.Unlock()
	if gone := p.letGo(source); err == nil {
		err = gone
	}
	return err
}

// source holds the partition that a state of it is best made of, and tells what it is and how the two differ.
func (p *partitions) source(ctx context.Context, graph *pcsr.Graph, part *pcsr.Partition) (*loaded, kernels.Partition, pcsr.Edits, error) {
	ground := part.Ground()
	p.mu.Lock()
	newest := p.newest[ground]
	if newest != nil {
		p.use(newest)
	}
	p.mu.Unlock()
	if newest == nil {
		source, from, err := p.bring(ctx, graph, ground, true)
		if err != nil {
			return nil, from, pcsr.Edits{}, err
		}
		edits, _ := part.EditsFrom(ground)
		return source, from, edits, nil
	}
	if err := p.list(newest, newest.state); err != nil {
		return nil, kernels.Partition{}, pcsr.Edits{}, errors.Join(err, p.letGo(newest))
	}
	edits, _ := part.EditsFrom(newest.state)
	return newest, p.entryOf(newest), edits, nil
}

// reshape takes memory for a partition of a form, in one piece.
func (p *partitions) reshape(l *loaded, form pcsr.Form) error {
	e := kernels.Partition{Layer: kernels.Layer(form.Layer), Base: form.Base, Rows: form.Rows, Edges: form.Edges, Words: form.Words}
	bytes := int64(0)
	type array struct {
		at    *kernels.Address
		words int64
	}
	arrays := []array{{&e.Neighbours, int64(form.Edges)}, {&e.Index, int64(form.Words)}}
	if !form.Single {
		arrays = append(arrays, array{&e.Offsets, int64(form.Rows) + 1})
	}
	if form.Layer != pcsr.Range {
		arrays = append(arrays, array{&e.Vertices, int64(form.Rows)})
	}
	for _, a := range arrays {
		bytes += aligned(4 * a.words)
	}
	at, err := p.allocLists(bytes, p.d.memory.take)
	if err != nil {
		return err
	}
	l.device = append(l.device, at)
	for _, a := range arrays {
		if a.words > 0 {
			*a.at = at
			at += kernels.Address(aligned(4 * a.words))
		}
	}
	l.entry = e
	return nil
}

// edit is a partition to be made of another.
type edit struct {
	from, to kernels.Partition
	edits    pcsr.Edits
}

// bytes bounds what lay takes.
func (e *edit) bytes() int64 {
	return kernels.Size[kernels.Patch]() + 4*int64(3*len(e.edits.Neighbours)+4*len(e.edits.Rows)+4) + 16*alignment
}

// lay lays the Patch down with its arrays; places are behind what is sent.
func (e *edit) lay(im *image) *kernels.Patch {
	im.reserve(int(kernels.Size[kernels.Patch]()))
	rows := e.edits.Rows
	shifts, shift := make([]uint32, 1, len(e.edits.Came)+1), uint32(0)
	for _, came := range e.edits.Came {
		shift += step(!came, came)
		shifts = append(shifts, shift)
	}
	vertices, before := make([]uint32, len(rows)), make([]uint32, len(rows))
	firsts, rowShifts := make([]uint32, 1, len(rows)+1), make([]uint32, 1, len(rows)+1)
	for i, r := range rows {
		vertices[i], before[i] = r.Vertex, r.Before
		firsts, rowShifts = append(firsts, r.End), append(rowShifts, rowShifts[i]+step(r.Was, r.Is))
	}
	laid := kernels.Patch{
		From: e.from, To: e.to, Edits: uint32(len(e.edits.Neighbours)), Rows: uint32(len(rows)),
		Neighbours: put(im, e.edits.Neighbours), Shifts: put(im, shifts), Vertices: put(im, vertices), Before: put(im, before),
		Firsts: put(im, firsts), RowShifts: put(im, rowShifts), Probes: put(im, []uint32{0}),
	}
	laid.Places = im.base + kernels.Address(aligned(int64(len(im.bytes()))))
	patch := (*kernels.Patch)(unsafe.Pointer(&im.words[0]))
	*patch = laid
	return patch
}

// step is by how much what was there and what is there shift what follows, modulo 2³².
func step(was, is bool) uint32 {
	switch {
	case is && !was:
		return 1
	case was && !is:
		return kernels.None
	}
	return 0
}

// carryOut makes the partition on the device.
func (p *partitions) carryOut(e *edit, l *loaded) error {
	base, err := p.alloc(e.bytes(), p.d.memory.take)
	if err != nil {
		return err
	}
	im := &image{base: base}
	laid := e.lay(im)
	if err = p.stream.Upload(base, im.bytes()); err == nil {
		err = p.edit(laid, base)
	}
	probes := []uint32{0}
	if err == nil && e.to.Layer == kernels.LayerHash {
		err = p.stream.Download(kernels.Bytes(probes), laid.Probes)
	}
	if failed := p.stream.Synchronize(); err == nil {
		err = failed
	}
	l.entry.Probes = probes[0]
	p.mu.Lock()
	p.copied += int64(len(im.bytes()))
	p.mu.Unlock()
	if failed := p.d.memory.give(base); err == nil {
		err = failed
	}
	return err
}

// edit launches the kernels.
func (p *partitions) edit(laid *kernels.Patch, at kernels.Address) error {
	work := []struct {
		kernel  kernels.Kernel
		threads int64
		skip    bool
	}{
		{kernels.PatchPlaces, int64(laid.Edits), laid.Edits == 0},
		{kernels.PatchLists, int64(max(laid.From.Edges, laid.Edits)), false},
		{kernels.PatchRows, int64(max(laid.From.Rows, laid.Rows, laid.To.Words)), false},
		{kernels.IndexBitmap, int64(laid.To.Words), laid.To.Layer != kernels.LayerBitmap},
		{kernels.IndexHash, int64(laid.To.Rows), laid.To.Layer != kernels.LayerHash},
	}
	for _, w := range work {
		if w.skip {
			continue
		}
		if err := p.launch(w.kernel, w.threads, at); err != nil {
			return err
		}
	}
	return nil
}
