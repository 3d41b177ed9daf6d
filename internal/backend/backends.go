package backend

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Device says where basic graph patterns are matched.
type Device string

// The devices a query may ask for. Auto chooses by cost.
const (
	Auto Device = "auto"
	CPU  Device = "cpu"
	GPU  Device = "gpu"
)

// Options are the settings of Backends.
type Options struct {
	// Device is what queries get that ask for none; "" is Auto.
	Device Device
	// GPUMemory bounds what is taken of the device, in bytes; 0 means most of it.
	GPUMemory int64
	// Open, where it is not nil, opens another device in place of a GPU, for tests.
	Open func(gpu.Options) (*gpu.Device, error)
}

// Backends are the matchers of a store. Safe for concurrent use.
type Backends struct {
	cpu     match.Matcher
	options Options
	once    sync.Once
	opened  *gpu.Device
	failed  error
	warm    atomic.Bool
	// missing: there is no GPU, so that nothing is priced for one.
	missing atomic.Bool
	seen    memory
	// opening is how long opening took, until a query takes it for its own.
	opening atomic.Int64
}

// New returns the matchers of a store; no GPU is opened yet.
func New(cpu match.Matcher, options Options) *Backends {
	b := &Backends{cpu: cpu, options: options}
	b.missing.Store(!gpu.Built && options.Open == nil)
	return b
}

// open opens the GPU on the first call; the error wraps gpu.ErrNoDevice and says why there is none.
func (b *Backends) open() (*gpu.Device, error) {
	b.once.Do(func() {
		began := time.Now()
		open := gpu.Open
		if b.options.Open != nil {
			open = b.options.Open
		}
		b.opened, b.failed = open(gpu.Options{Memory: b.options.GPUMemory})
		b.opening.Store(int64(time.Since(began)))
		b.warm.Store(b.failed == nil)
		b.missing.Store(b.failed != nil)
	})
	if b.failed == nil && b.opened.Lost() {
		return nil, fmt.Errorf("%w: %w", gpu.ErrNoDevice, gpu.ErrDeviceLost)
	}
	return b.opened, b.failed
}

// ClaimOpening returns how long opening the GPU took, once; the query that opened it asks.
func (b *Backends) ClaimOpening() time.Duration { return time.Duration(b.opening.Swap(0)) }

// Close frees the GPU, if it was opened.
func (b *Backends) Close() error {
	if b.opened == nil {
		return nil
	}
	return b.opened.Close()
}

// Forget frees what graphs take on the GPU, if it was opened (gpu.Device.Forget). No match over them may be running.
func (b *Backends) Forget(graphs ...*pcsr.Graph) {
	if b.warm.Load() {
		_ = b.opened.Forget(graphs...) // a lost device holds nothing
	}
}

// watches are those of the runs of a plan on the processor and on the GPU; nothing is remembered where there is no GPU.
func (b *Backends) watches(plan *bgp.MatchPlan) (here, there watch) {
	if !b.warm.Load() || plan.Inputs > 0 || plan.Empty {
		return watch{}, watch{}
	}
	return watch{&b.seen, plan, processorSide}, watch{&b.seen, plan, deviceSide}
}

// pays reports whether a match is worth a GPU, if there is one: the plan as the processor runs it is compared with what runs there, and with what they took
// before. Where it were, if only what it reads were there, that is brought there: the processor matches meanwhile. It also tells the plan that a GPU runs, and
// how long that is waited for.
func (b *Backends) pays(plan *bgp.MatchPlan, graph *pcsr.Graph) (try trial, pays bool) {
	seen := b.seen.of(plan)
	if seen == (gpu.Seen{}) && plan.UntilFirst(plan.Cost+plan.AboveCost()) <= bgp.GPUCost {
		return trial{}, false
	}
	if !b.warm.Load() {
		expected := gpu.Expect(graph, plan)
		return trial{}, expected.Processor > bgp.GPUColdCost+expected.Device
	}
	lost := b.opened.Lost()
	var expected gpu.Outlook
	if lost {
		expected = gpu.Expect(graph, plan)
	} else {
		expected = b.opened.Expect(graph, plan)
	}
	brings := 0.0
	there, now := expected.Pays(seen, func() float64 {
		if !lost && graph != nil {
			brings = b.opened.Price(graph, plan)
		}
		return brings
	})
	switch {
	case !there || graph != nil && !gpu.Fits(&match.Match{Graph: graph, Plan: expected.Runs}, true):
		return trial{}, false
	case !now:
		b.opened.Prepare(graph, plan)
	}
	return trial{plan: plan, runs: expected.Runs, patience: expected.Patience(seen, brings)}, now
}

// PrepareLabels begins to bring labels of a graph to the GPU, if it was opened and has some of them (gpu.Device.PrepareLabels).
func (b *Backends) PrepareLabels(graph *pcsr.Graph, labels ...pcsr.Label) {
	if b.warm.Load() && !b.opened.Lost() {
		b.opened.PrepareLabels(graph, labels...)
	}
}

// payTogether reports whether plans that are matched one beside the other over one graph are worth a GPU, if there is one, where so many threads of the
// processor would share them: what they read is brought there once, and each costs gpu.BesideCost.
func (b *Backends) payTogether(plans []*bgp.MatchPlan, graph *pcsr.Graph, threads int) bool {
	here, there := 0.0, float64(len(plans))*(gpu.BesideCost-bgp.GPUCost)
	for _, plan := range plans {
		here += plan.UntilFirst(plan.Cost) / float64(threads)
	}
	if here <= bgp.GPUCost || b.warm.Load() && b.opened.Lost() {
		return false
	}
	here = 0
	for _, plan := range plans {
		expected := gpu.Expect(graph, plan)
		here, there = here+expected.Processor/float64(threads), there+expected.Device
		if !gpu.Fits(&match.Match{Graph: graph, Plan: expected.Runs}, true) {
			return false
		}
	}
	if !b.warm.Load() {
		return here > bgp.GPUColdCost+there
	}
	return here > there && here > there+b.opened.Price(graph, plans...)
}

// searches reports whether a search is worth a GPU, if there is one, with bringing there what it reads.
func (b *Backends) searches(c *match.Closure, sources int, edges float64) bool {
	here, there := float64(sources)*edges, gpu.ExpectClosure(c, sources, edges)
	switch {
	case !b.warm.Load():
		return here > bgp.GPUColdCost+there
	case here <= there:
		return false
	}
	return b.opened.Lost() || here > there+b.opened.PriceClosure(c)
}

// Choose makes the choice of one query: its own wish, else the store's. The error wraps gpu.ErrNoDevice where a GPU is asked for
// that is not there.
func (b *Backends) Choose(asked Device) (*Choice, error) {
	if asked == "" || asked == Auto {
		asked = b.options.Device
	}
	switch asked {
	case "", Auto:
		return &Choice{backends: b, device: Auto}, nil
	case CPU:
		return &Choice{backends: b, device: CPU}, nil
	case GPU:
		if _, err := b.open(); err != nil {
			return nil, err
		}
		return &Choice{backends: b, device: GPU}, nil
	}
	return nil, fmt.Errorf("%q is no device: expected auto, cpu or gpu", asked)
}
