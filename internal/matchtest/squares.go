package matchtest

import (
	"math/rand/v2"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// DrawSquares draws a count of a cycle of four edges, of one to four labels and any directions: what matchers may count by paths of two edges
// (match.Lowering.Squares). Some graphs have hubs, some edges that lead both ways, some loops.
func DrawSquares(t *rapid.T) *Case {
	labels := rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(t, "labels")
	vertices := rapid.IntRange(2, 9).Draw(t, "vertices") // brute force takes the fourth power
	c := &Case{Vertices: labels + vertices, Labels: labels, TypeLabel: -1, Limit: 5}
	both, loops := rapid.IntRange(0, 10).Draw(t, "both ways"), rapid.IntRange(0, 2).Draw(t, "loops") == 0
	density := rapid.IntRange(1, 9).Draw(t, "density")
	hubs := rapid.IntRange(0, 2).Draw(t, "hubs")
	for label := range labels {
		for a := range vertices {
			for b := range vertices {
				if a == b && !loops || a > b && both == 10 || rapid.IntRange(1, 10).Draw(t, "edge") > density && a >= hubs && b >= hubs {
					continue
				}
				v, w := pcsr.Vertex(labels+a), pcsr.Vertex(labels+b)
				c.Edges = append(c.Edges, pcsr.Edge{From: v, To: w, Label: uint32(label)})
				if rapid.IntRange(1, 10).Draw(t, "and back") <= both {
					c.Edges = append(c.Edges, pcsr.Edge{From: w, To: v, Label: uint32(label)})
				}
			}
		}
	}
	c.Options = bgp.Options{
		Semantics: rapid.SampledFrom([]bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism, bgp.EdgeIsomorphism, bgp.Induced}).Draw(t, "semantics"),
		CountOnly: true, Thorough: rapid.Bool().Draw(t, "thorough"),
	}
	c.Patterns = drawSquare(t, labels)
	return c
}

// DrawTriangles draws a count of a cycle of three edges, of any directions, in a graph of one label, or two of which one is asked for.
func DrawTriangles(t *rapid.T) *Case {
	c := DrawSquares(t)
	c.Patterns = drawTriangle(t, rapid.IntRange(0, c.Labels-1).Draw(t, "label"))
	return c
}

// DrawLargeTriangles draws one in a larger graph, as DrawLargeSquares does.
func DrawLargeTriangles(t *rapid.T) *Case {
	c := DrawLargeSquares(t)
	c.Patterns = drawTriangle(t, rapid.IntRange(0, c.Labels-1).Draw(t, "label"))
	return c
}

func drawTriangle(t *rapid.T, label int) (patterns []parser.TriplePattern) {
	names := rapid.Permutation([]int{0, 1, 2}).Draw(t, "names")
	for i := range 3 {
		from, to := names[i], names[(i+1)%3]
		if rapid.Bool().Draw(t, "turned") {
			from, to = to, from
		}
		patterns = append(patterns, Edge(from, to, label))
	}
	return patterns
}

// DrawLargeSquares draws a count of a cycle of four edges in a larger graph with loops, some of whose vertices have very many neighbours: too much
// for brute force.
func DrawLargeSquares(t *rapid.T) *Case {
	labels, vertices := rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "labels"), rapid.IntRange(20, 300).Draw(t, "vertices")
	hubs, degree := rapid.IntRange(1, 6).Draw(t, "hubs"), rapid.IntRange(1, 6).Draw(t, "degree")
	c := &Case{Vertices: labels + vertices, Labels: labels, TypeLabel: -1}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	there := map[pcsr.Edge]bool{}
	add := func(a, b int) {
		e := pcsr.Edge{From: pcsr.Vertex(labels + a), To: pcsr.Vertex(labels + b), Label: uint32(random.IntN(labels))}
		if !there[e] {
			there[e] = true
			c.Edges = append(c.Edges, e)
		}
	}
	for a := range vertices {
		for range degree {
			add(a, random.IntN(vertices))
		}
		for hub := range hubs {
			add(a, hub*vertices/hubs)
			if random.IntN(hubs+1) > hub {
				add(hub*vertices/hubs, a)
			}
		}
	}
	c.Options = bgp.Options{Semantics: rapid.SampledFrom([]bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism}).Draw(t, "semantics"), CountOnly: true}
	c.Patterns = drawSquare(t, labels)
	return c
}

// drawSquare draws a cycle of four edges.
func drawSquare(t *rapid.T, labels int) (patterns []parser.TriplePattern) {
	names := rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "names")
	for i := range 4 {
		from, to := names[i], names[(i+1)%4]
		if rapid.Bool().Draw(t, "turned") {
			from, to = to, from
		}
		patterns = append(patterns, Edge(from, to, rapid.IntRange(0, labels-1).Draw(t, "label")))
	}
	return patterns
}
