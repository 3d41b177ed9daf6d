package bgp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestPlans compares plans with those in testdata/plans (-rewrite writes them anew). Graphs and patterns are given as
// matchtest.ReadNamed reads them.
func TestPlans(t *testing.T) {
	t.Parallel()
	var d *matchtest.Named
	datadriven.RunTest(t, "testdata/plans", func(t *testing.T, td *datadriven.TestData) string {
		if td.Cmd == "graph" {
			var err error
			if d, err = matchtest.ReadNamed(td.Input); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%d triples\n", d.Graph.Edges())
		}
		return plan(t, d, td)
	})
}

func plan(t *testing.T, d *matchtest.Named, td *datadriven.TestData) string {
	options := bgp.Options{}
	for _, arg := range td.CmdArgs {
		switch arg.Key {
		case "isomorphism":
			options.Semantics = bgp.Isomorphism
		case "edge-isomorphism":
			options.Semantics = bgp.EdgeIsomorphism
		case "count":
			options.CountOnly = true
		case "weights":
			options.WeightGain = math.Inf(1)
		case "distinct":
			options.Distinct = true
		case "signatures":
			options.Signatures = bgp.AlwaysSignatures
		case "inputs":
			options.Inputs = arg.Vals
		case "unequal":
			options.Unequal = append(options.Unequal, bgp.Inequality{A: arg.Vals[0], B: arg.Vals[1]})
		case "output":
			options.Output = arg.Vals
		default:
			t.Fatalf("%s: what is %s?", td.Pos, arg.Key)
		}
	}
	plan, err := bgp.Plan(context.Background(), matchtest.NamedPatterns(td.Input), d.Graph, d.Lookup, options)
	if err != nil {
		return err.Error() + "\n"
	}
	return plan.Format(d.Name)
}
