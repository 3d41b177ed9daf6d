package gpu

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// timing is what a count took: the plan, the whole of it with the plan, the kernels in it; milliseconds.
type timing struct {
	plan, whole, kernels float64
	count                uint64
	trace                match.Trace
	steps                *bgp.MatchPlan
}

// timeCount plans and counts several times and takes medians. The first time, which uploads, does not count.
func timeCount(d *Device, g *pcsr.Graph, plan func() (*bgp.MatchPlan, error), times int) (timing, error) {
	var t timing
	var plans, wholes, inside []float64
	for i := range times + 1 {
		begun := time.Now()
		p, err := plan()
		if err != nil {
			return t, err
		}
		planned := time.Now()
		m := &match.Match{Graph: g, Plan: p}
		if i == times { // the last round is for the trace
			m.Trace = &t.trace
		}
		if t.count, err = d.Count(context.Background(), m); err != nil {
			return t, err
		}
		if i > 0 && i < times || times == 1 {
			plans = append(plans, matchtest.Milliseconds(planned.Sub(begun)))
			wholes = append(wholes, matchtest.Milliseconds(time.Since(begun)))
		}
		t.steps = p
	}
	inside = append(inside, matchtest.Milliseconds(t.trace.Kernels))
	t.plan, t.whole, t.kernels = matchtest.Median(plans), matchtest.Median(wholes), matchtest.Median(inside)
	return t, nil
}

// steps prints what every step did.
func (t *timing) lines() string {
	var b strings.Builder
	for i, s := range t.trace.Steps {
		fmt.Fprintf(&b, "    %d ?%s in %d candidates %d out %d (estimated %.0f) %.3f ms %s\n", i, t.steps.Slots[t.steps.Inputs+i].Variable,
			s.RowsIn, s.Candidates, s.RowsOut, t.steps.Steps[i].EstimatedRows, matchtest.Milliseconds(s.Elapsed), s.Variant)
	}
	return b.String()
}

// candidates is how many all steps had.
func (t *timing) candidates() (n float64) {
	for _, s := range t.trace.Steps {
		n += float64(s.Candidates)
	}
	return n
}

// rate is the candidates per nanosecond of the step that took longest.
func (t *timing) rate() float64 {
	var longest match.StepTrace
	for _, s := range t.trace.Steps {
		if s.Elapsed > longest.Elapsed {
			longest = s
		}
	}
	return float64(longest.Candidates) / float64(longest.Elapsed)
}

// benchFolder is the folder of labelled graphs: A.base, B.base, queries, expected.tsv, peers-h200.txt.
func benchFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("RDFGPU_SM")
	if folder == "" {
		t.Skip("RDFGPU_SM is not set")
	}
	return folder
}

// expectedCounts reads set, query, isomorphism, homomorphism.
func expectedCounts(t *testing.T, folder string) map[string]uint64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]uint64{}
	for _, line := range strings.Split(string(data), "\n") {
		if w := strings.Fields(line); len(w) == 4 {
			out[w[0]+" "+w[1]], _ = strconv.ParseUint(w[2], 10, 64)
		}
	}
	return out
}

// benchSets are the sets of queries to be measured: those of RDFGPU_SETS, or all.
func benchSets() []string {
	if sets := strings.Fields(os.Getenv("RDFGPU_SETS")); len(sets) > 0 {
		return sets
	}
	return []string{"A.vl", "A.u", "B.vl", "B.el", "B.u"}
}

// TestReportLabelled measures the labelled graphs beside other matchers.
func TestReportLabelled(t *testing.T) {
	gpu := driver(t)
	folder := benchFolder(t)
	peers, expected := readPeers(t, filepath.Join(folder, "peers-h200.txt")), expectedCounts(t, folder)
	r := matchtest.NewReport(t, "labelled.md")
	for _, set := range benchSets() {
		name, kind, _ := strings.Cut(set, ".")
		base := readLabelled(t, filepath.Join(folder, name+".base"))
		g := base.graph(t, kind == "el")
		d := open(t, Options{Driver: gpu})
		r.Head(set, "query", "embeddings", "kernels ms", "plan ms", "whole ms", "best peer", "its kernels", "its whole", "ahead",
			"heaviest step, G candidates/s")
		ahead, n := 0.0, 0
		var details strings.Builder
		for _, q := range base.readPatterns(t, filepath.Join(folder, "queries", set+".txt")) {
			if only := os.Getenv("RDFGPU_ONLY"); only != "" && only != q.name {
				continue
			}
			took, err := timeCount(d, g, func() (*bgp.MatchPlan, error) { return q.plan(g, bgp.Isomorphism, true) }, 5)
			if err != nil {
				t.Errorf("%s %s: %v", set, q.name, err)
				continue
			}
			if want := expected[set+" "+q.name]; took.count != want {
				t.Errorf("%s %s: %d, want %d", set, q.name, took.count, want)
			}
			best := peer{tool: "-", kernels: math.NaN(), whole: math.NaN()}
			if p := peers[set+" "+q.name]; len(p) > 0 {
				best = p[0]
				ahead += math.Log(best.whole / took.whole)
				n++
			}
			r.Row(q.name, took.count, took.kernels, took.plan, took.whole, best.tool, best.kernels, best.whole, best.whole/took.whole,
				took.rate())
			fmt.Fprintf(&details, "  %s\n%s", q.name, took.lines())
		}
		if n > 0 {
			r.Say(fmt.Sprintf("\nGeometric mean: %.2f times ahead of the best peer.", math.Exp(ahead/float64(n))))
		}
		r.Details("steps-"+set+".txt", details.String())
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
