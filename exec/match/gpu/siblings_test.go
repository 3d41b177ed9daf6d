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

func TestSymmetricPatternsMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c, options := matchtest.DrawSymmetric(rt), drawOptions(rt)
		options.slice = time.Duration(rapid.SampledFrom([]int{3, 1e9}).Draw(rt, "slice"))
		d := open(t, options)
		if err := matchtest.Check(d, c); err != nil {
			rt.Fatal(err)
		}
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestDeviceMatchesSymmetricPatternsAsByBruteForce(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) {
		c, options := matchtest.DrawSymmetric(rt), drawOptions(rt)
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
	t.Parallel()
	m := clique(t, 5, 16)
	candidates := func(options Options) (all uint64) {
		options.Driver, options.NoDense = kernels.Emulate(1<<30), true
		d := open(t, options)
		traced := *m
		traced.Trace = &match.Trace{}
		count(t, d, &traced, 16*15*14*13*12)
		for _, s := range traced.Trace.Steps {
			all += s.Candidates
		}
		return all
	}
	with, without := candidates(Options{}), candidates(Options{tuning: tuning{Tuning: match.Tuning{NoSharing: true}}})
	// In a complete graph every list, cut to what is greater, is the siblings' list already.
	if with > without {
		t.Errorf("%d candidates among siblings, %d without", with, without)
	}
	s := newShape(m, true, &Options{tuning: tuning{Tuning: match.Tuning{NoDense: true}}})
	var from []int
	for _, sharing := range s.sharing {
		if sharing != nil {
			from = append(from, sharing.From)
		}
	}
	if want := []int{2, 3}; !slices.Equal(from, want) || s.sharing[2] != nil {
		t.Errorf("siblings of steps %v, want %v", from, want)
	}
}
