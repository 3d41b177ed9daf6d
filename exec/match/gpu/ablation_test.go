package gpu

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// bench is a labelled graph and queries over it.
type bench struct {
	t        *testing.T
	gpu      kernels.Driver
	base     *labelled
	directed bool
	patterns []pattern
}

// newBench reads a set such as B.vl, and those of its queries that are named, or all.
func newBench(t *testing.T, set string, names ...string) *bench {
	gpu, folder := driver(t), benchFolder(t)
	name, kind, _ := strings.Cut(set, ".")
	b := &bench{t: t, gpu: gpu, base: readLabelled(t, filepath.Join(folder, name+".base")), directed: kind == "el"}
	for _, q := range b.base.readPatterns(t, filepath.Join(folder, "queries", set+".txt")) {
		if len(names) == 0 || slices.Contains(names, q.name) {
			b.patterns = append(b.patterns, q)
		}
	}
	return b
}

func (b *bench) graph(options ...pcsr.Option) *pcsr.Graph {
	return b.base.graph(b.t, b.directed, options...)
}

// count counts the solutions of every query, step by step, with a device of those options.
func (b *bench) count(g *pcsr.Graph, options Options) []timing {
	options.Driver, options.NoDense = b.gpu, true
	d := open(b.t, options)
	defer d.Close()
	var all []timing
	for _, q := range b.patterns {
		took, err := timeCount(d, g, func() (*bgp.MatchPlan, error) { return q.plan(g, bgp.Isomorphism, true) }, 3)
		if err != nil {
			b.t.Errorf("%+v: %s: %v", options, q.name, err)
		}
		all = append(all, took)
	}
	return all
}

// mean is the geometric mean of the whole times without the plans, in milliseconds.
func mean(all []timing) float64 {
	sum := 0.0
	for _, took := range all {
		sum += math.Log(took.whole - took.plan)
	}
	return math.Exp(sum / float64(len(all)))
}

// TestReportAblation measures what each part gains: one setting changed at a time.
func TestReportAblation(t *testing.T) {
	b := newBench(t, "B.vl")
	r := matchtest.NewReport(t, "ablation.md")
	g := b.graph()
	r.Head("Ablation on B, vertex labels", "variant", "whole ms, geometric mean", "against the default", "largest factor of a query")
	normal := b.count(g, Options{})
	show := func(name string, g *pcsr.Graph, options Options) {
		all := b.count(g, options)
		worst := 0.0
		for i := range all {
			if all[i].count != normal[i].count {
				t.Errorf("%s: %s: %d, by default %d", name, b.patterns[i].name, all[i].count, normal[i].count)
			}
			worst = max(worst, (all[i].whole-all[i].plan)/(normal[i].whole-normal[i].plan))
		}
		r.Row(name, mean(all), mean(all)/mean(normal), worst)
	}
	show("default (planning not counted)", g, Options{})
	show("a warp for each row", g, Options{tuning: tuning{strategy: kernels.WarpPerRow}})
	show("a launch for every phase", g, Options{tuning: tuning{hostDriven: true}})
	show("classes not cut, tested by bitmaps", g, Options{tuning: tuning{Tuning: match.Tuning{KeepRanges: true}}})
	show("classes not cut, searched as lists", g, Options{tuning: tuning{noBitmaps: true, Tuning: match.Tuning{KeepRanges: true}}})
	show("leaves joined, not counted by length", g, Options{tuning: tuning{Tuning: match.Tuning{NoLeaves: true}}})
	show("no order constraints", g, Options{tuning: tuning{Tuning: match.Tuning{NoOrder: true}}})
	show("neither cuts nor counted leaves", g, Options{tuning: tuning{Tuning: match.Tuning{KeepRanges: true, NoLeaves: true}}})
	show("signatures tested everywhere", g, Options{tuning: tuning{signatures: true}})
	show("signatures tested everywhere, classes not cut", g, Options{tuning: tuning{signatures: true, Tuning: match.Tuning{KeepRanges: true}}})
	show("tables of 300,000 rows", g, Options{tuning: tuning{rows: 300_000}})
	show("tables of 20,000 rows", g, Options{tuning: tuning{rows: 20_000}})
	show("tiles of 256 candidates", g, Options{tuning: tuning{tile: 256}})
	show("tickets of one tile (1,024 candidates)", g, Options{tuning: tuning{tile: 1024}})
	for _, layer := range []pcsr.Layer{pcsr.Bitmap, pcsr.Hash, pcsr.List, pcsr.Direct, pcsr.Group} {
		show("row layer "+layer.String(), b.graph(pcsr.WithLayer(layer)), Options{})
	}
	reportOrder(t, r)
}

