package gpu

import (
	"errors"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// resident is what the device has for one graph beside its partitions, which it shares with others: where they are.
//
// The table on the device has a kernels.Partition for every label in use and direction, then those of Graph.Incident
// (Out, In) and of Graph.EdgeLabelSets (Out, In), then one that numbers the labels in use; what no query has asked for has no rows.
type resident struct {
	d      *Device
	graph  *pcsr.Graph
	ground *pcsr.Graph
	labels []pcsr.Label // in use
	table  kernels.Address

	making sync.Mutex // held while lists are made in host memory (hostLists), before mu

	mu        sync.Mutex
	stream    kernels.Stream
	published []kernels.Partition // the table
	bitmaps   map[listKey]kernels.Address
	firsts    map[listKey]uint32 // where lists begin among the neighbours
	filters   map[pcsr.Signature]kernels.Address
	cores     map[int]*core // by their partition's place in the table
	orders    map[orderedKey]*orderedLists
	triangles map[pcsr.Label]*kernels.Triangles
	kept      []kernels.Address // everything, to be given back to the budget
	// hostTriples are what triangles are kept in where there is no room for that; nil for a label of which they were wanted once.
	hostTriples map[pcsr.Label]*hostTriples
	// hostCores likewise are cores that are away, hostOrders lists that squares are counted by.
	hostCores  map[pcsr.Label]*hostCore
	hostOrders map[orderedKey]*hostOrder

	// Under Device.mu: the queries that read the graph, and when the last came, by Device.rounds.
	queries int
	round   uint64
}

// listKey names a list: by its partition's place in the table, and its row.
type listKey struct{ at, row int }

func newResident(d *Device, g *pcsr.Graph) (*resident, error) {
	r := &resident{
		d: d, graph: g, ground: g.Ground(), labels: g.UsedLabels(), bitmaps: map[listKey]kernels.Address{}, firsts: map[listKey]uint32{},
		filters: map[pcsr.Signature]kernels.Address{}, cores: map[int]*core{}, orders: map[orderedKey]*orderedLists{}, triangles: map[pcsr.Label]*kernels.Triangles{},
		hostTriples: map[pcsr.Label]*hostTriples{}, hostCores: map[pcsr.Label]*hostCore{}, hostOrders: map[orderedKey]*hostOrder{},
	}
	r.published = make([]kernels.Partition, 2*len(r.labels)+5)
	size := int64(len(r.published)) * kernels.Size[kernels.Partition]()
	var err error
	if r.table, err = r.take(size); err != nil {
		return nil, err
	}
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

// take takes memory that is given back when nobody reads the graph any more.
func (r *resident) take(bytes int64) (kernels.Address, error) {
	at, err := r.d.partitions.alloc(bytes, func(bytes, _ int64) (kernels.Address, error) { return r.d.memory.take(bytes, 0) })
	if err == nil {
		r.kept = append(r.kept, at)
	}
	return at, err
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
		e.Index, err = r.sendWords(index)
	default:
		e.Layer = kernels.LayerList
		e.Vertices, err = r.sendWords(r.labels)
	}
	if err != nil {
		return err
	}
	return r.publish(placed{2*n + 4, []kernels.Partition{e}})
}

// mostSpan is how many numbers there may be for each label in use before labels are searched and not indexed.
const mostSpan = 64

// sendWords puts a small array on the device.
func (r *resident) sendWords(words []uint32) (kernels.Address, error) {
	at, err := r.take(4 * int64(len(words)))
	if err != nil {
		return 0, err
	}
	if err := r.stream.Upload(at, kernels.Bytes(words)); err != nil {
		return 0, err
	}
	return at, r.stream.Synchronize()
}

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

// placed are entries of the table from a place on.
type placed struct {
	at      int
	entries []kernels.Partition
}

// publish writes entries into the table, unless they are there.
func (r *resident) publish(list ...placed) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := false
	for _, p := range list {
		was := r.published[p.at:][:len(p.entries)]
		for i := range p.entries { // who was slow to publish must not take away the row vertices that another one has listed since
			with := p.entries[i]
			with.Vertices = was[i].Vertices
			if p.entries[i].Vertices == 0 && with == was[i] {
				p.entries[i] = with
			}
		}
		if slices.Equal(was, p.entries) {
			continue
		}
		changed = true
		if err := r.stream.Upload(r.address(p.at), kernels.Bytes(p.entries)); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	if err := r.stream.Synchronize(); err != nil {
		return err
	}
	for _, p := range list {
		copy(r.published[p.at:], p.entries)
	}
	return nil
}

// first is where the list of a row begins among the neighbours of the partition at a place.
func (r *resident) first(key listKey, e *kernels.Partition) (uint32, error) {
	if e.Offsets == 0 {
		return uint32(key.row), nil
	}
	if p := r.part(key.at); p.Layer() != pcsr.Patched {
		return p.Arrays().Offsets[key.row], nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first, ok := r.firsts[key]; ok {
		return first, nil
	}
	var first [1]uint32
	if err := r.stream.Download(kernels.Bytes(first[:]), e.Offsets+4*uint64(key.row)); err != nil {
		return 0, err
	}
	if err := r.stream.Synchronize(); err != nil {
		return 0, err
	}
	r.firsts[key] = first[0]
	return first[0], nil
}

// bitmap returns a bitmap of the members of a list on the device, or 0 where there is no room for one.
func (r *resident) bitmap(key listKey, begin kernels.Address, length uint64) (kernels.Address, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.bitmaps[key]; ok {
		return at, nil
	}
	bytes := (int64(r.graph.Vertices())+31)/32*4 + 4
	at, err := r.d.memory.take(bytes, r.d.memory.limit/4)
	if errors.Is(err, ErrOutOfMemory) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	r.kept = append(r.kept, at)
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
	for _, a := range r.kept {
		errs = append(errs, r.d.memory.give(a))
	}
	for _, s := range r.hostStorage() {
		errs = append(errs, s.release(r.d, r.d.memory.give))
	}
	if r.stream != nil {
		errs = append(errs, r.stream.Close())
	}
	r.kept, r.hostTriples, r.hostCores, r.hostOrders, r.stream = nil, nil, nil, nil, nil
	return errors.Join(errs...)
}

// hostStorage is what lies in pinned host memory; mu is held.
func (r *resident) hostStorage() (all []*storage) {
	for _, t := range r.hostTriples {
		if t != nil {
			all = append(all, &t.storage)
		}
	}
	for _, h := range r.hostCores {
		if h != nil {
			all = append(all, &h.storage)
		}
	}
	for _, h := range r.hostOrders {
		if h != nil {
			all = append(all, &h.storage)
		}
	}
	return all
}

// hostBytes is what it takes of pinned host memory.
func (r *resident) hostBytes() (n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.hostStorage() {
		n += s.hostBytes()
	}
	return n
}

// bytes is what the resident takes itself.
func (r *resident) bytes() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.d.memory.taken(r.kept)
}
