package generate

import (
	"bytes"
	"context"
	"slices"
	"testing"
)

func degrees(t *testing.T, g Graph) []int {
	t.Helper()
	in := make([]int, g.Vertices)
	total := uint64(0)
	for b := range g.Blocks() {
		g.Block(b, func(e Edge) {
			if e.From >= g.Vertices || e.To >= g.Vertices || e.Predicate >= g.Predicates {
				t.Fatalf("edge %+v is outside the graph", e)
			}
			in[e.To]++
			total++
		})
	}
	if total != g.Edges {
		t.Fatalf("%d edges, asked for %d", total, g.Edges)
	}
	slices.Sort(in)
	return in
}

func TestRMATAndZipfGraphsAreSkewed(t *testing.T) {
	rmat, err := RMAT(12, 100_000, 4, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	zipf, err := Zipf(4001, 100_000, 1.1, 0, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []Graph{rmat, zipf} {
		in := degrees(t, g)
		if most, middle := in[len(in)-1], in[len(in)/2]; most < 20*(middle+1) {
			t.Errorf("largest degree %d, median %d: no skew", most, middle)
		}
	}
}

func TestUndirectedGraphsLeadBothWays(t *testing.T) {
	g, err := RMAT(5, 2000, 0, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	g.Undirected = true
	edges := map[Edge]int{}
	for b := range g.Blocks() {
		g.Block(b, func(e Edge) { edges[e]++ })
	}
	for e, n := range edges {
		if e.From == e.To || edges[Edge{e.To, e.From, e.Predicate}] != n {
			t.Errorf("%d edges %+v, %d back", n, e, edges[Edge{e.To, e.From, e.Predicate}])
		}
	}
	if len(edges) < 500 {
		t.Errorf("%d edges", len(edges))
	}
}

func TestScatterIsAPermutation(t *testing.T) {
	for _, n := range []uint64{1, 2, 12, 1000, 4096} {
		seen := make([]bool, n)
		for r := range n {
			seen[newPermutation(n, 3).at(r)] = true
		}
		if slices.Contains(seen, false) {
			t.Errorf("not all of %d vertices are reached", n)
		}
	}
}

func TestGraphTextIsOneTriplePerLine(t *testing.T) {
	g, err := RMAT(8, 500, 3, 2, 9)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	n, err := g.WriteNTriples(context.Background(), &b)
	if err != nil || n != 256+500 || bytes.Count(b.Bytes(), []byte(" .\n")) != 756 {
		t.Fatalf("%d triples, %v:\n%s", n, err, b.Bytes()[:200])
	}
}
