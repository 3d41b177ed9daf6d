package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// resident is what of a graph is on the device. Partitions come when they are first needed.
//
// The table on the device has a kernels.Partition for every label in use and direction, then those of Graph.Incident
// (Out, In) and of Graph.EdgeLabelSets (Out, In), then one that numbers the labels in use; what is not loaded has no rows.
type resident struct {
	d      *Device
	graph  *pcsr.Graph
	labels []pcsr.Label // in use
	table  kernels.Address

	mu        sync.Mutex
	stream    kernels.Stream
	loaded    map[int]*loaded // by place in the table
	bitmaps   map[classKey]kernels.Address
	columns   kernels.Address // of the signature table
	filters   map[pcsr.Signature]kernels.Address
	staging   [2]*kernels.HostMemory
	device    []kernels.Address // every allocation
	host      []*kernels.HostMemory
	hostBytes int64
	uploading time.Duration
}

// loaded is one partition on the device.
type loaded struct {
	arrays      pcsr.Arrays
	entry       kernels.Partition
	hasVertices bool
}

// classKey names a list by its place in a partition.
type classKey struct {
	begin  kernels.Address
	length uint64
}

func newResident(d *Device, g *pcsr.Graph) (*resident, error) {
	r := &resident{
		d: d, graph: g, labels: g.UsedLabels(), loaded: map[int]*loaded{}, bitmaps: map[classKey]kernels.Address{},
		filters: map[pcsr.Signature]kernels.Address{},
	}
	size := int64(2*len(r.labels)+5) * kernels.Size[kernels.Partition]()
	var err error
	if r.table, err = d.memory.alloc(size, 0); err != nil {
		return nil, err
	}
	r.device = append(r.device, r.table)
	if r.stream, err = d.driver.NewStream(); err == nil {
		if err = r.stream.Zero(r.table, size); err == nil {
			err = r.numberLabels()
		}
	}
	if err != nil {
		return nil, errors.Join(err, r.free())
	}
	return r, nil
}

// uploadTime is the time spent on copying the graph so far.
func (r *resident) uploadTime() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.uploading
}

// numberLabels publishes the partition whose rows are the labels in use: a range where they are consecutive, else a table
// over their span, or their list where that is long.
func (r *resident) numberLabels() (err error) {
	n := len(r.labels)
	if n == 0 {
		return r.stream.Synchronize()
	}
	first := r.labels[0]
	span := int(r.labels[n-1]-first) + 1
	e := kernels.Partition{Layer: kernels.LayerRange, Base: first, Rows: uint32(n)}
	switch {
	case span == n:
	case span <= mostSpan*(n+mostSpan):
		index := make([]uint32, span)
		for i := range index {
			index[i] = kernels.None
		}
		for i, l := range r.labels {
			index[l-first] = uint32(i)
		}
		e.Layer, e.Words = kernels.LayerDirect, uint32(span)
		e.Index, err = r.copyWords(index)
	default:
		e.Layer = kernels.LayerList
		e.Vertices, err = r.copyWords(r.labels)
	}
	if err != nil {
		return err
	}
	return r.publish(2*n+4, &loaded{entry: e})
}

// mostSpan is how many numbers there may be for each label in use before labels are searched and not indexed.
const mostSpan = 64

// place is where a partition stands in the table, and whether the label is in use.
func (r *resident) place(l pcsr.Label, dir pcsr.Direction) (int, bool) {
	i, used := slices.BinarySearch(r.labels, l)
	return 2*i + int(dir), used
}

func (r *resident) incident(dir pcsr.Direction) int { return 2*len(r.labels) + int(dir) }

func (r *resident) address(place int) kernels.Address {
	return r.table + kernels.Address(place)*kernels.Address(kernels.Size[kernels.Partition]())
}

// part is the partition at a place in the table.
func (r *resident) part(at int) *pcsr.Partition {
	switch n := at - 2*len(r.labels); {
	case n < 0:
		return r.graph.Partition(r.labels[at/2], pcsr.Direction(at%2))
	case n < 2:
		return r.graph.Incident(pcsr.Direction(n))
	default:
		return r.graph.EdgeLabelSets(pcsr.Direction(n - 2))
	}
}

