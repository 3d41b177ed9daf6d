package cpu_test

import (
	"context"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// One seed has most of the work: its tail is counted in parts by several threads.
func TestTheTailOfOneRowIsCountedOnce(t *testing.T) {
	t.Parallel()
	const hub, first, middle, leaves, many = 1, 2, 5000, 40, 20000
	var edges []pcsr.Edge
	for i := range pcsr.Vertex(middle) {
		b := first + i
		edges = append(edges, pcsr.Edge{From: hub, To: b})
		for k := range pcsr.Vertex(leaves) {
			edges = append(edges, pcsr.Edge{From: b, To: first + middle + (i*7+k)%many})
		}
	}
	g, err := pcsr.Build(first+middle+many, 1, edges)
	if err != nil {
		t.Fatal(err)
	}
	variable := func(name string) parser.PatternTerm { return parser.PatternTerm{Variable: name} }
	p := parser.PatternTerm{Term: matchtest.Term(0)}
	patterns := []parser.TriplePattern{
		{Subject: variable("a"), Predicate: p, Object: variable("b")},
		{Subject: variable("b"), Predicate: p, Object: variable("c")},
	}
	c := matchtest.Case{Vertices: first + middle + many}
	options := bgp.Options{Semantics: bgp.Isomorphism, Inputs: []string{"a"}, CountOnly: true}
	plan, err := bgp.Plan(context.Background(), patterns, g, c.Lookup, options)
	if err != nil {
		t.Fatal(err)
	}
	task := &match.Match{Graph: g, Plan: plan, Input: &match.Input{N: 1, Cols: [][]dictionary.ID{{hub}}}}
	for threads := 1; threads <= 4; threads++ {
		for range 5 {
			n, err := matchtest.OnThreads(cpu.New(), threads).Count(context.Background(), task)
			if err != nil || n != middle*leaves {
				t.Fatalf("%d threads: %d solutions (error %v), expected %d", threads, n, err, middle*leaves)
			}
		}
	}
}
