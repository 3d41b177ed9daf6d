package cpu

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestRowsAreImpliedByWhatHasNumbersThere alone: by lists, by sums over them, not by what an OPTIONAL makes of them, nor by those of another label or direction.
func TestRowsAreImpliedByWhatHasNumbersThere(t *testing.T) {
	g, err := pcsr.Build(4, 2, []pcsr.Edge{{From: 0, To: 1}, {From: 2, To: 1}, {From: 0, Label: 1, To: 3}})
	if err != nil {
		t.Fatal(err)
	}
	p := g.Partition(0, pcsr.Out)
	lists := &weights{lists: p.Checked(), times: 1}
	for name, c := range map[string]struct {
		all  []*weights
		want bool
	}{
		"nothing":           {nil, false},
		"a number":          {[]*weights{{times: 3}}, false},
		"its lists":         {[]*weights{lists}, true},
		"sums over them":    {[]*weights{{times: 2}, {table: &numberTable{}, within: p}}, true},
		"sums over others":  {[]*weights{{table: &numberTable{}, within: g.Partition(1, pcsr.Out)}}, false},
		"the other end's":   {[]*weights{{lists: g.Partition(0, pcsr.In), times: 1}}, false},
		"OPTIONAL lists":    {[]*weights{{branch: &match.Group{Branch: &bgp.Branch{Weight: bgp.AtLeastOne}}, of: []*weights{lists}}}, false},
		"a table of others": {[]*weights{{table: &numberTable{}}}, false},
	} {
		if got := implied(p, c.all); got != c.want {
			t.Errorf("%s: implied %v", name, got)
		}
	}
}
