package gpu

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// denseMotifs are query graphs whose vertices have many neighbours in common.
var denseMotifs = [][][2]int{
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}},                                                         // two triangles on an edge
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}},                                                 // a clique of 4
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {0, 4}, {1, 4}},                                         // three triangles on an edge
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}},                                 // a clique of 4 and a triangle
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}},                         // two cliques of 4 on a triangle
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},                 // a clique of 5
	{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}}, // three cliques of 4 on a triangle
}

// drawDense draws a graph with many triangles and a dense pattern.
func drawDense(t *rapid.T) *matchtest.Case {
	n := rapid.IntRange(5, 8).Draw(t, "vertices")
	c := &matchtest.Case{Vertices: n + 2, Labels: 2, TypeLabel: 0, Limit: uint64(rapid.IntRange(1, 20).Draw(t, "limit"))}
	directed := rapid.IntRange(0, 3).Draw(t, "directed") == 0
	for a := 2; a < n+2; a++ {
		if rapid.IntRange(0, 4).Draw(t, "typed") > 0 {
			c.Edges = append(c.Edges, pcsr.Edge{From: uint32(a), Label: 0, To: 1})
		}
		for b := 2; b < n+2; b++ {
			if directed && a != b || a < b {
				if rapid.IntRange(0, 9).Draw(t, "edge") < 7 {
					c.Edges = append(c.Edges, pcsr.Edge{From: uint32(a), Label: 1, To: uint32(b)})
					if !directed {
						c.Edges = append(c.Edges, pcsr.Edge{From: uint32(b), Label: 1, To: uint32(a)})
					}
				}
			}
		}
	}
	vertex := func(v int) parser.PatternTerm { return parser.PatternTerm{Variable: fmt.Sprint("v", v)} }
	constant := func(v uint32) parser.PatternTerm { return parser.PatternTerm{Term: matchtest.Term(v)} }
	for _, e := range rapid.SampledFrom(denseMotifs).Draw(t, "motif") {
		c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: vertex(e[0]), Predicate: constant(1), Object: vertex(e[1])})
		for _, v := range e {
			if name := vertex(v).Variable; !slices.Contains(c.Options.Output, name) {
				c.Options.Output = append(c.Options.Output, name)
			}
		}
	}
	for v := range c.Options.Output {
		if rapid.IntRange(0, 4).Draw(t, "class") == 0 {
			c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: vertex(v), Predicate: constant(0), Object: constant(1)})
		}
	}
	c.Options.Semantics = bgp.Semantics(rapid.IntRange(0, 2).Draw(t, "semantics"))
	c.Options.CountOnly = rapid.Bool().Draw(t, "count only")
	return c
}

func TestDensePatternsMatchAsByBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, options := drawDense(rt), drawOptions(rt)
		options.Slice = time.Duration(rapid.SampledFrom([]int{3, 1e9}).Draw(rt, "slice"))
		d := open(t, options)
		if err := matchtest.Check(d, c); err != nil {
			rt.Fatal(err)
		}
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestDeviceMatchesDensePatternsAsByBruteForce(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) {
		c, options := drawDense(rt), drawOptions(rt)
		options.Driver, options.Memory = gpu, 64<<20
		d := open(t, options)
		if err := matchtest.Check(d, c); err != nil {
			rt.Fatal(err)
		}
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// clique is a count of the cliques of n vertices in a complete graph.
func clique(t testing.TB, n, vertices int) *match.Match {
	t.Helper()
	c := matchtest.Case{Vertices: vertices, Labels: 1, TypeLabel: -1, Options: bgp.Options{Semantics: bgp.Isomorphism, CountOnly: true}}
	for a := range vertices {
		for b := range vertices {
			if a != b {
				c.Edges = append(c.Edges, pcsr.Edge{From: uint32(a), To: uint32(b)})
			}
		}
	}
	name := func(k int) parser.PatternTerm { return parser.PatternTerm{Variable: fmt.Sprint("v", k)} }
	for b := range n {
		for a := range b {
			c.Patterns = append(c.Patterns, parser.TriplePattern{
				Subject: name(a), Predicate: parser.PatternTerm{Term: matchtest.Term(0)}, Object: name(b)})
		}
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSiblingsShareAnIntersection(t *testing.T) {
	m := clique(t, 5, 16)
	candidates := func(options Options) (all uint64) {
		options.Driver = kernels.Emulate(1 << 30)
		d := open(t, options)
		traced := *m
		traced.Trace = &match.Trace{}
		count(t, d, &traced, 16*15*14*13*12)
		for _, s := range traced.Trace.Steps {
			all += s.Candidates
		}
		return all
	}
	with, without := candidates(Options{}), candidates(Options{NoSharing: true})
	// In a complete graph every list, cut to what is greater, is the siblings' list already.
	if with > without {
		t.Errorf("%d candidates among siblings, %d without", with, without)
	}
	s := newShape(m, true, func(pcsr.Label) bool { return true }, &Options{})
	if want := []int{noSharing, noSharing, noSharing, 2, 3}; !slices.Equal(s.siblings, want) {
		t.Errorf("siblings of steps %v, want %v", s.siblings, want)
	}
}