// TestReportSharing measures siblings that share an intersection, where patterns are dense.
func TestReportSharing(t *testing.T) {
	driver(t)
	r := matchtest.NewReport(t, "sharing.md")
	r.Head("Siblings that share an intersection", "query", "kernels ms", "candidates", "each row for itself: kernels ms", "candidates", "gain")
	for _, set := range []string{"A.u", "B.u"} {
		b := newBench(t, set)
		g := b.graph()
		with, without := b.count(g, Options{}), b.count(g, Options{tuning: tuning{Tuning: match.Tuning{NoSharing: true}}})
		for i, q := range b.patterns {
			if with[i].count != without[i].count {
				t.Errorf("%s %s: %d with sharing, %d without", set, q.name, with[i].count, without[i].count)
			}
			r.Row(set+" "+q.name, with[i].kernels, with[i].candidates(), without[i].kernels, without[i].candidates(), without[i].kernels/with[i].kernels)
		}
	}
}

// TestReportTables measures tables of the estimated size, which grow, beside ones of a fixed size.
func TestReportTables(t *testing.T) {
	driver(t)
	r := matchtest.NewReport(t, "tables.md")
	sizes := []int64{64 << 20, 256 << 20, 1 << 30, 4 << 30}
	r.Head("Memory of a query's tables", "query", "by estimate: whole ms", "MB", "64 MB: whole ms", "256 MB", "1 GB", "4 GB")
	for _, set := range []string{"A.u", "B.u", "B.vl"} {
		b := newBench(t, set)
		g := b.graph()
		var fixed [][]timing
		for _, size := range sizes {
			fixed = append(fixed, b.count(g, Options{tuning: tuning{arena: size}}))
		}
		for i, q := range b.patterns {
			d := open(t, Options{Driver: b.gpu})
			took, err := timeCount(d, g, func() (*bgp.MatchPlan, error) { return q.plan(g, bgp.Isomorphism, true) }, 3)
			if err != nil {
				t.Error(err)
			}
			row := []any{set + " " + q.name, took.whole - took.plan, d.lanes.idleBytes() >> 20}
			for _, all := range fixed {
				row = append(row, all[i].whole-all[i].plan)
			}
			r.Row(row...)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// reportOrder measures order constraints where they matter.
func reportOrder(t *testing.T, r *matchtest.Report) {
	b := newBench(t, "A.u", "tri", "k4", "k5")
	g := b.graph()
	with, without := b.count(g, Options{}), b.count(g, Options{tuning: tuning{Tuning: match.Tuning{NoOrder: true}}})
	r.Head("Order constraints on A, no labels", "query", "with, kernels ms", "without", "gain")
	for i, q := range b.patterns {
		r.Row(q.name, with[i].kernels, without[i].kernels, without[i].kernels/with[i].kernels)
	}
}

// TestReportSignatures measures what signatures remove when every query vertex is tested against its own.
func TestReportSignatures(t *testing.T) {
	b := newBench(t, "B.vl")
	g := b.graph()
	r := matchtest.NewReport(t, "signatures.md")
	r.Head("Signatures on B, vertex labels", "query", "candidates", "removed", "whole ms", "with signatures",
		"classes not cut: candidates", "removed", "whole ms", "with signatures")
	without, with := b.count(g, Options{}), b.count(g, Options{tuning: tuning{signatures: true}})
	uncut, both := b.count(g, Options{tuning: tuning{Tuning: match.Tuning{KeepRanges: true}}}), b.count(g, Options{tuning: tuning{signatures: true, Tuning: match.Tuning{KeepRanges: true}}})
	for i, q := range b.patterns {
		before, after := without[i].candidates(), uncut[i].candidates()
		r.Row(q.name, before, share(1-with[i].candidates()/before), without[i].whole, with[i].whole,
			after, share(1-both[i].candidates()/after), uncut[i].whole, both[i].whole)
	}
}

func share(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// TestReportRepeats measures plans that let repeats go: the ends of all paths of two and three edges, each pair once.
func TestReportRepeats(t *testing.T) {
	b := newBench(t, "A.u")
	g := b.graph()
	r := matchtest.NewReport(t, "repeats.md")
	r.Head("DISTINCT on A, no labels", "rows asked for", "on the device", "rows copied", "kernels ms", "rows on the host ms")
	variable := func(name string) parser.PatternTerm { return parser.PatternTerm{Variable: name} }
	edge := func(from, to string) parser.TriplePattern {
		return parser.TriplePattern{Subject: variable(from), Predicate: term(1), Object: variable(to)}
	}
	triangle := []parser.TriplePattern{edge("a", "b"), edge("b", "c"), edge("a", "c")}
	for _, q := range []struct {
		name     string
		patterns []parser.TriplePattern
		output   []string
	}{
		{"ends of paths of two edges", []parser.TriplePattern{edge("a", "b"), edge("b", "c")}, []string{"a", "c"}},
		{"second ends of paths of three edges", []parser.TriplePattern{edge("a", "b"), edge("b", "c"), edge("c", "d")}, []string{"d"}},
		{"edges of triangles", triangle, []string{"a", "b"}},
		{"vertices of triangles", triangle, []string{"a"}},
	} {
		p, err := bgp.Plan(context.Background(), q.patterns, g, lookup, bgp.Options{Output: q.output, Distinct: true, Speed: bgp.GPUSpeed})
		if err != nil {
			t.Fatal(err)
		}
		for _, repeats := range []bool{true, false} {
			d := open(t, Options{Driver: b.gpu, tuning: tuning{repeats: repeats}})
			rows, kernels, whole := timeRepeats(t, d, g, p)
			r.Row(q.name, map[bool]string{true: "repeats pass", false: "repeats dropped"}[repeats], rows, kernels, whole)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// timeRepeats times a match after one that uploads, in milliseconds.
func timeRepeats(t *testing.T, d *Device, g *pcsr.Graph, p *bgp.MatchPlan) (rows int, kernels, whole float64) {
	for range 3 {
		var trace match.Trace
		rows = 0
		begun := time.Now()
		m := &match.Match{Graph: g, Plan: p, Trace: &trace}
		if err := d.Match(context.Background(), m, func(b *match.Batch) error { rows += b.N; return nil }); err != nil {
			t.Error(err)
		}
		whole, kernels = matchtest.Milliseconds(time.Since(begun)), matchtest.Milliseconds(trace.Kernels)
	}
	return rows, kernels, whole
}

// TestReportMailbox measures small results with and without mapped memory.
func TestReportMailbox(t *testing.T) {
	gpu := driver(t)
	m := ring(t, 4000)
	m.Limit = 100
	r := matchtest.NewReport(t, "mailbox.md")
	r.Head("A hundred rows of a small join", "variant", "rows on the host ms")
	for _, without := range []bool{false, true} {
		d := open(t, Options{Driver: gpu, tuning: tuning{noMailbox: without}})
		var times []float64
		for range 200 {
			begun := time.Now()
			if err := d.Match(context.Background(), m, func(*match.Batch) error { return nil }); err != nil {
				t.Fatal(err)
			}
			times = append(times, matchtest.Milliseconds(time.Since(begun)))
		}
		r.Row(map[bool]string{false: "mapped memory", true: "a copy back"}[without], matchtest.Median(times))
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
