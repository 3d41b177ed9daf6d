package watch

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/backend"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// traced is a device whose matches are timed.
type traced struct {
	*gpu.Device
	mu                        sync.Mutex
	launches                  int
	upload, kernels, download time.Duration
}

func (d *traced) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	return d.timed(m, func(m *match.Match) error { return d.Device.Match(ctx, m, emit) })
}

func (d *traced) Count(ctx context.Context, m *match.Match) (n uint64, err error) {
	err = d.timed(m, func(m *match.Match) (err error) {
		n, err = d.Device.Count(ctx, m)
		return err
	})
	return n, err
}

func (d *traced) timed(m *match.Match, do func(*match.Match) error) error {
	of := *m
	of.Trace = &match.Trace{}
	err := do(&of)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.launches++
	d.upload, d.kernels, d.download = d.upload+of.Trace.Upload, d.kernels+of.Trace.Kernels, d.download+of.Trace.Download
	return err
}

// traced has the matches of a way's device timed, where it has one.
func (s *stream) traced(w *way) *traced {
	device, _ := w.matcher.(*gpu.Device)
	d := &traced{Device: device}
	if device != nil {
		w.matcher = d
	}
	return d
}

// busy measures how much of the time of a batch the device's kernels run.
func (s *stream) busy(r *matchtest.Report, name string, w way) {
	device, ok := w.matcher.(*gpu.Device)
	if !ok {
		return
	}
	r.Head(name+", how busy the device is, all edges inserted in one batch, "+w.name, "query", "searches", "changing ms", "matching ms", "of which kernels ms", "of matching, %", "of all, %")
	measure := func(query string, queries []*standing) {
		d := &traced{Device: device}
		w.matcher = d
		s.again(w, queries, s.rest, s.held, nil) // what is planned once is
		d = &traced{Device: device}
		w.matcher = d
		after, took := s.apply(w, queries, s.rest, s.held, nil)
		w.forget(s.T, after)
		busy := matchtest.Milliseconds(d.kernels)
		r.Row(query, d.launches, took.change, took.matched, busy, 100*busy/took.matched, 100*busy/(took.change+took.matched))
	}
	for i, q := range s.queries {
		measure(s.names[i], []*standing{q})
	}
	measure("all", s.queries)
}

// byChoice has each search matched by what costs less, as a server has it by itself; false where there is no device.
func byChoice(t *testing.T) (w way, ok bool) {
	b := backend.New(cpu.New(), backend.Options{})
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := b.Choose(backend.GPU); err != nil {
		return w, false
	}
	c := &chosen{Backends: b}
	return way{name: "auto", matcher: c, threads: runtime.GOMAXPROCS(0), tuning: tuned, pick: c.pick, together: c.together}, true
}

// chosen picks as a choice of its own for each search does.
type chosen struct {
	match.Matcher
	*backend.Backends
}

func (c *chosen) pick(plan *bgp.MatchPlan, g *pcsr.Graph) match.Matcher {
	choice, err := c.Choose(backend.Auto)
	if err != nil {
		return cpu.New()
	}
	return choice.Matcher(plan, g)
}

// together picks as a server does.
func (c *chosen) together(plans []*bgp.MatchPlan, g *pcsr.Graph, threads int) match.Matcher {
	choice, err := c.Choose(backend.Auto)
	if err != nil {
		return nil
	}
	return choice.Together(plans, g, threads)
}

// Forget frees what graphs take on the device.
func (c *chosen) Forget(graphs ...*pcsr.Graph) error {
	c.Backends.Forget(graphs...)
	return nil
}

// batch is a change that is made, and waits to be matched.
type batch struct {
	before, after *pcsr.Graph
	added         []pcsr.Edge
}

// pipelined measures batches one after the other, each changed and then matched, and with the next one changed while one is matched.
func (s *stream) pipelined(r *matchtest.Report, name string, ways []way, sizes []int) {
	r.Head(name+", inserted in batches, all queries at once", "edges in a batch", "batches", "matched by", "one after the other ms", "the next changed meanwhile ms", "factor")
	for _, size := range sizes {
		for _, w := range ways {
			var took [2]float64
			n := 0
			for i, ahead := range []int{0, 1} {
				runtime.GC()
				begun := time.Now()
				n = s.stream(w, size, ahead)
				took[i] = matchtest.Milliseconds(time.Since(begun))
			}
			r.Row(size, n, w.name, took[0], took[1], took[0]/took[1])
		}
	}
}

// mostPipelined is how many batches of a stream are measured at most.
const mostPipelined = 20

// stream inserts batches, of which so many may be changed before they are matched, and returns how many.
func (s *stream) stream(w way, size, ahead int) (n int) {
	made := make(chan batch, 1)
	may := make(chan struct{}, 1+ahead) // how many may be changed and not yet matched
	for range 1 + ahead {
		may <- struct{}{}
	}
	var changing sync.WaitGroup
	changing.Go(func() {
		defer close(made)
		g := s.rest
		for low, k := 0, 0; low < len(s.held) && k < mostPipelined; low, k = low+2*size, k+1 {
			added := s.held[low:min(low+2*size, len(s.held))]
			<-may
			after := g.Change(g.Vertices(), added, nil)
			made <- batch{g, after, added}
			g = after
		}
	})
	defer changing.Wait()
	total := run{}
	for b := range made {
		var took run
		s.match(w, s.queries, &took, b.before, b.after, b.added, nil)
		total.net += took.net
		n++
		may <- struct{}{}
	}
	if 2*size*n >= len(s.held) {
		s.checkAll("inserted", total)
	}
	return n
}

// container measures what it takes to change the graph and to bring the state after to a device that has the state before, without any search.
func (s *stream) container(r *matchtest.Report, name string, w way) {
	device, ok := w.matcher.(*gpu.Device)
	if !ok {
		return
	}
	ctx := context.Background()
	plan, err := s.queries[0].leaves[0].seeds[0].planFor(ctx, s.rest, matchtest.Lookup, lean)
	if err != nil {
		s.Fatal(err)
	}
	hold := func(g *pcsr.Graph) (release func()) {
		if release, err = device.Hold(ctx, g, plan); err != nil {
			s.Fatal(err)
		}
		return release
	}
	r.Head(name+", the graph on the device changed, "+w.name, "edges in a batch", "", "changing ms", "bringing ms", "edges/s")
	for size := 100; size <= len(s.held)/2; size *= 10 {
		for _, mode := range []mode{{"inserted", s.rest, s.held[:2*size], nil}, {"deleted", s.full, nil, s.held[:2*size]}} {
			release := hold(mode.before)
			var changes, brings []float64
			for range 5 {
				begun := time.Now()
				after := mode.before.Change(mode.before.Vertices(), mode.added, mode.removed)
				changed := time.Now()
				hold(after)()
				changes, brings = append(changes, matchtest.Milliseconds(changed.Sub(begun))), append(brings, matchtest.Milliseconds(time.Since(changed)))
				w.forget(s.T, after)
			}
			release()
			change, bring := matchtest.Median(changes), matchtest.Median(brings)
			r.Row(size, mode.name, change, bring, float64(size)/(change+bring)*1000)
		}
	}
}
