package matchtest

import (
	"math/rand/v2"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// DrawDense draws a count of a pattern with a vertex that all others touch, or all but one, in an undirected graph of one label: what matchers may count in
// neighbourhoods (match.Lowering.Dense), under all semantics that have such patterns.
func DrawDense(t *rapid.T) *Case {
	n := rapid.IntRange(3, 8).Draw(t, "pattern")
	c := &Case{Labels: 1, TypeLabel: -1, Limit: 5}
	drawDensePattern(t, c, n)
	most := []int{3: 16, 11, 9, 8, 7, 8}[n] // brute force takes vertices^pattern
	if n == 8 && !c.Options.Semantics.Injective() {
		most = 5
	}
	vertices, density := rapid.IntRange(4, most).Draw(t, "vertices"), rapid.IntRange(3, 10).Draw(t, "density")
	gap := rapid.IntRange(1, 3).Draw(t, "gap") // numbers that are no row's
	c.Vertices = 1 + gap*vertices
	for a := range vertices {
		for b := range a {
			if rapid.IntRange(1, 10).Draw(t, "edge") <= density {
				v, w := pcsr.Vertex(1+gap*a), pcsr.Vertex(1+gap*b)
				c.Edges = append(c.Edges, pcsr.Edge{From: v, To: w}, pcsr.Edge{From: w, To: v})
			}
		}
	}
	return c
}

// DrawHubs draws a count of a dense pattern in a larger graph, some of whose vertices have very many neighbours: too much for brute force.
func DrawHubs(t *rapid.T) *Case {
	n := rapid.IntRange(3, 7).Draw(t, "pattern")
	most := 6
	if n > 5 { // step by step, patterns of so many vertices take very long in more
		most = 2
	}
	vertices := rapid.IntRange(20, 300).Draw(t, "vertices")
	hubs, degree := rapid.IntRange(1, most).Draw(t, "hubs"), rapid.IntRange(1, most).Draw(t, "degree")
	c := &Case{Vertices: vertices + 1, Labels: 1, TypeLabel: -1}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	there := map[[2]uint32]bool{}
	add := func(a, b int) {
		v, w := uint32(1+min(a, b)), uint32(1+max(a, b))
		if a != b && !there[[2]uint32{v, w}] {
			there[[2]uint32{v, w}] = true
			c.Edges = append(c.Edges, pcsr.Edge{From: v, To: w}, pcsr.Edge{From: w, To: v})
		}
	}
	for a := range vertices {
		for range degree {
			add(a, random.IntN(vertices))
		}
		for hub := range hubs {
			if random.IntN(hubs+1) > hub {
				add(a, hub*vertices/hubs)
			}
		}
	}
	for range rapid.IntRange(0, 70*most).Draw(t, "core") { // a dense part
		add(random.IntN(min(vertices, 80)), random.IntN(min(vertices, 80)))
	}
	drawDensePattern(t, c, n)
	return c
}

// drawDensePattern draws a pattern of n vertices.
func drawDensePattern(t *rapid.T, c *Case, n int) {
	c.Options = bgp.Options{
		Semantics: rapid.SampledFrom([]bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism, bgp.Isomorphism, bgp.Induced}).Draw(t, "semantics"),
		CountOnly: true, Thorough: rapid.Bool().Draw(t, "thorough"),
	}
	both := c.Options.Semantics == bgp.Induced || rapid.IntRange(0, 3).Draw(t, "both ways") == 0
	full := rapid.IntRange(2, 10).Draw(t, "fullness")
	far := n > 4 && rapid.Bool().Draw(t, "far")                // vertex 1 does not touch vertex 0, but two of the others
	outer := far && rapid.IntRange(0, 2).Draw(t, "outer") == 0 // the last touches vertex 1, but not vertex 0
	names := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "names")
	for v := range n {
		for w := range v {
			always := w == 0 || far && w == 1 && (v < 4 || outer && v == n-1)
			if far && w == 0 && (v == 1 || outer && v == n-1) || !always && rapid.IntRange(1, 10).Draw(t, "pattern edge") > full {
				continue
			}
			ends := [2]int{names[v], names[w]}
			if rapid.Bool().Draw(t, "turned") {
				slices.Reverse(ends[:])
			}
			c.Patterns = append(c.Patterns, Edge(ends[0], ends[1], 0))
			if both {
				c.Patterns = append(c.Patterns, Edge(ends[1], ends[0], 0))
			}
		}
	}
}

// Complete is the edges of label 0 between each two of some vertices.
func Complete(vertices int) (edges []pcsr.Edge) {
	for a := range vertices {
		for b := range vertices {
			if a != b {
				edges = append(edges, pcsr.Edge{From: pcsr.Vertex(a), To: pcsr.Vertex(b)})
			}
		}
	}
	return edges
}
