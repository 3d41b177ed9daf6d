package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

func TestACountInNeighbourhoodsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	c := complete(7, 400)
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if n, err := matchtest.OnThreads(cpu.NewContrary(), 2).Count(ctx, m); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d, error %v", n, err)
	}
}

// TestAHouseIsCountedWithAFarVertex: neither of the two that might be the root touches all others.
func TestAHouseIsCountedWithAFarVertex(t *testing.T) {
	t.Parallel()
	c := complete(5, 7)
	c.Patterns = nil
	for _, ends := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 0}, {4, 1}} {
		c.Patterns = append(c.Patterns, matchtest.Edge(ends[0], ends[1], 0))
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	m.Trace = &match.Trace{}
	n, err := cpu.NewContrary().Count(context.Background(), m)
	far := slices.ContainsFunc(m.Trace.Steps, func(s match.StepTrace) bool { return s.Variant == "common neighbours of the root" })
	if want := uint64(7 * 6 * 5 * 4 * 3); err != nil || n != want || !far {
		t.Errorf("%d (error %v), with a far vertex %v, want %d so", n, err, far, want)
	}
}

// TestInducedCountsAreSums: of patterns without some edges, written as one count or as a sum, whichever is to be cheaper.
func TestInducedCountsAreSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := matchtest.DrawDense(rt)
		if c.Options.Semantics != bgp.Induced {
			return
		}
		price := rapid.SampledFrom([]float64{1e-9, 1, 1e9}).Draw(rt, "price of deep levels")
		if err := matchtest.Check(matchtest.OnThreads(cpu.NewDeep(price), 2), c); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestAWheelIsASum of counts in which edges between its rim's vertices may be there, and of those in which they are.
func TestAWheelIsASum(t *testing.T) {
	t.Parallel()
	c := complete(2, 30)
	c.Options.Semantics, c.Patterns = bgp.Induced, nil
	for _, ends := range [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}, {4, 1}} {
		c.Patterns = append(c.Patterns, matchtest.Edge(ends[0], ends[1], 0), matchtest.Edge(ends[1], ends[0], 0))
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	for _, price := range []float64{1e-9, 1e9} {
		if terms := len(match.Lower(m, true, match.Tuning{AnyCost: true, DeepPrice: price}).Dense.Sum()); terms < 2 {
			t.Errorf("%d terms where deep levels cost %g", terms, price)
		}
	}
	if terms := len(match.Lower(m, true, match.Tuning{AnyCost: true, NoSums: true}).Dense.Sum()); terms != 1 {
		t.Errorf("%d terms without sums", terms)
	}
	if n, err := cpu.NewDeep(1e9).Count(context.Background(), m); err != nil || n != 0 {
		t.Errorf("%d wheels without spokes across in a complete graph, error %v", n, err)
	}
}

// TestLevelsAreOrderedForTriples: all behind the third level are neighbours of what the first two are bound to, where an order of the levels allows it.
func TestLevelsAreOrderedForTriples(t *testing.T) {
	t.Parallel()
	for _, missing := range [][][2]int{
		{{1, 3}, {2, 3}, {4, 6}, {5, 6}}, // STMatch's q18
		{{2, 3}, {4, 6}, {5, 6}},         // q20
	} {
		c := complete(7, 20)
		c.Patterns = nil
		for b := range 7 {
			for a := range b {
				if !slices.Contains(missing, [2]int{a, b}) {
					c.Patterns = append(c.Patterns, matchtest.Edge(a, b, 0))
				}
			}
		}
		m, err := c.Match()
		if err != nil {
			t.Fatal(err)
		}
		if dense := match.Lower(m, true, match.Tuning{AnyCost: true, TripleLevels: 4}).Dense; dense == nil || len(dense.Levels) < 4 || !dense.ByTriples() {
			t.Errorf("without %v: not by triples: %+v", missing, dense)
		}
	}
}

// complete is a count of the cliques of n vertices in a complete graph.
func complete(n, vertices int) *matchtest.Case {
	c := &matchtest.Case{Vertices: vertices, Labels: 1, TypeLabel: -1, Options: bgp.Options{Semantics: bgp.Isomorphism, CountOnly: true}}
	c.Edges = matchtest.Complete(vertices)
	for b := range n {
		for a := range b {
			c.Patterns = append(c.Patterns, matchtest.Edge(a, b, 0))
		}
	}
	return c
}

// BenchmarkPublished counts the patterns of STMatch's paper in wiki-Vote on two threads, in neighbourhoods where that is how they are counted, without sums of
// counts, and step by step; what takes more than 20 s is left out.
func BenchmarkPublished(b *testing.B) {
	data, bench := os.Getenv("RDFGPU_DATA"), os.Getenv("RDFGPU_SM")
	if data == "" || bench == "" {
		b.Skip("RDFGPU_DATA or RDFGPU_SM is not set")
	}
	set, err := matchtest.Open(filepath.Join(data, "wiki-vote"))
	if err != nil {
		b.Fatal(err)
	}
	patterns, err := matchtest.ReadPublished(filepath.Join(bench, "stmatch-patterns.tsv"), set.Queries[0].Patterns[0].Predicate)
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range patterns {
		for _, semantics := range []bgp.Semantics{bgp.Isomorphism, bgp.Induced} {
			plan, err := bgp.Plan(context.Background(), q.Patterns(semantics), set.Graph, set.Lookup, bgp.Options{Semantics: semantics, CountOnly: true})
			if err != nil {
				b.Fatal(err)
			}
			for name, m := range map[string]match.Matcher{"used": cpu.New(), "one count": cpu.NewOneCount(), "stepwise": cpu.NewStepwise()} {
				b.Run(fmt.Sprint(q.Name, "/", semantics, "/", name), func(b *testing.B) {
					ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
					defer cancel()
					for b.Loop() {
						n, err := matchtest.OnThreads(m, 2).Count(ctx, &match.Match{Graph: set.Graph, Plan: plan})
						if err != nil {
							b.Skip(err)
						}
						b.ReportMetric(float64(n), "solutions")
					}
				})
			}
		}
	}
}
