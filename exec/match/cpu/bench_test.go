package cpu_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// families are the queries of one shape, by the beginning of their names.
var families = map[string][]string{
	"watdiv10m": {"L", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "F1", "F2", "F3", "F4", "F5", "C1", "C2", "C3", "IL-1", "IL-2", "IL-3"},
	"lubm10":    {"Q", "L", "W"},
}

// BenchmarkQueries runs, per family, all its queries once: planned, matched to rows, and counted.
func BenchmarkQueries(b *testing.B) {
	root := os.Getenv("RDFGPU_DATA")
	if root == "" {
		b.Skip("RDFGPU_DATA names no folder of data sets")
	}
	for set, names := range families {
		b.Run(set, func(b *testing.B) {
			d, err := matchtest.Open(filepath.Join(root, set))
			if err != nil {
				b.Fatal(err)
			}
			for _, name := range names {
				b.Run(name, func(b *testing.B) { benchmarkFamily(b, d, name) })
			}
		})
	}
}

func benchmarkFamily(b *testing.B, d *matchtest.Dataset, family string) {
	m := matchtest.OnThreads(cpu.New(), 0)
	var plans, counts []*bgp.MatchPlan
	plan := func(q *matchtest.Query, count bool) *bgp.MatchPlan {
		p, err := bgp.Plan(context.Background(), q.Patterns, d.Graph, d.Lookup, bgp.Options{Output: q.Variables, CountOnly: count})
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	var queries []*matchtest.Query
	for i := range d.Queries {
		if q := &d.Queries[i]; strings.HasPrefix(q.Name, family) {
			queries, plans, counts = append(queries, q), append(plans, plan(q, false)), append(counts, plan(q, true))
		}
	}
	perQuery := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(queries)), "ns/query")
	}
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			for _, q := range queries {
				plan(q, false)
			}
		}
		perQuery(b)
	})
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			for _, p := range plans {
				if err := m.Match(context.Background(), &match.Match{Graph: d.Graph, Plan: p}, func(*match.Batch) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		}
		perQuery(b)
	})
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			for _, p := range counts {
				if _, err := m.Count(context.Background(), &match.Match{Graph: d.Graph, Plan: p}); err != nil {
					b.Fatal(err)
				}
			}
		}
		perQuery(b)
	})
}

// BenchmarkClasses plans and counts graph-a's patterns whose vertices have classes, under isomorphism, on one thread.
func BenchmarkClasses(b *testing.B) {
	root := os.Getenv("RDFGPU_DATA")
	if root == "" {
		b.Skip("RDFGPU_DATA names no folder of data sets")
	}
	d, err := matchtest.Open(filepath.Join(root, "graph-a"))
	if err != nil {
		b.Fatal(err)
	}
	m := matchtest.OnThreads(cpu.New(), 1)
	for _, q := range d.Queries {
		if !strings.HasPrefix(q.Name, "vl.") {
			continue
		}
		var plan *bgp.MatchPlan
		b.Run(q.Name+"/plan", func(b *testing.B) {
			for b.Loop() {
				if plan, err = bgp.Plan(context.Background(), q.Patterns, d.Graph, d.Lookup, bgp.Options{Semantics: bgp.Isomorphism, CountOnly: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(q.Name+"/count", func(b *testing.B) {
			for b.Loop() {
				if n, err := m.Count(context.Background(), &match.Match{Graph: d.Graph, Plan: plan}); err != nil || n != uint64(q.IsoCount) {
					b.Fatalf("%d solutions (error %v), want %d", n, err, q.IsoCount)
				}
			}
		})
	}
}
