package watch

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// coalescing is which matches of a leaf are looked for on a side of a change: of those that automorphisms of its pattern make of each other, one
// (coalesced search, GAMMA section V-B). An automorphism keeps the set of a match's edges, so that all of them have a changed edge or none, and the
// one has an owner among the seeds as any match has: all seeds of the leaf look for the same one.
type coalescing struct {
	// less are pairs of variables, the first of which has the smaller vertex there, each how many matches one stands for.
	less [][2]string
	each int64
}

// coalescingOf is what a leaf has on the side of a task, of which one of the seeds has a plan.
func (m *matcher) coalescingOf(t *task, plan *bgp.MatchPlan) *coalescing {
	side := t.side()
	if len(side.edges) < m.tuning.leastCoalesced || plan.Empty {
		return &coalescing{each: 1}
	}
	if c := side.coalesced[t.seed.leaf]; c != nil {
		return c
	}
	order, size := match.Representatives(plan, t.seed.leaf.still(plan), &facts{side, &t.of.sides[1-t.at]})
	c := &coalescing{each: int64(size)}
	for _, pair := range order {
		c.less = append(c.less, [2]string{plan.Slots[pair[0]].Variable, plan.Slots[pair[1]].Variable})
	}
	if side.coalesced == nil {
		side.coalesced = map[*leaf]*coalescing{}
	}
	side.coalesced[t.seed.leaf] = c
	return c
}

// still are the slots of a plan that somebody reads, whose vertices matches that count as one have in common.
func (l *leaf) still(plan *bgp.MatchPlan) (slots []int) {
	for i, s := range plan.Slots {
		if slices.Contains(l.columns, s.Variable) || s.Variable == l.graph.Variable {
			slots = append(slots, i)
		}
	}
	return slots
}

// ordered is a plan whose solutions are the matches that are looked for.
func (c *coalescing) ordered(plan *bgp.MatchPlan) *bgp.MatchPlan {
	if len(c.less) == 0 {
		return plan
	}
	slot := func(v string) int {
		return slices.IndexFunc(plan.Slots, func(s bgp.Slot) bool { return s.Variable == v })
	}
	out := *plan
	for _, pair := range c.less {
		out.Order = append(out.Order, [2]int{slot(pair[0]), slot(pair[1])})
	}
	return &out
}

// facts are what is true of a label on both sides of a change. They are asked where the change is not small beside the label's edges: else finding
// them out costs more than it gains.
type facts struct{ side, other *side }

// smallShare is which part of a label's edges a small change is.
const smallShare = 64

func (f *facts) asks(l pcsr.Label) bool {
	return f.side.graph.Outline(l, pcsr.Out).Edges() <= smallShare*len(f.side.edges)
}

// Undirected implements match.Facts. The changed edges of a label lead back where those of both states do.
func (f *facts) Undirected(l pcsr.Label) bool {
	return f.asks(l) && f.side.graph.Undirected(l) && f.other.graph.Undirected(l)
}

// MayHaveLoop implements match.Facts.
func (f *facts) MayHaveLoop(l pcsr.Label) bool { return !f.asks(l) || f.side.graph.HasLoop(l) }

// inOrder keeps the rows of an input that are in a plan's order. Several goroutines do so where there are many.
func inOrder(in *match.Input, plan *bgp.MatchPlan) *match.Input {
	for _, pair := range plan.Order {
		if max(pair[0], pair[1]) < plan.Inputs {
			in = ascending(in, pair[0], pair[1])
		}
	}
	return in
}

// ascending keeps the rows of an input whose values in one column are less than in another.
func ascending(in *match.Input, less, more int) *match.Input {
	n := shares(in.N)
	bounds := func(i int) (low, high int) { return in.N * i / n, in.N * (i + 1) / n }
	starts := make([]int, n+1)
	machine.Parallel(n, func(i int) {
		low, high := bounds(i)
		kept, other := 0, in.Cols[more][low:high]
		for row, v := range in.Cols[less][low:high] {
			if v < other[row] {
				kept++
			}
		}
		starts[i+1] = kept
	})
	for i := range n {
		starts[i+1] += starts[i]
	}
	out := &match.Input{Cols: make([][]dictionary.ID, len(in.Cols)), N: starts[n]}
	for c := range out.Cols {
		out.Cols[c] = machine.Uncleared[dictionary.ID](out.N)
	}
	machine.Parallel(n, func(i int) {
		low, high := bounds(i)
		at, a, b := starts[i], in.Cols[less], in.Cols[more]
		for row := low; row < high; row++ {
			if a[row] >= b[row] {
				continue
			}
			for c, col := range in.Cols {
				out.Cols[c][at] = col[row]
			}
			at++
		}
	})
	return out
}
