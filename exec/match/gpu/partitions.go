package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// partitions are those on the device, each once for all graphs that have it: a graph of an update shares what the update did not
// touch with the one before, and a store that was flushed shares its old files with the one that was. They come when
// they are first needed, and stay until nobody needs them:
//
//   - one of arrays until its memory is wanted, the longest unused first, or its graph is forgotten;
//   - one that updates have changed until the next state of it was made of it, and no query reads it any more.
type partitions struct {
	d *Device

	// work is held while something is copied to the device or made there. What follows belongs to who holds it.
	work    sync.Mutex
	stream  kernels.Stream
	staging [2]*kernels.HostMemory

	mu  sync.Mutex
	all map[pcsr.Identity]*loaded
	// newest are the last made of those that updates have changed, by what they differ from: the next is made of them.
	newest map[*pcsr.Partition]*loaded
	clock  uint64 // counts uses
	rounds uint64 // counts calls of forget
	copied int64  // bytes sent
	made   int    // partitions made of others

	inPages atomic.Int64 // partitions that are read in pages
}

// loaded is one partition on the device.
type loaded struct {
	identity pcsr.Identity
	state    *pcsr.Partition // one that updates have changed; nil where it is one of arrays
	ground   *pcsr.Graph     // of the graph that it came with
	pages    *paging         // how it is read in pages; nil where it is not

	// What follows is under partitions.mu once the partition is there for others.
	storage
	entry   kernels.Partition
	queries int    // that read it now
	used    uint64 // the last time, by partitions.clock
	round   uint64 // likewise, by partitions.rounds
}

// lists reports whether the row vertices can be listed.
func (l *loaded) lists() bool { return l.entry.Layer == kernels.LayerRange || l.entry.Vertices != 0 }

func newPartitions(d *Device) (*partitions, error) {
	stream, err := d.driver.NewStream()
	if err != nil {
		return nil, err
	}
	return &partitions{d: d, stream: stream, all: map[pcsr.Identity]*loaded{}, newest: map[*pcsr.Partition]*loaded{}}, nil
}

// hold returns a partition of a graph, brings it to the device if it is not there, with the list of its row vertices if
// that is asked for, and keeps it there until it is let go.
func (p *partitions) hold(ctx context.Context, ground *pcsr.Graph, part *pcsr.Partition, vertices bool) (*loaded, kernels.Partition, error) {
	if l, entry := p.find(part.Identity(), vertices); l != nil {
		return l, entry, nil
	}
	var l *loaded
	var entry kernels.Partition
	err := p.d.apart(ctx, func() (err error) {
		p.work.Lock()
		defer p.work.Unlock()
		l, entry, err = p.bring(ctx, ground, part, vertices)
		return err
	}, func() error { return p.letGo(l) })
	if err != nil {
		return nil, kernels.Partition{}, err
	}
	return l, entry, nil
}

// find holds a partition that is there.
func (p *partitions) find(identity pcsr.Identity, vertices bool) (*loaded, kernels.Partition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.all[identity]
	if l == nil || vertices && !l.lists() {
		return nil, kernels.Partition{}
	}
	p.use(l)
	return l, l.entry
}

// use holds a partition; mu is held.
func (p *partitions) use(l *loaded) {
	p.clock++
	l.queries++
	l.used, l.round = p.clock, p.rounds
}

// letGo ends what hold began.
func (p *partitions) letGo(held ...*loaded) error {
	var gone []*loaded
	p.mu.Lock()
	for _, l := range held {
		if l.queries--; p.isPassed(l) {
			gone = append(gone, p.remove(l))
		}
	}
	p.mu.Unlock()
	return p.release(p.d.memory.give, gone)
}

// isPassed reports whether nobody will need a partition again: updates have changed it since, and no query reads it. mu is held.
func (p *partitions) isPassed(l *loaded) bool {
	return l.queries == 0 && l.state != nil && p.newest[l.state.Ground()] != l && p.all[l.identity] == l
}

// remove takes a partition out; mu is held.
func (p *partitions) remove(l *loaded) *loaded {
	delete(p.all, l.identity)
	if l.pages != nil {
		p.inPages.Add(-1)
	}
	if l.state != nil && p.newest[l.state.Ground()] == l {
		delete(p.newest, l.state.Ground())
	}
	return l
}

// release frees the memory of partitions that were removed.
func (p *partitions) release(give func(kernels.Address) error, gone []*loaded) error {
	var errs []error
	for _, l := range gone {
		if l.pages != nil {
			p.d.pages.drop(l.pages)
		}
		errs = append(errs, l.storage.release(p.d, give))
	}
	return errors.Join(errs...)
}

