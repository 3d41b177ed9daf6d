package matchtest

import (
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// DrawInduced draws a case that is matched induced. The vertices are in groups of consecutive ones, and the edges of a label lead from one group
// to one: so most vertices of a pattern are different because they are of different groups, and what is left to be tested, or to be subtracted
// when solutions are counted, is edges that must not be there, also next to constants.
func DrawInduced(t *rapid.T) *Case {
	c := &Case{Vertices: rapid.IntRange(4, 12).Draw(t, "vertices"), TypeLabel: -1}
	c.Labels = rapid.IntRange(1, 4).Draw(t, "labels")
	if rapid.IntRange(0, 3).Draw(t, "typed") == 0 {
		c.TypeLabel = rapid.IntRange(0, c.Labels-1).Draw(t, "type")
	}
	groups := rapid.IntRange(1, 4).Draw(t, "groups")
	member := func(group int, role string) pcsr.Vertex {
		return pcsr.Vertex(rapid.IntRange(group*c.Vertices/groups, (group+1)*c.Vertices/groups-1).Draw(t, role))
	}
	for l := range c.Labels {
		from, to := rapid.IntRange(0, groups-1).Draw(t, "from group"), rapid.IntRange(0, groups-1).Draw(t, "to group")
		for range rapid.IntRange(0, 16).Draw(t, "edges") {
			c.Edges = append(c.Edges, pcsr.Edge{From: member(from, "from"), Label: pcsr.Label(l), To: member(to, "to")})
		}
	}
	pool := names[:rapid.IntRange(1, len(names)).Draw(t, "variables")]
	for range rapid.IntRange(1, 4).Draw(t, "patterns") {
		p := drawPattern(t, c, pool)
		if p.Predicate.IsVariable() {
			p.Predicate = parser.PatternTerm{Term: Term(uint32(rapid.IntRange(0, c.Labels-1).Draw(t, "label")))}
		}
		c.Patterns = append(c.Patterns, p)
	}
	drawOptions(t, c)
	c.Options.Semantics = bgp.Induced
	c.Limit = uint64(rapid.IntRange(1, 20).Draw(t, "limit"))
	return c
}
