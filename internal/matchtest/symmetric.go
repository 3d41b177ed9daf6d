package matchtest

import (
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"pgregory.net/rapid"
)

// motifs are query graphs with automorphisms, or whose vertices have many neighbours in common.
var motifs = [][][2]int{
	{{0, 1}}, // an edge
	{{0, 1}, {0, 2}, {1, 2}},
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}},                                         // two triangles on an edge
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}},                                 // a clique of 4
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {0, 4}, {1, 4}},                         // three triangles on an edge
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}},                 // a clique of 4 and a triangle
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}},         // two cliques of 4 on a triangle
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}, // a clique of 5
	{{0, 1}, {1, 2}, {2, 3}, {3, 0}},                                                 // a cycle of 4
	{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}},                                         // a cycle of 5
	{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}},                                 // a house
	{{0, 1}, {0, 2}}, {{0, 1}, {0, 2}, {0, 3}}, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, // stars
	{{0, 1}, {1, 2}, {2, 3}},                                 // a path
	{{0, 1}, {0, 2}, {1, 3}, {1, 4}},                         // a tree
	{{0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}},         // 2 by 3, bipartite
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {0, 4}, {3, 4}},         // two triangles on a vertex
	{{0, 1}, {2, 3}},                                         // two edges apart
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 4}, {2, 5}},         // a triangle with a leaf at each vertex
	{{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 4}, {2, 5}, {3, 5}}, // an edge in two cycles, of 4 and of 5
	{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}}, // three cliques of 4 on a triangle
}

// DrawSymmetric draws a dense graph and a pattern that is likely to have automorphisms: edges of one label or two, in both
// directions or in one, with or without classes, a constant or a vertex with an edge to itself.
func DrawSymmetric(t *rapid.T) *Case {
	const class, first = 2, 3
	n := rapid.IntRange(5, 8).Draw(t, "vertices")
	c := &Case{Vertices: first + n, Labels: 3, TypeLabel: 0, Limit: uint64(rapid.IntRange(1, 20).Draw(t, "limit"))}
	often := func(of int, name string) bool { return rapid.IntRange(0, of).Draw(t, name) > 0 }
	labels := rapid.IntRange(1, 2).Draw(t, "labels")
	label := func() pcsr.Label {
		if labels == 1 {
			return 1
		}
		return pcsr.Label(rapid.IntRange(1, 2).Draw(t, "label"))
	}
	directed, loops, density := !often(3, "undirected"), !often(4, "no loops"), rapid.IntRange(4, 9).Draw(t, "density")
	all := !often(2, "all typed")
	for a := uint32(first); a < uint32(c.Vertices); a++ {
		if all || often(4, "typed") {
			c.Edges = append(c.Edges, pcsr.Edge{From: a, Label: 0, To: class})
		}
		for b := uint32(first); b < uint32(c.Vertices); b++ {
			if a > b && !directed || a == b && !loops || rapid.IntRange(0, 9).Draw(t, "edge") > density {
				continue
			}
			l := label()
			c.Edges = append(c.Edges, pcsr.Edge{From: a, Label: l, To: b})
			if !directed {
				c.Edges = append(c.Edges, pcsr.Edge{From: b, Label: l, To: a})
			}
		}
	}
	drawMotif(t, c, label, pcsr.Vertex(class))
	c.Options.Semantics = drawSemantics(t, c)
	c.Options.CountOnly = often(2, "count only")
	c.Options.Thorough = rapid.Bool().Draw(t, "thorough")
	if names := usedVariables(c.Patterns); !often(3, "no inequalities") && len(names) > 0 {
		drawUnequal(t, c, names)
	}
	return c
}

// drawMotif draws the pattern of a case.
func drawMotif(t *rapid.T, c *Case, label func() pcsr.Label, class pcsr.Vertex) {
	constant := func(v uint32) parser.PatternTerm { return parser.PatternTerm{Term: Term(v)} }
	vertex := func(v int) parser.PatternTerm { return parser.PatternTerm{Variable: fmt.Sprint("v", v)} }
	motif := rapid.SampledFrom(motifs).Draw(t, "motif")
	turn := rapid.IntRange(0, 3).Draw(t, "orientation")
	for i, e := range motif {
		if turn == 1 && i%2 == 1 || turn == 2 && e[0] > 0 {
			e[0], e[1] = e[1], e[0]
		}
		c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: vertex(e[0]), Predicate: constant(label()), Object: vertex(e[1])})
		for _, v := range e {
			if name := vertex(v).Variable; !slices.Contains(c.Options.Output, name) {
				c.Options.Output = append(c.Options.Output, name)
			}
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "classes") == 0 {
		for v := range c.Options.Output {
			if rapid.Bool().Draw(t, "class") {
				c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: vertex(v), Predicate: constant(0), Object: constant(class)})
			}
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "constant") == 0 {
		v := rapid.IntRange(0, len(c.Options.Output)-1).Draw(t, "bound vertex")
		to := constant(uint32(rapid.IntRange(3, c.Vertices-1).Draw(t, "to")))
		c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: vertex(v), Predicate: constant(1), Object: to})
	}
}
