package planner

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestHelpersAreThoseOfTheMatchThatRunsFirst: below what has one input, of the dearest of the matches that are counted; of none that may not run, or that ends early.
func TestHelpersAreThoseOfTheMatchThatRunsFirst(t *testing.T) {
	t.Parallel()
	match := func(cost float64) *Match { return &Match{Plan: &bgp.MatchPlan{Cost: cost}} }
	over := func(n Node) *Filter {
		f := &Filter{}
		f.Input = n
		return f
	}
	limited := over(match(1e6))
	limited.Limit = 10
	for name, of := range map[string]struct {
		root Node
		want int
	}{
		"a match":                 {match(1e6), 100},
		"a cheap one":             {match(bgp.ManyThreadCosts*bgp.ThreadCost - 1), 0},
		"rows of one":             {over(over(match(1e6))), 100},
		"the first rows of one":   {limited, 0},
		"a count of several":      {over(&Count{Terms: []CountTerm{{1, match(1e6)}, {-1, match(3e6)}, {1, match(1)}}}), 300},
		"a union, of either half": {&Union{Branches: []Node{match(1e6), match(1e6)}}, 0},
		"what has no match":       {&Unit{}, 0},
	} {
		if got := (&Plan{Root: of.root}).Helpers(); got != of.want {
			t.Errorf("%s: %d helpers, want %d", name, got, of.want)
		}
	}
}
