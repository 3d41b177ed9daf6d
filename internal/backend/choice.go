package backend

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Choice picks the matcher of each basic graph pattern of one query, and adds up what the GPU took. Several of the patterns may be matched at once.
type Choice struct {
	backends *Backends
	device   Device
	used     atomic.Bool
	// induced: a pattern went to the processor because the GPU does not match it induced.

	mu      sync.Mutex // guards what follows
	fellOut bool
	spent   match.Trace
}

// Speed is bgp.Options.Speed of the device that expensive patterns go to.
func (c *Choice) Speed() float64 {
	if c.device == GPU || c.device == Auto && c.backends.warm.Load() {
		return bgp.GPUSpeed
	}
	return 1
}

// ShallowBranches reports whether plans may only have branches that the GPU can weigh: where it is asked for, nothing should be
// matched on the processor.
func (c *Choice) ShallowBranches() bool { return c.device == GPU }

// Matcher is the matcher of a pattern. Where it is chosen, what the plan takes is remembered for the next choice.
func (c *Choice) Matcher(plan *bgp.MatchPlan, graph *pcsr.Graph) match.Matcher {
	if graph.Listed() { // there may be very many, each too small to be copied anywhere
		return c.backends.cpu
	}
	if c.device == GPU {
		return c.onGPU(watch{}, trial{})
	}
	if !c.chooses() {
		return c.backends.cpu
	}
	here, there := c.backends.watches(plan)
	if try, pays := c.backends.pays(plan, graph); pays && c.available() {
		return c.onGPU(there, try)
	}
	if here.memory == nil {
		return c.backends.cpu
	}
	return watched{c.backends.cpu, here}
}

func (c *Choice) onGPU(w watch, try trial) match.Matcher {
	c.used.Store(true)
	return gpuMatcher{c, w, try}
}

// Together is the matcher of patterns that are matched one beside the other over one graph, by the GPU or by so many threads of the processor.
func (c *Choice) Together(plans []*bgp.MatchPlan, graph *pcsr.Graph, threads int) match.Matcher {
	if !graph.Listed() && (c.device == GPU || c.chooses() && c.backends.payTogether(plans, graph, threads) && c.available()) {
		return c.onGPU(watch{}, trial{})
	}
	return c.backends.cpu
}

// Searcher finds who searches a closure from so many vertices more, each of which is expected to walk so many edges; nil: the processor, also where a GPU is asked for
// that would have to be launched several times for fewer edges than one launch takes.
func (c *Choice) Searcher(closure *match.Closure, sources int, edges float64) match.Searcher {
	if closure.Graph.Listed() {
		return nil
	}
	if c.device == GPU && (sources <= match.MostSources || float64(sources)*edges > bgp.GPUCost) || c.chooses() && c.backends.searches(closure, sources, edges) && c.available() {
		c.used.Store(true)
		return gpuMatcher{c, watch{}, trial{}}
	}
	return nil
}

// chooses reports whether patterns go where they cost less: there may be a GPU.
func (c *Choice) chooses() bool { return c.device == Auto && !c.backends.missing.Load() }

func (c *Choice) available() bool {
	_, err := c.backends.open()
	return err == nil
}

// Spent has the GPU's parts of the elapsed time: Upload, Kernels and Download.
func (c *Choice) Spent() match.Trace {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent
}

// String names where the patterns were matched.
func (c *Choice) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.fellOut:
		return "cpu (the GPU failed)"
	case c.used.Load():
		return "gpu"
	}
	return "cpu"
}

// gpuMatcher runs matches on the GPU, and on the CPU those that the GPU cannot run, and when it is lost before the first solution.
type gpuMatcher struct {
	*Choice
	watch
	trial trial
}

// Runs implements match.Adapter: weights that the GPU does not make are taken away, unless the CPU will have to run the plan, which combines
// no rows.
func (g gpuMatcher) Runs(plan *bgp.MatchPlan, graph *pcsr.Graph) *bgp.MatchPlan {
	if plan == g.trial.plan && g.trial.runs != nil && graph != nil {
		return g.trial.runs
	}
	if runs := gpu.Runs(graph, plan); gpu.Fits(&match.Match{Graph: graph, Plan: runs}, true) {
		return runs
	}
	return plan.Separate()
}

