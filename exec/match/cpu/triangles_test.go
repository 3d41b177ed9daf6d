package cpu_test

import (
	"fmt"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// directed is an R-MAT graph of one label with 2^scale vertices and at most 12 edges for each.
func directed(b *testing.B, scale int) *pcsr.Graph {
	made, err := generate.RMAT(scale, 12<<scale, 1, 1, 7)
	if err != nil {
		b.Fatal(err)
	}
	var edges []pcsr.Edge
	for block := range made.Blocks() {
		made.Block(block, func(e generate.Edge) {
			edges = append(edges, pcsr.Edge{From: pcsr.Vertex(1 + e.From), To: pcsr.Vertex(1 + e.To)})
		})
	}
	g, err := pcsr.Build(1+int(made.Vertices), 1, edges)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkTriangles counts directed triangles of R-MAT graphs on two threads, by triples of neighbours and step by step.
func BenchmarkTriangles(b *testing.B) {
	for _, scale := range []int{12, 15, 18, 20} {
		g := directed(b, scale)
		c := matchtest.Case{Vertices: 1, Labels: 1, TypeLabel: -1, Options: bgp.Options{CountOnly: true}}
		for shape, last := range map[string][2]int{"transitive": {0, 2}, "cycle": {2, 0}} {
			c.Patterns = []parser.TriplePattern{matchtest.Edge(0, 1, 0), matchtest.Edge(1, 2, 0), matchtest.Edge(last[0], last[1], 0)}
			plan, err := c.Plan(g)
			if err != nil {
				b.Fatal(err)
			}
			for way, m := range map[string]*cpu.Matcher{"triples": cpu.New(), "stepwise": cpu.NewStepwise()} {
				b.Run(fmt.Sprint("2^", scale, "/", shape, "/", way), func(b *testing.B) {
					for b.Loop() {
						n, err := matchtest.OnThreads(m, 2).Count(b.Context(), &match.Match{Graph: g, Plan: plan})
						if err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(float64(n), "solutions")
					}
				})
			}
		}
	}
}
