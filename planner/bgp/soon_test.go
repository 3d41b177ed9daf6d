package bgp_test

import (
	"context"
	"math"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestSomeRowsComeSoon: of what 5,000 subjects have, most edges are of other subjects. All of it is told predicate by predicate; of ten rows, the first subjects have all.
func TestSomeRowsComeSoon(t *testing.T) {
	t.Parallel()
	const members, others, first = 5000, 40_000, 10
	c := &matchtest.Case{Vertices: first + members + others, Labels: 4, TypeLabel: -1}
	edge := func(from, label, to int) {
		c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(from), Label: pcsr.Vertex(label), To: pcsr.Vertex(to)})
	}
	for i := range members {
		edge(first+i, 0, first-1)
		edge(first+i, 3, first+(i+1)%members)
	}
	for i := range others {
		edge(first+members+i, 1, first+i%members)
		edge(first+members+i, 2, first+members+(i*7)%others)
	}
	variable := func(name string) parser.PatternTerm { return parser.PatternTerm{Variable: name} }
	class := parser.TriplePattern{Subject: variable("s"), Predicate: matchtest.PatternTerm(0), Object: matchtest.PatternTerm(first - 1)}
	c.Patterns = []parser.TriplePattern{{Subject: variable("s"), Predicate: variable("p"), Object: variable("o")}, class}
	graph, err := c.Graph()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		first *bgp.First
	}{
		{"all", nil}, {"ten", &bgp.First{Rows: 10, Gain: 0.5}}, {"as many as there are", &bgp.First{Rows: 10 * members, Gain: 0.5}}, {"never", &bgp.First{Rows: 10}},
		{"always", &bgp.First{Rows: 10 * members, Gain: math.Inf(1)}},
	} {
		plan, err := bgp.Plan(context.Background(), c.Patterns, graph, c.Lookup, bgp.Options{Output: []string{"s", "p", "o"}, First: test.first})
		if err != nil {
			t.Fatal(err)
		}
		if name := plan.Slots[0].Variable; (name == "s") != (test.name == "ten") && test.name != "always" {
			t.Errorf("%s: the plan begins with ?%s", test.name, name)
		}
		if until := plan.UntilFirst(plan.Cost); until > plan.Cost/10 != (test.name != "ten") {
			t.Errorf("%s: it costs %g until the rows are there, and %g as a whole", test.name, until, plan.Cost)
		}
		n, err := cpu.New().Count(context.Background(), &match.Match{Graph: graph, Plan: plan})
		if err != nil || n != 2*members {
			t.Errorf("%s: %d rows (%v), want %d", test.name, n, err, 2*members)
		}
	}
}
