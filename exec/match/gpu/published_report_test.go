package gpu

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// publishedSet is wiki-Vote, and the patterns of STMatch's paper, or those that RDFGPU_ONLY names.
func publishedSet(t *testing.T) (*matchtest.Dataset, []matchtest.Published) {
	t.Helper()
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
	if only := strings.Fields(os.Getenv("RDFGPU_ONLY")); len(only) > 0 {
		patterns = slices.DeleteFunc(patterns, func(q matchtest.Published) bool { return !slices.Contains(only, q.Name) })
	}
	return set, patterns
}

// TestReportPublished counts the patterns of STMatch's paper in wiki-Vote, edge-induced and vertex-induced, step by step within a second or not at all.
func TestReportPublished(t *testing.T) {
	gpu := driver(t)
	set, patterns := publishedSet(t)
	r := matchtest.NewReport(t, "published.md")
	r.Head("Patterns of STMatch on wiki-Vote", "pattern", "edge-induced", "whole ms", "kernels ms", "step by step: kernels ms", "published ms", "ahead",
		"vertex-induced", "whole ms", "kernels ms", "published ms", "ahead", "as one count, kernels ms", "deep levels dearer, kernels ms")
	d, steps := open(t, Options{Driver: gpu}), open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{NoDense: true}}})
	one := open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{NoSums: true}}})
	dearer := open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{DeepPrice: 2 * deepPrice}}})
	for _, q := range patterns {
		with := countPublished(t, d, set, &q, bgp.Isomorphism, 5*time.Second)
		without := countPublished(t, steps, set, &q, bgp.Isomorphism, time.Second)
		if with.count != without.count && with.whole > 0 && without.whole > 0 {
			t.Errorf("%s: %d in neighbourhoods, %d step by step", q.Name, with.count, without.count)
		}
		induced := countPublished(t, d, set, &q, bgp.Induced, 4*time.Second)
		asOne, deeper := countPublished(t, one, set, &q, bgp.Induced, 4*time.Second), countPublished(t, dearer, set, &q, bgp.Induced, 4*time.Second)
		for _, other := range []timing{asOne, deeper} {
			if other.count != induced.count && other.whole > 0 && induced.whole > 0 {
				t.Errorf("%s induced: %d and %d", q.Name, induced.count, other.count)
			}
		}
		r.Row(q.Name, with.count, with.whole, with.kernels, without.kernels, q.Milliseconds, q.Milliseconds/with.whole,
			induced.count, induced.whole, induced.kernels, q.Induced, q.Induced/induced.whole, asOne.kernels, deeper.kernels)
	}
	for _, d := range []*Device{d, steps, one, dearer} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// countPublished times the second count of a pattern, planning apart; nothing where the two do not end within the limit.
func countPublished(t *testing.T, d *Device, set *matchtest.Dataset, q *matchtest.Published, semantics bgp.Semantics, limit time.Duration) (took timing) {
	t.Helper()
	plan, err := bgp.Plan(context.Background(), q.Patterns(semantics), set.Graph, set.Lookup, bgp.Options{Semantics: semantics, CountOnly: true, Speed: bgp.GPUSpeed})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for range 2 {
		m := &match.Match{Graph: set.Graph, Plan: plan, Trace: &match.Trace{}}
		begun := time.Now()
		n, err := d.Count(ctx, m)
		if err != nil {
			return timing{}
		}
		took = timing{whole: matchtest.Milliseconds(time.Since(begun)), kernels: matchtest.Milliseconds(m.Trace.Kernels), count: n}
	}
	return took
}

// draws is how many labellings of a pattern are counted.
const draws = 5

// TestReportPublishedLabelled counts the patterns of STMatch's paper in wiki-Vote with ten labels, edge-induced and vertex-induced: the labels of the graph are
// drawn once, those of a pattern several times, and of these the median and the slowest are told, planning apart. The processor counts the same.
func TestReportPublishedLabelled(t *testing.T) {
	gpu := driver(t)
	set, patterns := publishedSet(t)
	edge, ok := set.Lookup(set.Queries[0].Patterns[0].Predicate.Term)
	if !ok {
		t.Fatal("wiki-Vote has no edges")
	}
	random := rand.New(rand.NewPCG(16, 10))
	base := &labelled{set.Labelled(pcsr.Label(edge), 10, random)}
	g := base.graph(t, false)
	d := open(t, Options{Driver: gpu})
	r := matchtest.NewReport(t, "published-labelled.md")
	r.Head("Patterns of STMatch on wiki-Vote with ten labels", "pattern",
		"edge-induced", "whole ms", "the slowest", "its kernels", "all cores ms", "published ms", "published / slowest",
		"vertex-induced", "whole ms", "the slowest", "its kernels", "all cores ms", "planning ms, the slowest")
	for _, q := range patterns {
		row, plan := []any{q.Name}, 0.0
		var labelled []*matchtest.PublishedDraw
		for range draws {
			labelled = append(labelled, q.Draw(base.Labelled, random))
		}
		for _, semantics := range []bgp.Semantics{bgp.Isomorphism, bgp.Induced} {
			var drawn []pattern
			for _, l := range labelled {
				drawn = append(drawn, pattern{fmt.Sprint(q.Name, " ", semantics), l.Patterns(semantics)})
			}
			all, processor := countDrawn(t, d, g, drawn, semantics)
			sum := uint64(0)
			for _, took := range all {
				sum += took.count
			}
			slowest := all[len(all)-1]
			row = append(row, sum, all[len(all)/2].whole-all[len(all)/2].plan, slowest.whole-slowest.plan, slowest.kernels, processor)
			if semantics == bgp.Isomorphism {
				row = append(row, q.Labelled, q.Labelled/(slowest.whole-slowest.plan))
			}
			for _, took := range all {
				plan = max(plan, took.plan)
			}
		}
		r.Row(append(row, plan)...)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// countDrawn times counts of patterns, the quickest first but for planning, and tells the median of what the processor took, with all threads.
func countDrawn(t *testing.T, d *Device, g *pcsr.Graph, patterns []pattern, semantics bgp.Semantics) (all []timing, processor float64) {
	t.Helper()
	var took []float64
	for _, q := range patterns {
		plan, err := q.plan(g, semantics, true)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		want, err := matchtest.OnThreads(cpu.New(), 0).Count(context.Background(), &match.Match{Graph: g, Plan: plan})
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, matchtest.Milliseconds(time.Since(begun)))
		count, err := timeCount(d, g, func() (*bgp.MatchPlan, error) { return q.plan(g, semantics, true) }, 5)
		if err != nil {
			t.Fatalf("%s: %v", q.name, err)
		}
		if count.count != want {
			t.Errorf("%s: %d, on the processor %d\n%v", q.name, count.count, want, q.triples)
		}
		all = append(all, count)
	}
	slices.SortFunc(all, func(a, b timing) int { return cmp.Compare(a.whole-a.plan, b.whole-b.plan) })
	return all, matchtest.Median(took)
}
