package match_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestLowerings compares lowered plans with those in testdata/lowerings.
func TestLowerings(t *testing.T) {
	t.Parallel()
	matchtest.RunNamed(t, "testdata/lowerings", lowering)
}

func lowering(t *testing.T, d *matchtest.Named, td *datadriven.TestData) string {
	options, tuning := bgp.Options{CountOnly: td.Cmd == "count"}, match.Tuning{AnyCost: true, NoDense: true}
	plan, err := d.Plan(t, td, options, func(key string) bool {
		tuning.KeepRanges = tuning.KeepRanges || key == "keep-ranges"
		return key == "keep-ranges"
	})
	if err != nil {
		return err.Error() + "\n"
	}
	l := match.Lower(&match.Match{Graph: d.Graph, Plan: plan}, options.CountOnly, tuning)
	return l.Format(d.Name) + around(l)
}

// around prints what lies between the steps and behind them.
func around(l *match.Lowering) string {
	if l.Never {
		return ""
	}
	var b strings.Builder
	joined := len(l.Steps) - l.Lengths()
	needed := slices.Clone(l.Plan.Output)
	for _, s := range l.Steps[joined:] {
		needed = append(needed, s.Reads...)
	}
	slices.Sort(needed)
	fmt.Fprintf(&b, "tables")
	for _, live := range match.Live(l.Steps[:joined], slices.Compact(needed)) {
		fmt.Fprintf(&b, " [%s]", names(l, live))
	}
	fmt.Fprintf(&b, "\ncounted as %s\n", groups(l, l.Groups(l.Steps)))
	for k, sharing := range l.Sharing(match.Tuning{}, func(int, int) bool { return true }) {
		if sharing != nil {
			fmt.Fprintf(&b, "?%s among the siblings of ?%s, %d lists of its own\n",
				l.Plan.Slots[l.Steps[k].Slot].Variable, l.Plan.Slots[l.Steps[sharing.From].Slot].Variable, sharing.OwnLists)
		}
	}
	return b.String()
}

func names(l *match.Lowering, slots []int) string {
	var out []string
	for _, slot := range slots {
		out = append(out, "?"+l.Plan.Slots[slot].Variable)
	}
	return strings.Join(out, " ")
}

// groups prints products as juxtaposition, the first step of a group before what depends on it.
func groups(l *match.Lowering, all []*match.Group) string {
	var out []string
	for _, g := range all {
		name := "branch"
		if g.Step != nil {
			name = "?" + l.Plan.Slots[g.Step.Slot].Variable
		}
		if len(g.Children) > 0 {
			name += "(" + groups(l, g.Children) + ")"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}
