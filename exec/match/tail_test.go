package match

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// plainParts finds parts by joining, for each step, the parts that it reads of.
func plainParts(steps []*Step) [][]*Step {
	var out [][]*Step
	for _, s := range steps {
		joined, rest := []*Step{}, [][]*Step{}
		for _, part := range out {
			if slices.ContainsFunc(part, func(p *Step) bool { return slices.Contains(s.Reads, p.Slot) }) {
				joined = append(joined, part...)
			} else {
				rest = append(rest, part)
			}
		}
		joined = append(joined, s)
		slices.SortFunc(joined, func(a, b *Step) int { return a.Index - b.Index })
		out = append(rest, joined)
	}
	return out
}

// plainGroups splits each part again without its first step.
func plainGroups(steps []*Step, n *int) (out []*Group) {
	for _, part := range plainParts(steps) {
		g := &Group{Step: part[0], Number: *n}
		*n++
		g.Children = plainGroups(part[1:], n)
		for _, s := range part {
			g.Reads = append(g.Reads, s.Reads...)
		}
		slices.Sort(g.Reads)
		g.Reads = slices.DeleteFunc(slices.Compact(g.Reads), func(slot int) bool {
			return slices.ContainsFunc(part, func(s *Step) bool { return s.Slot == slot })
		})
		out = append(out, g)
	}
	return out
}

func equalGroups(a, b []*Group) bool {
	return slices.EqualFunc(a, b, func(a, b *Group) bool {
		return a.Step == b.Step && a.Number == b.Number && slices.Equal(a.Reads, b.Reads) && equalGroups(a.Children, b.Children)
	})
}

// plain is a lowering without branches.
var plain = &Lowering{Plan: new(bgp.MatchPlan)}

func TestGroupsAndParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "steps")
		slots := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, 70, 130}).Draw(t, "slots")
		steps := make([]*Step, n)
		for i := range steps {
			steps[i] = &Step{Index: i, Slot: slots[i], Plan: new(bgp.Step)}
			for range rapid.IntRange(0, 3).Draw(t, "reads") {
				if of := rapid.IntRange(0, i+2).Draw(t, "of"); of != i && of < len(slots) && (of < i || of >= n) {
					steps[i].Reads = with(steps[i].Reads, slots[of])
				}
			}
		}
		if !slices.EqualFunc(Parts(steps), plainParts(steps), slices.Equal[[]*Step]) {
			t.Error("other parts")
		}
		n = 0
		if !equalGroups(plain.Groups(steps), plainGroups(steps, &n)) {
			t.Error("other groups")
		}
	})
}

// TestGroupsOfWidePlans: a chain and a star of 1,000 steps, which took seconds.
func TestGroupsOfWidePlans(t *testing.T) {
	t.Parallel()
	chain, star := make([]*Step, 1000), make([]*Step, 1000)
	for i := range chain {
		chain[i], star[i] = &Step{Index: i, Slot: i, Plan: new(bgp.Step)}, &Step{Index: i, Slot: i, Plan: new(bgp.Step)}
		if i > 0 {
			chain[i].Reads, star[i].Reads = []int{i - 1}, []int{0, i - 1}
		}
	}
	start := time.Now()
	for _, steps := range [][]*Step{chain, star} {
		if len(plain.Groups(steps)) != 1 || len(Parts(steps)) != 1 {
			t.Error("they hang together")
		}
	}
	if spent := time.Since(start); spent > 2*time.Second {
		t.Errorf("it took %s", spent)
	}
}