// LooksUp implements match.Prober.
func (g gpuMatcher) LooksUp(plan *bgp.MatchPlan, graph *pcsr.Graph) bool {
	return gpu.Fits(&match.Match{Graph: graph, Plan: plan}, true)
}

// Hold implements match.Holder.
func (g gpuMatcher) Hold(ctx context.Context, graph *pcsr.Graph, plans ...*bgp.MatchPlan) (release func(), err error) {
	device, err := g.backends.open()
	if err != nil {
		return nil, err
	}
	return device.Hold(ctx, graph, plans...)
}

func (g gpuMatcher) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	return g.watch.run(m, func() (waited time.Duration, err error) {
		if !m.Factored() {
			return g.match(ctx, m, emit)
		}
		err = match.Factor(ctx, m, func(core *match.Match, emit func(*match.Batch) error) error {
			waited, err = g.match(ctx, core, emit)
			return err
		}, g.backends.cpu, emit)
		return waited, err
	})
}

// match is Match on the GPU, if it can.
func (g gpuMatcher) match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) (waited time.Duration, err error) {
	emitted := false
	return g.runs(m, false, func() bool { return !emitted }, func(matcher match.Matcher, m *match.Match) error {
		return matcher.Match(ctx, m, func(b *match.Batch) error {
			emitted = true
			return emit(b)
		})
	})
}

func (g gpuMatcher) Count(ctx context.Context, m *match.Match) (n uint64, err error) {
	if g.mayTry(m) {
		return g.try(ctx, m)
	}
	return g.count(ctx, m)
}

// count is Count on the GPU, if it can.
func (g gpuMatcher) count(ctx context.Context, m *match.Match) (n uint64, err error) {
	err = g.watch.run(m, func() (time.Duration, error) {
		return g.runs(m, true, func() bool { return true }, func(matcher match.Matcher, m *match.Match) (err error) {
			n, err = matcher.Count(ctx, m)
			return err
		})
	})
	return n, err
}

// runs does a run on the GPU, or on the processor. It also returns how long it waited for what was not on the GPU.
func (g gpuMatcher) runs(m *match.Match, count bool, again func() bool, do func(match.Matcher, *match.Match) error) (waited time.Duration, err error) {
	if !gpu.Fits(m, count) {
		return 0, g.processor(m, do)
	}
	device, err := g.backends.open()
	if err != nil {
		return 0, err
	}
	traced := *m
	if traced.Trace == nil {
		traced.Trace = &match.Trace{}
	}
	err = do(device, &traced)
	lost := errors.Is(err, gpu.ErrDeviceLost) && again()
	g.note(traced.Trace, lost)
	if lost || errors.Is(err, gpu.ErrUnfit) && again() {
		return 0, g.processor(m, do)
	}
	return traced.Trace.Upload, err
}

// processor runs a match that the device does not; it looks nothing up.
func (g gpuMatcher) processor(m *match.Match, do func(match.Matcher, *match.Match) error) error {
	if len(m.Plan.Lookups) > 0 {
		return match.ErrNotLookedUp
	}
	return do(g.backends.cpu, m)
}

// Search implements match.Searcher. What the device does not search, and what a device that is lost had not told, is the processor's.
func (g gpuMatcher) Search(
	ctx context.Context, c *match.Closure, ends func(source int, from pcsr.Vertex, words []uint32) error,
) ([]uint64, error) {
	device, err := g.backends.open()
	if err != nil {
		return nil, err
	}
	traced, told := *c, false
	traced.Trace = &match.Trace{}
	tell := ends
	if ends != nil {
		tell = func(source int, from pcsr.Vertex, words []uint32) error {
			told = true
			return ends(source, from, words)
		}
	}
	counts, err := device.Search(ctx, &traced, tell)
	lost := errors.Is(err, gpu.ErrDeviceLost) && !told
	g.note(traced.Trace, lost)
	if c.Trace != nil {
		c.Trace.Add(traced.Trace)
	}
	if lost {
		err = match.ErrNotSearched
	}
	return counts, err
}

// note adds up what a match took; lost: it goes on on the CPU, because the GPU failed.
func (c *Choice) note(t *match.Trace, lost bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spent.Upload += t.Upload
	c.spent.Kernels += t.Kernels
	c.spent.Download += t.Download
	c.fellOut = c.fellOut || lost
}
