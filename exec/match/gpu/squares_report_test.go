package gpu

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// cyclePattern is a cycle of edges of label 1, each from one vertex to another.
func cyclePattern(edges ...string) pattern {
	p := pattern{name: strings.Join(edges, " ")}
	for _, e := range edges {
		p.triples = append(p.triples, parser.TriplePattern{Subject: parser.PatternTerm{Variable: e[:1]}, Predicate: term(1), Object: parser.PatternTerm{Variable: e[1:]}})
	}
	return p
}

// TestReportTriangles measures counts of directed triangles, by triples of neighbours beside those step by step, and beside the host's processors, in
// R-MAT with RDFGPU_RMAT edges.
func TestReportTriangles(t *testing.T) {
	gpu := driver(t)
	r := matchtest.NewReport(t, "triangles.md")
	edges := uint64(200_000)
	if s := os.Getenv("RDFGPU_RMAT"); s != "" {
		edges, _ = strconv.ParseUint(s, 10, 64)
	}
	g := rmat(t, edges)
	reportCycles(t, r, fmt.Sprintf("Triangles of R-MAT with %d triples", g.Edges()), gpu, g, 3, cyclePattern("ab", "bc", "ac"), cyclePattern("ab", "bc", "ca"))
}

// TestReportUndirectedTriangles measures counts of triangles of edges that lead both ways, by triples of neighbours, in neighbourhoods and joined, in the sets
// that RDFGPU_SETS names and in R-MAT of which RDFGPU_RMAT edges are drawn, whose vertices the generator numbers, those of many edges first, and also numbered at
// random, as a store's are.
func TestReportUndirectedTriangles(t *testing.T) {
	gpu := driver(t)
	r := matchtest.NewReport(t, "undirected.md")
	r.Head("Triangles of edges that lead both ways", "graph", "price", "solutions", "by triples: kernels ms", "whole ms", "the first time, ms",
		"in neighbourhoods: kernels ms", "whole ms", "the first time, ms", "joined: kernels ms", "whole ms")
	graphs := map[string]func() *pcsr.Graph{}
	for _, set := range strings.Fields(os.Getenv("RDFGPU_SETS")) {
		graphs[set] = func() *pcsr.Graph { return newBench(t, set).graph() }
	}
	for _, edges := range strings.Fields(os.Getenv("RDFGPU_RMAT")) {
		n, err := strconv.ParseUint(edges, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		graphs["R-MAT "+edges] = func() *pcsr.Graph { return rmatGraph(t, n, true, false) }
		graphs["R-MAT "+edges+", shuffled"] = func() *pcsr.Graph { return rmatGraph(t, n, true, true) }
	}
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		g := graphs[name]()
		triangle := cyclePattern("ab", "bc", "ac")
		plan, err := triangle.plan(g, bgp.Isomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		row := []any{name, plan.Cost / float64(g.Outline(1, pcsr.Out).Edges()), 0}
		counts := map[uint64]bool{}
		for i, way := range []tuning{{Tuning: match.Tuning{TriplesFirst: true}}, {Tuning: match.Tuning{AnyCost: true}}, {Tuning: match.Tuning{NoDense: true}}} {
			d := open(t, Options{Driver: gpu, tuning: way})
			first := timeLimited(t, d, g, plan)
			with := least([]timing{timeLimited(t, d, g, plan), timeLimited(t, d, g, plan), timeLimited(t, d, g, plan)})
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			row[2], counts[with.count] = with.count, true
			if row = append(row, with.kernels, with.whole); i < 2 {
				row = append(row, first.whole)
			}
		}
		if len(counts) != 1 {
			t.Errorf("%s: %v", name, counts)
		}
		r.Row(row...)
	}
}

// TestReportSquares measures counts of cycles of four edges by paths of two beside those step by step, and beside the host's processors; also in
// R-MAT with RDFGPU_RMAT edges, where that is set.
func TestReportSquares(t *testing.T) {
	gpu := driver(t)
	r := matchtest.NewReport(t, "squares.md")
	roundTrip := cyclePattern("ab", "bc", "cd", "da")
	sets := strings.Fields(os.Getenv("RDFGPU_SETS"))
	if len(sets) == 0 {
		sets = []string{"A.u", "B.u"}
	}
	for _, set := range sets {
		reportCycles(t, r, "Squares of "+set, gpu, newBench(t, set).graph(), 3, roundTrip)
	}
	if edges, err := strconv.ParseUint(os.Getenv("RDFGPU_RMAT"), 10, 64); err == nil {
		g := rmat(t, edges)
		reportCycles(t, r, fmt.Sprintf("Squares of R-MAT with %d triples", g.Edges()), gpu, g, 0, roundTrip, cyclePattern("ab", "bc", "ad", "dc"))
	}
}

// reportCycles counts some rounds step by step too; with none, which takes minutes, the processors count the first pattern alone.
func reportCycles(t *testing.T, r *matchtest.Report, name string, gpu kernels.Driver, g *pcsr.Graph, rounds int, patterns ...pattern) {
	r.Head(name, "query", "semantics", "solutions", "kernels ms", "whole ms", "the first time, ms", "step by step: kernels ms", "whole ms", "CPU, all cores, ms")
	d, steps := open(t, Options{Driver: gpu}), open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{NoDense: true}}})
	for i, q := range patterns {
		for _, semantics := range []bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism} {
			plan, err := q.plan(g, semantics, true)
			if err != nil {
				t.Fatal(err)
			}
			first := timeLimited(t, d, g, plan)
			with := timeLimited(t, d, g, plan)
			var without, host timing
			for range rounds {
				with = least([]timing{with, timeLimited(t, d, g, plan)})
				without = timeLimited(t, steps, g, plan)
			}
			if rounds > 0 || i == 0 {
				host = timeLimited(t, matchtest.OnThreads(cpu.New(), 0), g, plan)
			}
			for _, other := range []timing{without, host} {
				if other.whole > 0 && with.whole > 0 && other.count != with.count {
					t.Errorf("%s %s %v: %d, %d otherwise", name, q.name, semantics, with.count, other.count)
				}
			}
			r.Row(q.name, semantics, with.count, with.kernels, with.whole, first.whole, without.kernels, without.whole, host.whole)
		}
	}
	for _, d := range []*Device{d, steps} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// timeLimited times one count of a plan; nothing where it takes more than half a minute.
func timeLimited(t *testing.T, m match.Matcher, g *pcsr.Graph, plan *bgp.MatchPlan) timing {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var trace match.Trace
	begun := time.Now()
	n, err := m.Count(ctx, &match.Match{Graph: g, Plan: plan, Trace: &trace})
	if ctx.Err() == nil && err != nil {
		t.Error(err)
	}
	if err != nil {
		return timing{}
	}
	return timing{count: n, whole: matchtest.Milliseconds(time.Since(begun)), kernels: matchtest.Milliseconds(trace.Kernels)}
}
