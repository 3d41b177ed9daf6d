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

// BenchmarkPublished counts the patterns of STMatch's paper in wiki-Vote on two threads, in neighbourhoods where that is how they are counted, and
// step by step; what takes more than 20 s is left out.
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
			for name, m := range map[string]match.Matcher{"used": cpu.New(), "stepwise": cpu.NewStepwise()} {
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
