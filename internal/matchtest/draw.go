package matchtest

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

var names = []string{"a", "b", "c", "_:d", "_:e", "f"}

// Draw draws a case: up to 9 vertices, 4 labels and 84 triples, up to 6 patterns over 6 variables, with predicate
// variables, variables in several positions, self-loops, classes, constants (some not in the data), seeds, ranges,
// candidate sets and limits, under any of the semantics.
func Draw(t *rapid.T) *Case {
	c := &Case{Vertices: rapid.IntRange(3, 9).Draw(t, "vertices"), TypeLabel: -1}
	c.Labels = rapid.IntRange(1, min(4, c.Vertices)).Draw(t, "labels")
	if rapid.Bool().Draw(t, "typed") {
		c.TypeLabel = rapid.IntRange(0, c.Labels-1).Draw(t, "type")
	}
	patterns := rapid.SampledFrom([]int{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6}).Draw(t, "patterns")
	c.Edges = drawEdges(t, c, 12+72/(patterns+1))
	pool := names[:rapid.IntRange(1, len(names)).Draw(t, "variables")]
	for range patterns {
		c.Patterns = append(c.Patterns, drawPattern(t, c, pool))
	}
	drawOptions(t, c)
	c.Limit = uint64(rapid.IntRange(1, 20).Draw(t, "limit"))
	return c
}

func drawEdges(t *rapid.T, c *Case, most int) []pcsr.Edge {
	vertex := rapid.IntRange(0, c.Vertices-1)
	edges := make([]pcsr.Edge, rapid.IntRange(0, most).Draw(t, "edges"))
	for i := range edges {
		edges[i] = pcsr.Edge{
			From:  pcsr.Vertex(vertex.Draw(t, "from")),
			Label: pcsr.Label(rapid.IntRange(0, c.Labels-1).Draw(t, "label")),
			To:    pcsr.Vertex(vertex.Draw(t, "to")),
		}
	}
	return edges
}

func drawPattern(t *rapid.T, c *Case, pool []string) parser.TriplePattern {
	variable := func(role string) parser.PatternTerm {
		return parser.PatternTerm{Variable: rapid.SampledFrom(pool).Draw(t, role)}
	}
	constant := func(role string, below int) parser.PatternTerm {
		return parser.PatternTerm{Term: Term(dictionary.ID(rapid.IntRange(0, below).Draw(t, role)))}
	}
	end := func(role string) parser.PatternTerm {
		if rapid.IntRange(0, 5).Draw(t, role+" kind") == 0 {
			below := c.Vertices - 1
			if rapid.IntRange(0, 20).Draw(t, "absent") == 0 {
				below++
			}
			return constant(role, below)
		}
		return variable(role)
	}
	p := parser.TriplePattern{Subject: end("subject"), Object: end("object")}
	switch k := rapid.IntRange(0, 30).Draw(t, "predicate kind"); {
	case k < 6:
		p.Predicate = variable("predicate")
	case k == 30:
		p.Predicate = constant("predicate", c.Vertices-1)
	default:
		p.Predicate = constant("predicate", c.Labels-1)
	}
	return p
}

func drawOptions(t *rapid.T, c *Case) {
	used := usedVariables(c.Patterns)
	c.Options.Semantics = drawSemantics(t, c)
	c.Options.CountOnly = rapid.IntRange(0, 3).Draw(t, "count only") == 0
	c.Options.Distinct = rapid.IntRange(0, 3).Draw(t, "distinct") == 0
	c.Options.Thorough = rapid.Bool().Draw(t, "thorough")
	c.Options.Signatures = bgp.SignatureUse(rapid.IntRange(0, 2).Draw(t, "signatures"))
	c.Options.WeightGain = rapid.SampledFrom([]float64{math.Inf(1), 1, 0}).Draw(t, "weights")
	if rapid.IntRange(0, 3).Draw(t, "seeded") == 0 {
		drawSeeds(t, c, append(slices.Clone(used), "unrelated"))
	}
	for _, name := range append(slices.Clone(used), c.Options.Inputs...) {
		if rapid.Bool().Draw(t, "output") && !slices.Contains(c.Options.Output, name) {
			c.Options.Output = append(c.Options.Output, name)
		}
	}
	if names := append(slices.Clone(used), c.Options.Inputs...); len(names) > 0 {
		drawUnequal(t, c, names)
	}
	c.Options.Ranges = make(map[string]bgp.Range)
	c.Options.Candidates = make(map[string][]dictionary.ID)
	for _, name := range used {
		switch rapid.IntRange(0, 12).Draw(t, "filter") {
		case 0:
			low := rapid.IntRange(0, c.Vertices).Draw(t, "low")
			c.Options.Ranges[name] = bgp.Range{Low: dictionary.ID(low), High: dictionary.ID(rapid.IntRange(0, c.Vertices).Draw(t, "high"))}
		case 1:
			set := rapid.SliceOfDistinct(rapid.Uint32Range(0, uint32(c.Vertices)), rapid.ID[uint32]).Draw(t, "candidates")
			slices.Sort(set)
			c.Options.Candidates[name] = set
		}
	}
}

// drawSemantics draws any of the semantics that give the patterns a meaning.
func drawSemantics(t *rapid.T, c *Case) bgp.Semantics {
	semantics := []bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism, bgp.EdgeIsomorphism, bgp.Induced}
	if bgp.Induced.Check(c.Patterns) != nil {
		semantics = semantics[:3]
	}
	return rapid.SampledFrom(semantics).Draw(t, "semantics")
}

// drawUnequal draws inequalities of bound variables, most of the time none.
func drawUnequal(t *rapid.T, c *Case, names []string) {
	for range rapid.IntRange(0, 6).Draw(t, "inequalities") - 3 {
		d := bgp.Inequality{A: rapid.SampledFrom(names).Draw(t, "left")}
		if rapid.IntRange(0, 3).Draw(t, "with a constant") == 0 {
			d.Constant = dictionary.ID(rapid.IntRange(0, c.Vertices).Draw(t, "constant"))
		} else if d.B = rapid.SampledFrom(names).Draw(t, "right"); d.A == d.B {
			continue
		}
		c.Options.Unequal = append(c.Options.Unequal, d)
	}
}

func drawSeeds(t *rapid.T, c *Case, from []string) {
	for _, name := range from {
		if rapid.IntRange(0, 2).Draw(t, "input") == 0 {
			c.Options.Inputs = append(c.Options.Inputs, name)
		}
	}
	if len(c.Options.Inputs) == 0 {
		return
	}
	c.Seeds = &match.Input{N: rapid.IntRange(0, 5).Draw(t, "seeds")}
	for range c.Options.Inputs {
		column := make([]dictionary.ID, c.Seeds.N)
		for r := range column {
			column[r] = dictionary.ID(rapid.IntRange(0, c.Vertices).Draw(t, "seed"))
			if rapid.IntRange(0, 30).Draw(t, "unbound") == 0 {
				column[r] = dictionary.None
			}
		}
		c.Seeds.Cols = append(c.Seeds.Cols, column)
	}
}

func usedVariables(patterns []parser.TriplePattern) []string {
	var out []string
	for _, p := range patterns {
		for _, t := range []parser.PatternTerm{p.Subject, p.Predicate, p.Object} {
			if t.IsVariable() && !slices.Contains(out, t.Variable) {
				out = append(out, t.Variable)
			}
		}
	}
	return out
}
