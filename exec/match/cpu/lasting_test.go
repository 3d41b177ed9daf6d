package cpu_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestLastingPlans: a plan that was made to last finds the same as brute force in a graph that it was not made over, which has more edges.
func TestLastingPlans(t *testing.T) {
	m := cpu.New()
	rapid.Check(t, func(r *rapid.T) {
		c := matchtest.Draw(r)
		if slices.ContainsFunc(c.Patterns, func(p parser.TriplePattern) bool {
			return !p.Subject.IsVariable() && !p.Predicate.IsVariable() && !p.Object.IsVariable()
		}) {
			return // these are the caller's business
		}
		if c.Options.Lasting = true; c.Options.Semantics == bgp.Induced {
			return // no plan lasts
		}
		early := *c
		early.Edges = c.Edges[:rapid.IntRange(0, len(c.Edges)).Draw(r, "edges")]
		before, err := early.Graph()
		if err != nil {
			r.Fatal(err)
		}
		plan, err := early.Plan(before)
		if err != nil {
			r.Fatal(err)
		}
		after, err := c.Graph()
		if err != nil {
			r.Fatal(err)
		}
		if err := matchtest.CheckPlan(m, c, after, plan); err != nil {
			r.Fatal(err)
		}
	})
}
