package gpu

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// memories are a report's budgets in MiB: those of RDFGPU_MEMORIES, by commas, if there is such a setting.
func memories(t *testing.T, usual string) (all []int64) {
	for s := range strings.SplitSeq(cmp.Or(os.Getenv("RDFGPU_MEMORIES"), usual), ",") {
		mib, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, mib)
	}
	return all
}

// TestReportLUBMOutOfCore measures the queries of LUBM, one at a time and many at once, with less memory than the store takes.
func TestReportLUBMOutOfCore(t *testing.T) {
	gpu := driver(t)
	scale := 5
	if s := os.Getenv("RDFGPU_LUBM"); s != "" {
		scale, _ = strconv.Atoi(s)
	}
	u := &universities{scale: scale}
	g := u.graph(t)
	r := matchtest.NewReport(t, "lubm-outofcore.md")
	var plans []*bgp.MatchPlan
	head := []any{"memory MiB"}
	for _, q := range lubmQueries {
		p, err := bgp.Plan(context.Background(), u.pattern(q.text), g, lookup, bgp.Options{CountOnly: true, Speed: bgp.GPUSpeed})
		if err != nil {
			t.Fatal(err)
		}
		plans, head = append(plans, p), append(head, q.name+" ms")
	}
	r.Head(fmt.Sprintf("LUBM(%d), %d triples, %d MB: counts with all memory bounded", scale, g.Edges(), g.Bytes()>>20), append(head,
		"queries/s at 64", "slowest ms", "MB copied for each", "page hits", "buffers", "MB of partitions", "calls for memory for each", "device MiB in use")...)
	var want []uint64
	c := &counting{Driver: gpu}
	chosen := newChoices(g, plans)
	ways := [][]any{}
	for _, mib := range memories(t, "1048576,2048,1024,512,256") {
		d := open(t, Options{Driver: c, Memory: mib << 20})
		row := []any{mib}
		for i, p := range plans {
			m := &match.Match{Graph: g, Plan: p}
			took, n := timeInPages(t, d, m, 5)
			if row = append(row, took.ms); len(want) == i {
				want = append(want, n)
			}
			if n != want[i] {
				t.Errorf("%s with %d MiB: %d, in memory %d", lubmQueries[i].name, mib, n, want[i])
			}
			chosen.add(t, d, i, mib, took.ms, n)
		}
		ways = append(ways, waysOf(t, d, g, plans, mib, want)...)
		runCrowd(t, d, g, plans, want, 64, time.Second/2)
		before, _ := d.Info()
		c.calls.Store(0)
		took := runCrowd(t, d, g, plans, want, 64, time.Second)
		after, _ := d.Info()
		copied := float64(after.Pages.Copied+after.Copied-before.Pages.Copied-before.Copied) / 1e6 / max(took.rate, 1) // it takes about a second
		hits := float64(after.Pages.Hits-before.Pages.Hits) / max(float64(after.Pages.Hits+after.Pages.Misses-before.Pages.Hits-before.Pages.Misses), 1)
		r.Row(append(row, took.rate, matchtest.Milliseconds(took.slowest), copied, hits, after.Pages.Buffers, after.GraphBytes>>20, float64(c.calls.Load())/max(took.rate, 1), after.Used>>20)...)
		if after.Used > after.Limit {
			t.Errorf("%+v", after)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	chosen.report(r)
	r.Head("L7, each way of access alone", "memory MiB", "way", "whole ms", "MB copied", "GB/s", "of 55, %", "L1 to L7 in turn at 64, queries/s", "MB of pages copied for each", "last step")
	for _, way := range ways {
		r.Row(way...)
	}
	reportServer(t, r, gpu, g, plans, want)
	var all time.Duration
	for _, p := range plans {
		begun := time.Now()
		if _, err := matchtest.OnThreads(cpu.New(), 0).Count(context.Background(), &match.Match{Graph: g, Plan: p}); err != nil {
			t.Error(err)
		}
		all += time.Since(begun)
	}
	r.Say(fmt.Sprintf("The processor answers %.1f of them a second, one at a time on all cores.", float64(len(plans))/all.Seconds()))
}

// waysOf measures the last of some counts, whose pages have no room together, with each way of access alone, beside what is chosen; and a crowd that
// asks for all.
func waysOf(t *testing.T, d *Device, g *pcsr.Graph, plans []*bgp.MatchPlan, mib int64, want []uint64) (rows [][]any) {
	m := &match.Match{Graph: g, Plan: plans[len(plans)-1]}
	if _, paged := d.partitions.away(needsOf(m.Graph, m.Plan)); !paged {
		return nil
	}
	was := d.options.tuning
	for _, way := range []struct {
		name string
		set  func(o *tuning)
	}{
		{"as it is chosen", func(*tuning) {}},
		{"pages by phase", func(o *tuning) { o.byPhase = true }},
		{"pages come and go", func(o *tuning) { o.byPhase, o.swept = true, true }},
		{"pages come and go, none ahead", func(o *tuning) { o.byPhase, o.swept, o.noAhead = true, true, true }},
		{"pages stay, rows not grouped", func(o *tuning) { o.byPhase, o.ungrouped = true, true }},
		{"nothing copied", func(o *tuning) { o.scattered = -1 }},
	} {
		way.set(&d.options.tuning)
		timeInPages(t, d, m, 8) // what was wanted before is forgotten
		took, n := timeInPages(t, d, m, 5)
		if n != want[len(want)-1] {
			t.Errorf("%s with %d MiB: %d, want %d", way.name, mib, n, want[len(want)-1])
		}
		traced := *m
		traced.Trace = &match.Trace{}
		if _, err := d.Count(t.Context(), &traced); err != nil {
			t.Error(err)
		}
		crowded, copied, rate := any("–"), any("–"), took.mb/took.ms
		if !d.options.noAhead && !d.options.ungrouped && d.options.scattered > 0 {
			runCrowd(t, d, g, plans, want, 64, time.Second/2)
			before := d.pages.loaded
			crowd := runCrowd(t, d, g, plans, want, 64, time.Second)
			crowded, copied = crowd.rate, float64(d.pages.loaded-before)/1e6/crowd.rate
		}
		rows = append(rows, []any{mib, way.name, took.ms, took.mb, rate, rate / 0.55, crowded, copied, traced.Trace.Steps[len(traced.Trace.Steps)-1].Variant})
		d.options.tuning = was
	}
	return rows
}

// choices are what auto chooses for plans, beside what both devices take.
type choices struct {
	g     *pcsr.Graph
	plans []*bgp.MatchPlan
	here  []float64 // what the processor takes, in milliseconds, on all cores
	rows  [][]any
}

func newChoices(g *pcsr.Graph, plans []*bgp.MatchPlan) *choices { return &choices{g: g, plans: plans} }

// add notes a plan that the device, with so much memory, counted in so many milliseconds.
func (c *choices) add(t *testing.T, d *Device, i int, mib int64, ms float64, n uint64) {
	m := &match.Match{Graph: c.g, Plan: c.plans[i]}
	if len(c.here) == i {
		var took []float64
		for range 5 {
			begun := time.Now()
			got, err := matchtest.OnThreads(cpu.New(), 0).Count(t.Context(), m)
			if took = append(took, matchtest.Milliseconds(time.Since(begun))); err != nil || got != n {
				t.Errorf("plan %d: %d, on the processor %d, %v", i, n, got, err)
			}
		}
		c.here = append(c.here, matchtest.Median(took))
	}
	o, auto := d.Expect(c.g, c.plans[i]), "cpu"
	if choiceOf(d, c.g, c.plans[i])(Seen{}) {
		auto = "gpu"
	}
	c.rows = append(c.rows, []any{lubmQueries[i].name, mib, o.Processor, o.Device, d.Price(c.g, c.plans[i]), auto, ms, c.here[i]})
}

func (c *choices) report(r *matchtest.Report) {
	r.Head("What auto chooses, once the partitions are there", "query", "memory MiB", "expected on the processor", "on the device", "over the bus", "auto", "device ms", "processor ms")
	for _, row := range c.rows {
		r.Row(row...)
	}
}

// reportServer measures a crowd that reads four times of what the device has, for as many seconds as RDFGPU_SOAK says.
func reportServer(t *testing.T, r *matchtest.Report, gpu kernels.Driver, g *pcsr.Graph, plans []*bgp.MatchPlan, want []uint64) {
	seconds, _ := strconv.Atoi(os.Getenv("RDFGPU_SOAK"))
	if seconds == 0 {
		return
	}
	needs := &needs{graph: g}
	for _, p := range plans {
		for _, of := range needsOf(g, p).parts {
			needs.add(of, looks{})
		}
	}
	bytes := int64(0)
	for _, of := range needs.all() {
		bytes += int64(needs.part(of).Bytes())
	}
	d := open(t, Options{Driver: gpu, Memory: bytes / 4})
	runCrowd(t, d, g, plans, want, 64, 2*time.Second)
	before, _ := d.Info()
	took := runCrowd(t, d, g, plans, want, 64, time.Duration(seconds)*time.Second)
	r.Say(fmt.Sprintf("64 goroutines that read %d MiB with %d MiB of memory for %d s: %.0f queries/s, by tenths of the time %.0f; the slowest %.1f ms; device memory in use %d to %d MiB; the host's, by tenths, %d MiB.",
		bytes>>20, bytes>>22, seconds, took.rate, took.slices, matchtest.Milliseconds(took.slowest), took.least>>20, took.most>>20, took.host))
	info, _ := d.Info()
	r.Say(fmt.Sprintf("In the time %.1f MB of pages were copied for each query; %.0f %% of those wanted were there.", float64(info.Pages.Copied-before.Pages.Copied)/1e6/(took.rate*float64(seconds)),
		100*float64(info.Pages.Hits-before.Pages.Hits)/max(float64(info.Pages.Hits+info.Pages.Misses-before.Pages.Hits-before.Pages.Misses), 1)))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
