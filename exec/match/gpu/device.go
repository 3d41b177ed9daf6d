package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Errors; test with errors.Is.
var (
	// ErrNoDevice: no GPU can be used; the message says why.
	ErrNoDevice = kernels.ErrNoDevice
	// ErrDeviceLost: the device failed and this process cannot use it any more. The query can be answered on the CPU.
	ErrDeviceLost = kernels.ErrLost
	// ErrUnfit: the device has no room for the only way that it knows to carry a match out. The processor can.
	ErrUnfit = errors.New("the match does not fit the GPU")
	// ErrOutOfMemory: not even the smallest tables fit beside what is in use.
	ErrOutOfMemory = kernels.ErrOutOfMemory
)

// Options are the settings of a Device. The zero value is good.
type Options struct {
	// Ordinal is the number of the GPU.
	Ordinal int
	// Memory bounds the device memory taken, in bytes; 0 means nine tenths of what is free.
	Memory int64
	// Keep is how long the memory of a large query's tables is kept for the next one; 0 means two seconds.
	Keep time.Duration
	// Launches is how many launches are waited for at a time, each by a busy thread; 0 means one for each processor.
	Launches int
	// CombineFrom is the number of rows from which equal ones become one on the device, where a plan lets them (bgp.MatchPlan.Combine); 0
	// means more than come back with a launch by themselves.
	CombineFrom uint64
	// Driver replaces the CUDA driver, for tests.
	Driver kernels.Driver

	tuning
}

// Device is an open GPU. It is an match.Matcher and safe for concurrent use.
type Device struct {
	driver  kernels.Driver
	options Options
	residentBlocks

	memory *budget
	pinned *hostBudget
	lost   atomic.Bool

	lanes      *pool
	partitions *partitions
	pages      *pageCache
	numbers    *numberTables
	permits    chan struct{} // one for each launch that is waited for
	ahead      preparation
	errands    errands
	closing    sync.Once
	closed     error // what Close returned

	mu     sync.Mutex
	graphs map[*pcsr.Graph]*resident
	// current is, by the graph that Change began with, the state of it that was read last.
	current map[*pcsr.Graph]*resident
	rounds  uint64 // counts calls of Forget
}

// Built reports whether this binary has what a GPU runs: without it Open never finds one.
const Built = kernels.Built

// Open opens a GPU. Without one the error wraps ErrNoDevice and says why.
func Open(options Options) (*Device, error) {
	driver := options.Driver
	if driver == nil {
		var err error
		if driver, err = kernels.Open(options.Ordinal); err != nil {
			return nil, err
		}
	}
	leave, err := driver.Enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	limit, err := memoryLimit(driver, options.Memory)
	if err != nil {
		return nil, err
	}
	blocks, err := newResidentBlocks(driver, options.blocks)
	if err != nil {
		return nil, err
	}
	options.complete()
	d := &Device{
		driver: driver, options: options, residentBlocks: blocks,
		memory:  newBudget(driver, limit),
		pinned:  newHostBudget(driver, options.pinned),
		permits: make(chan struct{}, options.Launches), graphs: map[*pcsr.Graph]*resident{}, current: map[*pcsr.Graph]*resident{},
	}
	d.lanes = newPool(d, limit, options.Keep)
	d.pages = newPageCache(d, limit)
	d.numbers = &numberTables{d: d, all: map[figuresOf]*numberTable{}, others: map[values]bool{}}
	d.partitions, err = newPartitions(d)
	return d, err
}

// complete puts what options left open in place.
func (o *Options) complete() {
	o.tuning.complete()
	if o.Keep <= 0 {
		o.Keep = 2 * time.Second
	}
	if o.CombineFrom == 0 {
		o.CombineFrom = mailboxBytes / 4
	}
	if o.Launches <= 0 {
		o.Launches = runtime.GOMAXPROCS(0)
	}
}

// memoryLimit is how much memory of a device may be taken, most at most where that is not 0.
func memoryLimit(driver kernels.Driver, most int64) (limit int64, err error) {
	free, _, err := driver.Memory()
	if err != nil {
		return 0, fmt.Errorf("gpu: asking for free memory: %w", err)
	}
	limit = free / 10 * 9
	if most > 0 {
		limit = min(limit, most)
	}
	if limit < minArena {
		return 0, fmt.Errorf("gpu: %d bytes of device memory are too few: %w", limit, ErrNoDevice)
	}
	return limit, nil
}

// Name is the GPU's name.
func (d *Device) Name() string { return d.driver.Name() }

// Lost reports that the device failed; every later match answers ErrDeviceLost.
func (d *Device) Lost() bool { return d.lost.Load() }

