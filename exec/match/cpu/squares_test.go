package cpu_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// square is a count of squares in a complete graph.
func square(vertices int, semantics bgp.Semantics) *matchtest.Case {
	c := &matchtest.Case{Vertices: vertices, Labels: 1, TypeLabel: -1, Options: bgp.Options{Semantics: semantics, CountOnly: true}}
	c.Edges = matchtest.Complete(vertices)
	for i := range 4 {
		c.Patterns = append(c.Patterns, matchtest.Edge(i, (i+1)%4, 0))
	}
	return c
}

func TestSquaresOfCompleteGraphs(t *testing.T) {
	t.Parallel()
	for semantics, want := range map[bgp.Semantics]uint64{
		bgp.Isomorphism:  40 * 39 * 38 * 37,
		bgp.Homomorphism: 39*39*39*39 + 39, // closed walks: the sum of the fourth powers of the eigenvalues
	} {
		m, err := square(40, semantics).Match()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := cpu.NewContrary().Count(context.Background(), m); err != nil || n != want {
			t.Errorf("%v: %d (error %v), not %d", semantics, n, err, want)
		}
	}
}

func TestSquaresOfAStar(t *testing.T) {
	t.Parallel()
	const leaves = 500
	c := square(2, bgp.Homomorphism)
	c.Vertices, c.Edges = leaves+1, nil
	for v := pcsr.Vertex(1); v <= leaves; v++ {
		c.Edges = append(c.Edges, pcsr.Edge{From: 0, To: v}, pcsr.Edge{From: v, To: 0})
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := cpu.NewContrary().Count(context.Background(), m); err != nil || n != 2*leaves*leaves {
		t.Errorf("%d, error %v", n, err)
	}
}

// BenchmarkSquares counts round trips of four edges on two threads, by paths and step by step; what takes more than 20 s is left out.
func BenchmarkSquares(b *testing.B) {
	data := os.Getenv("RDFGPU_DATA")
	if data == "" {
		b.Skip("RDFGPU_DATA is not set")
	}
	for name, query := range map[string]string{"wiki-vote": "cycle4", "graph-a": "u.tri"} { // a query without classes
		set, err := matchtest.Open(filepath.Join(data, name))
		if err != nil {
			b.Fatal(err)
		}
		at := slices.IndexFunc(set.Queries, func(q matchtest.Query) bool { return q.Name == query })
		var patterns []parser.TriplePattern
		for i := range 4 {
			e := matchtest.Edge(i, (i+1)%4, 0)
			e.Predicate = set.Queries[at].Patterns[0].Predicate
			patterns = append(patterns, e)
		}
		for _, semantics := range []bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism} {
			plan, err := bgp.Plan(context.Background(), patterns, set.Graph, set.Lookup, bgp.Options{Semantics: semantics, CountOnly: true})
			if err != nil {
				b.Fatal(err)
			}
			for way, m := range map[string]match.Matcher{"used": cpu.New(), "stepwise": cpu.NewStepwise()} {
				b.Run(fmt.Sprint(name, "/", semantics, "/", way), func(b *testing.B) {
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