// load brings a partition to the device, if it is not there yet, with the list of its row vertices if that is asked for.
func (r *resident) load(ctx context.Context, at int, vertices bool) (*loaded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.loaded[at]
	if l != nil && (l.hasVertices || !vertices) {
		return l, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begun := time.Now()
	p := r.part(at)
	if l == nil {
		l = &loaded{arrays: p.Arrays()}
		a := &l.arrays
		l.entry = kernels.Partition{Layer: kernels.Layer(a.Layer), Base: a.Base, Rows: a.Rows, Edges: a.Edges, Probes: a.Probes, Words: uint32(len(a.Index))}
	}
	if err := r.copyArrays(l, p, vertices); err != nil {
		return nil, fmt.Errorf("gpu: uploading a partition: %w", err)
	}
	r.uploading += time.Since(begun)
	r.loaded[at] = l
	return l, r.publish(at, l)
}

func (r *resident) copyArrays(l *loaded, p *pcsr.Partition, vertices bool) (err error) {
	a, e := &l.arrays, &l.entry
	list := a.Vertices
	needed := a.Layer == pcsr.List || vertices && a.Layer != pcsr.Range
	if needed && list == nil {
		list = p.AppendVertices(make([]pcsr.Vertex, 0, a.Rows), 0, int(a.Rows))
	}
	if needed && e.Vertices == 0 {
		if e.Vertices, err = r.copyWords(list); err != nil {
			return err
		}
	}
	l.hasVertices = needed || a.Layer == pcsr.Range
	if e.Neighbours != 0 {
		return nil
	}
	if e.Index, err = r.copyWords(a.Index); err != nil {
		return err
	}
	if e.Offsets, err = r.copyWords(a.Offsets); err != nil {
		return err
	}
	e.Neighbours, err = r.copyWords(a.Neighbours)
	return err
}

// copyWords puts an array on the device or, where that is full, into pinned host memory. Tables that wait for the next query
// make room.
func (r *resident) copyWords(words []uint32) (kernels.Address, error) {
	if len(words) == 0 {
		return 0, nil
	}
	data := kernels.Bytes(words)
	// An eighth of the memory stays for the queries' tables.
	alloc := func() (kernels.Address, error) {
		return r.d.memory.alloc(int64(len(data)), max(r.d.memory.limit/8, minArena))
	}
	at, err := alloc()
	for errors.Is(err, ErrOutOfMemory) && r.d.lanes.drop() {
		at, err = alloc()
	}
	if errors.Is(err, ErrOutOfMemory) {
		m, err := r.d.driver.AllocHost(int64(len(data)))
		if err != nil {
			return 0, err
		}
		copy(m.Data, data)
		r.host = append(r.host, m)
		r.hostBytes += int64(len(data))
		return m.Device, nil
	}
	if err != nil {
		return 0, err
	}
	r.device = append(r.device, at)
	return at, r.send(at, data)
}

// publish writes a partition's entry into the table.
func (r *resident) publish(at int, l *loaded) error {
	if err := r.stream.Upload(r.address(at), kernels.Bytes([]kernels.Partition{l.entry})); err != nil {
		return err
	}
	return r.stream.Synchronize()
}

// all loads every partition, with the lists of row vertices.
func (r *resident) all(ctx context.Context) error {
	for at := range 2 * len(r.labels) {
		if _, err := r.load(ctx, at, true); err != nil {
			return err
		}
	}
	return r.labelSets(ctx)
}

// labelSets loads what tells the labels of a vertex's edges.
func (r *resident) labelSets(ctx context.Context) error {
	for n := range 4 {
		if _, err := r.load(ctx, 2*len(r.labels)+n, n < 2); err != nil {
			return err
		}
	}
	return nil
}

// bitmap returns a bitmap of the members of a list on the device, or 0 where there is no room for one.
func (r *resident) bitmap(begin kernels.Address, length uint64) (kernels.Address, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := classKey{begin, length}
	if at, ok := r.bitmaps[key]; ok {
		return at, nil
	}
	bytes := (int64(r.graph.Vertices())+31)/32*4 + 4
	at, err := r.d.memory.alloc(bytes, r.d.memory.limit/4)
	if errors.Is(err, ErrOutOfMemory) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	r.device = append(r.device, at)
	if err := r.stream.Zero(at, bytes); err != nil {
		return 0, err
	}
	blocks := min(uint64(r.d.blocks), length/kernels.Block+1)
	if err := r.stream.Launch(kernels.Mark, int(blocks), 0, begin, length, at); err != nil {
		return 0, err
	}
	if err := r.stream.Synchronize(); err != nil {
		return 0, err
	}
	r.bitmaps[key] = at
	return at, nil
}

func (r *resident) free() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, a := range r.device {
		errs = append(errs, r.d.memory.free(a))
	}
	for _, m := range r.host {
		errs = append(errs, r.d.driver.FreeHost(m))
	}
	if r.stream != nil {
		errs = append(errs, r.stream.Close())
	}
	r.device, r.host, r.stream = nil, nil, nil
	return errors.Join(errs...)
}