// Info is what a Device holds.
type Info struct {
	Name              string
	ComputeCapability int
	Multiprocessors   int
	// Total and Free are the device's memory, Limit what this process may take of it, Used what it has taken.
	Total, Free, Limit, Used int64
	// Idle is the part of Used in memory that nothing uses now; the next queries will.
	Idle int64
	// Partitions of graphs are on the device, with so many bytes; HostBytes stayed in pinned host memory.
	Partitions            int
	GraphBytes, HostBytes int64
	// Copied is how many bytes of partitions were copied to the device so far, Patched how many that updates have changed were made
	// there of others.
	Copied  int64
	Patched int
	Pages   PageInfo
}

// PageInfo is how partitions that do not fit the device are read in pages.
type PageInfo struct {
	// Bytes is the most that a page has, Buffers how many of them the device has memory for now.
	Bytes   int64
	Buffers int
	// Copied is how many bytes of pages were copied to the device so far; Hits is how often a page was there when a step wanted lists of
	// it, Misses how often it was not.
	Copied, Hits, Misses int64
}

// Info asks the device how it is.
func (d *Device) Info() (Info, error) {
	leave, err := d.driver.Enter()
	if err != nil {
		return Info{}, err
	}
	defer leave()
	info := Info{Name: d.driver.Name(), ComputeCapability: d.driver.ComputeCapability(), Multiprocessors: d.driver.Multiprocessors()}
	if info.Free, info.Total, err = d.driver.Memory(); err != nil {
		return info, err
	}
	info.Limit, info.Used, info.Idle = d.memory.limit, d.memory.inUse(), d.lanes.idleBytes()+d.memory.keptBytes()
	d.partitions.count(&info)
	d.pages.count(&info)
	info.GraphBytes += d.numbers.bytes()
	d.mu.Lock()
	graphs := slices.Collect(maps.Values(d.graphs))
	d.mu.Unlock()
	for _, r := range graphs {
		info.GraphBytes += r.bytes()
		info.HostBytes += r.hostBytes()
	}
	return info, nil
}

// Upload copies the whole graph to the device, so that no query waits for it.
func (d *Device) Upload(ctx context.Context, g *pcsr.Graph) error {
	return d.use(func() error {
		r, err := d.read(g)
		if err != nil {
			return err
		}
		return errors.Join(r.all(ctx), r.end())
	})
}

// Forget frees what graphs take on the device, and the graphs that Change made of them. Partitions of files stay for graphs that have the
// same files open later, until nobody has used them from one call to the next. No match over the graphs may be running.
func (d *Device) Forget(graphs ...*pcsr.Graph) error {
	d.ahead.stop(graphs)
	d.errands.wait()
	var gone []*resident
	d.mu.Lock()
	for g, r := range d.graphs {
		if slices.Contains(graphs, r.ground) || r.queries == 0 && r.round < d.rounds {
			gone = append(gone, r)
			delete(d.graphs, g)
			delete(d.current, r.ground)
		}
	}
	d.rounds++
	d.mu.Unlock()
	return d.use(func() error {
		errs := []error{d.partitions.forget(graphs), d.numbers.forget()}
		for _, r := range gone {
			errs = append(errs, r.free())
		}
		return errors.Join(errs...)
	})
}

// Close frees everything. No match may be running. Closing it again does nothing, and returns what the first time did.
func (d *Device) Close() error {
	d.closing.Do(func() { d.closed = d.close() })
	return d.closed
}

func (d *Device) close() error {
	d.ahead.stop(nil)
	d.errands.wait()
	d.mu.Lock()
	graphs := d.graphs
	d.graphs, d.current = map[*pcsr.Graph]*resident{}, map[*pcsr.Graph]*resident{}
	d.mu.Unlock()
	err := d.use(func() error {
		errs := []error{d.lanes.close(), d.partitions.close()}
		d.pages.close()
		for _, r := range graphs {
			errs = append(errs, r.free())
		}
		errs = append(errs, d.numbers.drop(func(figuresOf, *numberTable) bool { return true }), d.memory.close())
		return errors.Join(errs...)
	})
	return errors.Join(err, d.driver.Close())
}

// use runs f on a thread on which the device may be used, and remembers that the device is lost.
func (d *Device) use(f func() error) error {
	if d.lost.Load() {
		return fmt.Errorf("gpu: %w", ErrDeviceLost)
	}
	leave, err := d.driver.Enter()
	if err == nil {
		err = section.Guard(f) // it reads mapped files
		leave()
	}
	if errors.Is(err, ErrDeviceLost) {
		d.lost.Store(true)
	}
	return err
}