// bring is hold for who holds work.
func (p *partitions) bring(ctx context.Context, ground *pcsr.Graph, part *pcsr.Partition, vertices bool) (*loaded, kernels.Partition, error) {
	l, entry := p.find(part.Identity(), false)
	err := ctx.Err()
	if l == nil && err == nil {
		l, err = p.make(ctx, ground, part)
	}
	if err == nil && vertices {
		err = p.list(l, part)
		entry = p.entryOf(l)
	}
	if err != nil && l != nil {
		err = errors.Join(err, p.letGo(l))
	}
	if err != nil {
		return nil, entry, fmt.Errorf("gpu: bringing a partition to the device: %w", err)
	}
	return l, p.entryOf(l), nil
}

func (p *partitions) entryOf(l *loaded) kernels.Partition {
	p.mu.Lock()
	defer p.mu.Unlock()
	return l.entry
}

// make brings a partition that is not there: one that updates have changed is made there of another state of it.
func (p *partitions) make(ctx context.Context, ground *pcsr.Graph, part *pcsr.Partition) (*loaded, error) {
	l := &loaded{identity: part.Identity(), ground: ground}
	l.passing = !l.identity.InFile()
	changed := part.Layer() == pcsr.Patched && part.Edges() < math.MaxUint32
	var err error
	if changed {
		l.state = part
		err = p.patch(ctx, l, part)
	}
	if errors.Is(err, ErrOutOfMemory) {
		err = l.storage.release(p.d, p.d.memory.free)
		changed = false
	}
	if !changed && err == nil {
		err = p.copyArrays(l, part)
	}
	if err != nil {
		return nil, errors.Join(err, l.storage.release(p.d, p.d.memory.free))
	}
	return l, p.add(l)
}

// add holds a partition that was made. Of one that updates have changed it is the newest state.
func (p *partitions) add(l *loaded) error {
	var gone []*loaded
	p.mu.Lock()
	p.all[l.identity] = l
	if l.pages != nil {
		p.inPages.Add(1)
	}
	p.use(l)
	if l.state != nil {
		was := p.newest[l.state.Ground()]
		p.newest[l.state.Ground()] = l
		if was != nil && p.isPassed(was) {
			gone = append(gone, p.remove(was))
		}
	}
	p.mu.Unlock()
	return p.release(p.d.memory.give, gone)
}

// list adds the list of the row vertices.
func (p *partitions) list(l *loaded, part *pcsr.Partition) error {
	if l.lists() {
		return nil
	}
	own := storage{passing: l.passing} // others look meanwhile at what the partition takes
	var at kernels.Address
	var err error
	if e := l.entry; e.Layer == kernels.LayerBitmap {
		at, err = p.bitmapVertices(&own, e)
	} else {
		at, err = p.copyWords(&own, part.Arrays().Vertices)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l.device, l.host = append(l.device, own.device...), append(l.host, own.host...)
	if err == nil {
		l.entry.Vertices = at
	}
	return err
}

// bitmapVertices lists the row vertices of a bitmap.
func (p *partitions) bitmapVertices(s *storage, e kernels.Partition) (kernels.Address, error) {
	at, _, err := p.space(s, 4*int64(e.Rows))
	if err != nil {
		return 0, err
	}
	if err := p.launch(kernels.RowVertices, int64(e.Words), e.Index, uint64(e.Words), uint64(e.Base), uint64(e.Rows), at); err != nil {
		return 0, err
	}
	return at, p.stream.Synchronize()
}

// launch starts a kernel that has so much to do for single threads.
func (p *partitions) launch(k kernels.Kernel, threads int64, args ...uint64) error {
	return p.stream.Launch(k, int(min(int64(p.d.blocks), threads/kernels.Block+1)), 0, args...)
}

// forget frees what only graphs that are no more have. What files hold stays for the graphs that come after them, until nobody has
// used it from one call to the next. No match over the graphs may be running.
func (p *partitions) forget(graphs []*pcsr.Graph) error {
	var files, made []*loaded
	p.mu.Lock()
	for _, l := range p.all {
		own := !l.identity.InFile() && slices.Contains(graphs, l.ground)
		switch {
		case l.queries > 0 || !own && l.round >= p.rounds:
		case l.passing:
			made = append(made, p.remove(l))
		default:
			files = append(files, p.remove(l))
		}
	}
	p.rounds++
	p.mu.Unlock()
	return errors.Join(p.release(p.d.memory.free, files), p.release(p.d.memory.give, made))
}

// count adds up what there is.
func (p *partitions) count(info *Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.all {
		info.Partitions++
		info.GraphBytes += p.d.memory.taken(l.device)
		info.HostBytes += l.hostBytes()
	}
	info.Copied, info.Patched = p.copied, p.made
}

// close frees everything.
func (p *partitions) close() error {
	p.mu.Lock()
	gone := make([]*loaded, 0, len(p.all))
	for _, l := range p.all {
		gone = append(gone, p.remove(l))
	}
	p.mu.Unlock()
	errs := []error{p.release(p.d.memory.free, gone)}
	for i, m := range p.staging {
		if m != nil {
			errs = append(errs, p.d.driver.FreeHost(m))
			p.staging[i] = nil
		}
	}
	return errors.Join(append(errs, p.stream.Close())...)
}
