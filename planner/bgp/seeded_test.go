package bgp_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

func beside(l pcsr.Label) pcsr.Label { return 1<<30 | l }

// edges draws some edges of a plan that have constant labels and a variable, to be relabelled.
func edges(t *rapid.T, c *matchtest.Case, plan *bgp.MatchPlan) map[bgp.EdgeCheck]pcsr.Label {
	of := func(term parser.PatternTerm) bgp.Operand {
		if term.IsVariable() {
			return bgp.Bound(slices.IndexFunc(plan.Slots, func(s bgp.Slot) bool { return s.Variable == term.Variable }))
		}
		id, _ := c.Lookup(term.Term)
		return bgp.Const(id)
	}
	list := map[bgp.EdgeCheck]pcsr.Label{}
	for _, p := range c.Patterns {
		e := bgp.EdgeCheck{From: of(p.Subject), Label: of(p.Predicate), To: of(p.Object)}
		if (!e.From.IsConstant() || !e.To.IsConstant()) && int(e.Label.Constant) != c.TypeLabel && rapid.Bool().Draw(t, "relabelled") {
			list[e] = beside(e.Label.Constant)
		}
	}
	return list
}

// TestRelabelledPlans: where the other labels have the same edges, a relabelled plan finds the same.
func TestRelabelledPlans(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]func(*rapid.T) *matchtest.Case{matchtest.Draw, matchtest.DrawSymmetric}).Draw(t, "case")(t)
		g, err := c.Graph()
		if err != nil {
			t.Fatal(err)
		}
		plan, err := c.Plan(g)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Empty || slices.ContainsFunc(c.Patterns, func(p parser.TriplePattern) bool { return p.Predicate.IsVariable() }) {
			t.Skip("nothing to be relabelled")
		}
		before := plan.Format(func(id dictionary.ID) string { return matchtest.Term(id).Value })
		relabelled, ok := plan.Relabel(edges(t, c, plan))
		if !ok {
			t.Fatalf("the plan lacks an edge:\n%s%v", before, c)
		}
		if err := matchtest.CheckPlan(cpu.New(), c, g.Beside(g, g.UsedLabels(), beside), relabelled); err != nil {
			t.Fatal(err)
		}
		if after := plan.Format(func(id dictionary.ID) string { return matchtest.Term(id).Value }); after != before {
			t.Fatalf("the plan itself was changed:\n%s\nwas\n%s", after, before)
		}
	})
}
