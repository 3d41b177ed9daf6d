package matchtest

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// DrawClasses draws a connected pattern whose vertices have classes, counted, in a graph whose vertices are numbered by class and whose edges lead both
// ways: what a step reads of a list is a stretch of it. Labels are 0, that of classes, and 1; then come the classes.
func DrawClasses(t *rapid.T) *Case {
	classes, size := rapid.IntRange(1, 3).Draw(t, "classes"), rapid.IntRange(2, 7).Draw(t, "vertices of each")
	first := pcsr.Vertex(2 + classes)
	c := &Case{Vertices: int(first) + classes*size, Labels: 2, TypeLabel: 0}
	for i := range pcsr.Vertex(classes * size) {
		c.Edges = append(c.Edges, pcsr.Edge{From: first + i, Label: 0, To: 2 + i/pcsr.Vertex(size)})
	}
	vertex := rapid.Uint32Range(first, pcsr.Vertex(c.Vertices-1))
	for range rapid.IntRange(0, 2*classes*size).Draw(t, "edges") {
		a, b := vertex.Draw(t, "from"), vertex.Draw(t, "to")
		c.Edges = append(c.Edges, pcsr.Edge{From: a, Label: 1, To: b}, pcsr.Edge{From: b, Label: 1, To: a})
	}
	n := rapid.IntRange(2, 5).Draw(t, "pattern vertices")
	for i := range n {
		if i > 0 {
			c.addTreeEdge(rapid.IntRange(0, i-1).Draw(t, "at"), i, 1, rapid.Bool().Draw(t, "back"))
		}
		if rapid.IntRange(0, 5).Draw(t, "any class") > 0 {
			p := Edge(i, 0, 0)
			p.Object = parser.PatternTerm{Term: Term(uint32(rapid.IntRange(2, 1+classes).Draw(t, "class")))}
			c.Patterns = append(c.Patterns, p)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "more edges") {
		c.addTreeEdge(rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to"), 1, false)
	}
	c.Options = bgp.Options{Semantics: bgp.Semantics(rapid.IntRange(0, 2).Draw(t, "semantics")), CountOnly: rapid.Bool().Draw(t, "count only")}
	if !c.Options.CountOnly {
		c.Options.Output = []string{fmt.Sprint("v", rapid.IntRange(0, n-1).Draw(t, "output"))}
	}
	c.Limit = uint64(rapid.IntRange(1, 20).Draw(t, "limit"))
	return c
}
