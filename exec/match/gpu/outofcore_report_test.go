package gpu

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestReportOutOfCore measures graphs of which a part has room on the device.
func TestReportOutOfCore(t *testing.T) {
	gpu := driver(t)
	r := matchtest.NewReport(t, "outofcore.md")
	edges := uint64(200_000)
	if s := os.Getenv("RDFGPU_RMAT"); s != "" {
		edges, _ = strconv.ParseUint(s, 10, 64)
	}
	g := rmat(t, edges)
	patterns := []pattern{patternIn(orderedPatterns[0], nil)}
	patterns[0].name = "triangle, no labels"
	for _, q := range rmatPatterns {
		p := patternIn(q.edges, q.classes)
		p.name = q.name
		patterns = append(patterns, p)
	}
	if only := os.Getenv("RDFGPU_ONLY"); only != "" {
		patterns = slices.DeleteFunc(patterns, func(p pattern) bool { return !regexp.MustCompile(only).MatchString(p.name) })
	}
	d := open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{AnyCost: edges < 1_000_000}}})
	details := ""
	r.Head(fmt.Sprintf("R-MAT with %d triples: a part of the partitions on the device", g.Edges()), "query", "share", "whole ms", "times in memory", "MB copied", "GB/s", "last step")
	for _, q := range patterns {
		plan, err := q.plan(g, bgp.Homomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		m := &match.Match{Graph: g, Plan: plan}
		bytes := bytesRead(g, plan)
		squeeze(d, 0)
		inMemory, n := timeInPages(t, d, m, 3)
		r.Row(q.name, fmt.Sprintf("all (%d MB)", bytes>>20), inMemory.ms, 1, 0, 0, "")
		for _, share := range budgets {
			squeeze(d, bytes/share)
			got, again := timeInPages(t, d, m, 3)
			if n != again {
				t.Errorf("%s, 1/%d: %d, in memory %d", q.name, share, again, n)
			}
			r.Row(q.name, fmt.Sprintf("1/%d", share), got.ms, got.ms/inMemory.ms, got.mb, got.mb/got.ms, "")
		}
		for _, other := range []struct {
			name string
			set  func(o *tuning)
		}{
			{"1/4, joined in pages", func(*tuning) {}},
			{"1/4, nothing copied in pages", func(o *tuning) { o.scattered = -1 }},
			{"1/4, every page copied", func(o *tuning) { o.byPhase, o.scattered = true, mostBuffer }},
			{"1/4, rows not grouped", func(o *tuning) { o.byPhase, o.ungrouped = true, true }},
			{"1/4, rows grouped", func(o *tuning) { o.byPhase, o.swept = true, true }},
			{"1/4, rows scanned for", func(o *tuning) { o.byPhase, o.swept, o.scanned = true, true, true }},
			{"1/4, pages by phase", func(o *tuning) { o.byPhase = true }},
			{"1/4, none ahead", func(o *tuning) { o.byPhase, o.noAhead = true, true }},
		} {
			was := d.options.tuning
			other.set(&d.options.tuning)
			d.options.NoDense = true
			squeeze(d, bytes/4)
			got, again := timeInPages(t, d, m, 1)
			if n != again && again != 0 {
				t.Errorf("%s, %s: %d, in memory %d", q.name, other.name, again, n)
			}
			last := ""
			if again != 0 {
				traced := *m
				traced.Trace = &match.Trace{}
				if _, err := d.Count(t.Context(), &traced); err != nil {
					t.Error(err)
				}
				for _, s := range traced.Trace.Steps {
					if s.Candidates > 0 {
						last = s.Variant
					}
				}
			}
			r.Row(q.name, other.name, got.ms, got.ms/inMemory.ms, got.mb, got.mb/got.ms, last)
			d.options.tuning = was
		}
		for _, share := range budgets {
			details += fmt.Sprintf("%s, 1/%d\n%s", q.name, share, stepsInPages(t, d, m, bytes/share))
		}
	}
	r.Details("outofcore-steps.txt", details)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	reportMemories(t, r, gpu, g, patterns[0])
}

// reportMemories measures a query with all memory bounded, that of tables too.
func reportMemories(t *testing.T, r *matchtest.Report, gpu kernels.Driver, g *pcsr.Graph, q pattern) {
	r.Head(q.name+", all memory bounded", "memory MiB", "whole ms", "MB copied", "GB/s")
	plan, err := q.plan(g, bgp.Homomorphism, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, mib := range []int64{8192, 1024, 600, 300, 256} {
		d := open(t, Options{Driver: gpu, Memory: mib << 20})
		m := &match.Match{Graph: g, Plan: plan}
		got, _ := timeInPages(t, d, m, 3)
		took := timing{steps: plan}
		m.Trace = &took.trace
		_, err := d.Count(context.Background(), m)
		r.Say(fmt.Sprintf("%s %v", took.lines(), err))
		r.Row(mib, got.ms, got.mb, got.mb/got.ms)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

type pagedTiming struct{ ms, mb float64 }

// timeInPages counts twice to fill the device, and to have lists made that are wanted again, and then some times more, and takes the median; what was copied is that of one count. 0: it did
// not end in time.
func timeInPages(t *testing.T, d *Device, m *match.Match, times int) (pagedTiming, uint64) {
	var took []float64
	var n uint64
	before := d.pages.loaded
	for i := range times + 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 6*time.Second)
		begun := time.Now()
		got, err := d.Count(ctx, m)
		cancel()
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		if err != nil {
			return pagedTiming{ms: matchtest.Milliseconds(time.Since(begun))}, 0
		}
		n = got
		if i < 2 {
			before = d.pages.loaded
		} else {
			took = append(took, matchtest.Milliseconds(time.Since(begun)))
		}
	}
	return pagedTiming{matchtest.Median(took), float64(d.pages.loaded-before) / float64(times) / 1e6}, n
}

// stepsInPages prints what the steps did with so many bytes for partitions.
func stepsInPages(t *testing.T, d *Device, m *match.Match, bytes int64) string {
	squeeze(d, bytes)
	took := timing{steps: m.Plan}
	traced := *m
	traced.Trace = &took.trace
	for range 2 {
		if _, err := d.Count(context.Background(), &traced); err != nil {
			t.Error(err)
		}
	}
	return took.lines()
}
