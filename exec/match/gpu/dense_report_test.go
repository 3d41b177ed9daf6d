package gpu

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
