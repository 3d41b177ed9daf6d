package gpu

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestReportDense measures counts in neighbourhoods beside those step by step, in turn, in one process.
func TestReportDense(t *testing.T) {
	driver(t)
	r := matchtest.NewReport(t, "dense.md")
	sets := strings.Fields(os.Getenv("RDFGPU_SETS"))
	if len(sets) == 0 {
		sets = []string{"A.u", "B.u"}
	}
	for _, set := range sets {
		b := newBench(t, set)
		peers, expected := readPeers(t, filepath.Join(benchFolder(t), "peers-h200.txt")), expectedCounts(t, benchFolder(t))
		g := b.graph()
		d, steps := open(t, Options{Driver: b.gpu}), open(t, Options{Driver: b.gpu, tuning: tuning{Tuning: match.Tuning{NoDense: true}}})
		r.Head("Counted in neighbourhoods: "+set, "query", "embeddings", "kernels ms", "whole ms", "the first time", "step by step: kernels ms", "whole ms",
			"kernels, gain", "best peer's kernels")
		for _, q := range b.patterns {
			plan := func() (*bgp.MatchPlan, error) { return q.plan(g, bgp.Isomorphism, true) }
			first := firstCount(t, d, g, plan)
			best := 0.0
			for _, p := range peers[set+" "+q.name] {
				if best == 0 || p.kernels < best {
					best = p.kernels
				}
			}
			var with, without []timing
			for range 3 {
				with, without = append(with, mustCount(t, d, g, plan)), append(without, mustCount(t, steps, g, plan))
			}
			a, c := least(with), least(without)
			if want := expected[set+" "+q.name]; a.count != want || c.count != want {
				t.Errorf("%s %s: %d in neighbourhoods, %d step by step, want %d", set, q.name, a.count, c.count, want)
			}
			r.Row(q.name, a.count, a.kernels, a.whole-a.plan, first, c.kernels, c.whole-c.plan, c.kernels/a.kernels, best)
		}
		for _, d := range []*Device{d, steps} {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// firstCount is what a count took that brings all it reads, in milliseconds.
func firstCount(t *testing.T, d *Device, g *pcsr.Graph, plan func() (*bgp.MatchPlan, error)) float64 {
	t.Helper()
	p, err := plan()
	if err != nil {
		t.Fatal(err)
	}
	var trace match.Trace
	if _, err := d.Count(context.Background(), &match.Match{Graph: g, Plan: p, Trace: &trace}); err != nil {
		t.Error(err)
	}
	return matchtest.Milliseconds(trace.Elapsed)
}

func mustCount(t *testing.T, d *Device, g *pcsr.Graph, plan func() (*bgp.MatchPlan, error)) timing {
	t.Helper()
	took, err := timeCount(d, g, plan, 5)
	if err != nil {
		t.Error(err)
	}
	return took
}

// least is the one with the quickest kernels.
func least(all []timing) timing {
	return slices.MinFunc(all, func(a, b timing) int { return int(1e6 * (a.kernels - b.kernels)) })
}

// TestReportPublished counts the patterns of STMatch's paper in wiki-Vote, edge-induced and vertex-induced, step by step within a second or not at all.
func TestReportPublished(t *testing.T) {
	gpu := driver(t)
	root := os.Getenv("RDFGPU_DATA")
	if root == "" {
		t.Skip("RDFGPU_DATA is not set")
	}
	set, err := matchtest.Open(filepath.Join(root, "wiki-vote"))
	if err != nil {
		t.Fatal(err)
	}
	patterns, err := matchtest.ReadPublished(filepath.Join(benchFolder(t), "stmatch-patterns.tsv"), set.Queries[0].Patterns[0].Predicate)
	if err != nil {
		t.Fatal(err)
	}
	r := matchtest.NewReport(t, "published.md")
	r.Head("Patterns of STMatch on wiki-Vote", "pattern", "edge-induced", "whole ms", "kernels ms", "step by step: kernels ms", "published ms", "ahead",
		"vertex-induced", "whole ms", "kernels ms")
	d, steps := open(t, Options{Driver: gpu}), open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{NoDense: true}}})
	for _, q := range patterns {
		with, without := countPublished(t, d, set, &q, bgp.Isomorphism), countPublished(t, steps, set, &q, bgp.Isomorphism)
		if with.count != without.count && with.whole > 0 && without.whole > 0 {
			t.Errorf("%s: %d in neighbourhoods, %d step by step", q.Name, with.count, without.count)
		}
		induced := countPublished(t, d, set, &q, bgp.Induced)
		r.Row(q.Name, with.count, with.whole, with.kernels, without.kernels, q.Milliseconds, q.Milliseconds/with.whole, induced.count, induced.whole, induced.kernels)
	}
	for _, d := range []*Device{d, steps} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// countPublished times the second count of a pattern, planning apart; nothing where it does not end in time, or the device cannot.
func countPublished(t *testing.T, d *Device, set *matchtest.Dataset, q *matchtest.Published, semantics bgp.Semantics) (took timing) {
	t.Helper()
	plan, err := bgp.Plan(context.Background(), q.Patterns(semantics), set.Graph, set.Lookup, bgp.Options{Semantics: semantics, CountOnly: true, Speed: bgp.GPUSpeed})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for range 2 {
		m := &match.Match{Graph: set.Graph, Plan: plan, Trace: &match.Trace{}}
		if !Fits(m, true) {
			return timing{}
		}
		begun := time.Now()
		n, err := d.Count(ctx, m)
		if err != nil {
			return timing{}
		}
		took = timing{whole: matchtest.Milliseconds(time.Since(begun)), kernels: matchtest.Milliseconds(m.Trace.Kernels), count: n}
	}
	return took
}
