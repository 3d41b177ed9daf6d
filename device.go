package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// device is the GPU of an open store, opened when a query first asks for it.
type device struct {
	options Options
	once    sync.Once
	opened  *gpu.Device
	failed  error
	warm    atomic.Bool
	// opening is how long opening took, until a query takes it for its own.
	opening atomic.Int64
}

func newDevice(options Options) *device { return &device{options: options} }

// open opens the GPU on the first call; the error wraps ErrNoDevice and says why there is none.
func (d *device) open() (*gpu.Device, error) {
	d.once.Do(func() {
		began := time.Now()
		d.opened, d.failed = gpu.Open(gpu.Options{Memory: d.options.GPUMemory})
		d.opening.Store(int64(time.Since(began)))
		d.warm.Store(d.failed == nil)
	})
	if d.failed == nil && d.opened.Lost() {
		return nil, fmt.Errorf("%w: %w", ErrNoDevice, gpu.ErrDeviceLost)
	}
	return d.opened, d.failed
}

// claimOpening returns how long opening the GPU took, once; the query that opened it asks.
func (d *device) claimOpening() time.Duration { return time.Duration(d.opening.Swap(0)) }

func (d *device) available() bool {
	_, err := d.open()
	return err == nil
}

func (d *device) err() error {
	_, err := d.open()
	return err
}

func (d *device) close() error {
	if d.opened == nil {
		return nil
	}
	return d.opened.Close()
}

// Device describes the GPU and what of the store is resident there.
func (s *Store) Device() DeviceInfo { return s.gpu.describe() }

// DescribeDevice describes the GPU.
func DescribeDevice() DeviceInfo {
	d := newDevice(Options{})
	defer d.close()
	return d.describe()
}

func (d *device) describe() DeviceInfo {
	opened, err := d.open()
	d.claimOpening()
	if err != nil {
		return DeviceInfo{Reason: err.Error()}
	}
	info, err := opened.Info()
	if err != nil {
		return DeviceInfo{Reason: err.Error()}
	}
	return DeviceInfo{
		Available: true, Name: info.Name, Memory: info.Total, Free: info.Free, Used: info.Used, Resident: info.GraphBytes,
		Working:    max(0, info.Used-info.GraphBytes-info.Idle),
		Capability: fmt.Sprintf("%d.%d", info.ComputeCapability/10, info.ComputeCapability%10),
	}
}

// choice picks the matcher of each basic graph pattern of one query, and adds up what the GPU took.
type choice struct {
	store   *Store
	device  Device
	used    bool
	fellOut bool
	gpu     match.Trace
}

// pays reports whether a match of that cost is worth a GPU, if there is one.
func (d *device) pays(cost float64) bool {
	if d.warm.Load() {
		return cost > bgp.GPUCost
	}
	return cost > bgp.GPUColdCost
}

// speed is bgp.Options.Speed of the device that expensive patterns go to.
func (c *choice) speed() float64 {
	if c.device == GPU || c.device == Auto && c.store.gpu.warm.Load() {
		return bgp.GPUSpeed
	}
	return 1
}

func (c *choice) matcher(plan *bgp.MatchPlan, _ *pcsr.Graph) match.Matcher {
	if c.device == GPU || c.device == Auto && c.store.gpu.pays(plan.Cost) && c.store.gpu.available() {
		c.used = true
		return gpuMatcher{c}
	}
	return c.store.cpu
}

// String names where the patterns were matched.
func (c *choice) String() string {
	switch {
	case c.fellOut:
		return "cpu (the GPU failed)"
	case c.used:
		return "gpu"
	}
	return "cpu"
}

// gpuMatcher runs matches on the GPU, and on the CPU when the GPU is lost before the first solution.
type gpuMatcher struct{ *choice }

func (g gpuMatcher) Match(ctx context.Context, m *match.Match, emit func(*vector.Batch) error) error {
	emitted := false
	return g.run(m, func() bool { return !emitted }, func(matcher match.Matcher, m *match.Match) error {
		return matcher.Match(ctx, m, func(b *vector.Batch) error {
			emitted = true
			return emit(b)
		})
	})
}

func (g gpuMatcher) Count(ctx context.Context, m *match.Match) (n uint64, err error) {
	err = g.run(m, func() bool { return true }, func(matcher match.Matcher, m *match.Match) (err error) {
		n, err = matcher.Count(ctx, m)
		return err
	})
	return n, err
}

func (g gpuMatcher) run(m *match.Match, again func() bool, try func(match.Matcher, *match.Match) error) error {
	device, err := g.store.gpu.open()
	if err != nil {
		return err
	}
	traced := *m
	if traced.Trace == nil {
		traced.Trace = &match.Trace{}
	}
	err = try(device, &traced)
	g.gpu.Upload += traced.Trace.Upload
	g.gpu.Kernels += traced.Trace.Kernels
	g.gpu.Download += traced.Trace.Download
	if errors.Is(err, gpu.ErrDeviceLost) && again() {
		g.fellOut = true
		return try(g.store.cpu, m)
	}
	return err
}

// addTo adds the GPU's parts of the elapsed time.
func (c *choice) addTo(t *Timings) {
	t.Upload, t.Kernels, t.Download = c.gpu.Upload, c.gpu.Kernels, c.gpu.Download
}

// resolve says which device a query gets: its own wish, else the store's.
func (d *device) resolve(asked Device) (Device, error) {
	if asked == "" || asked == Auto {
		asked = d.options.Device
	}
	switch asked {
	case "", Auto:
		return Auto, nil
	case CPU:
		return CPU, nil
	case GPU:
		return GPU, d.err()
	}
	return "", fmt.Errorf("%q is no device: expected auto, cpu or gpu", asked)
}
