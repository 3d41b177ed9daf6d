package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Pairs of different members of two lists are as many as all pairs less the members that the lists have in common.

// findUnequal reports whether the group's candidates and those of its only child are such pairs.
func (g *group) findUnequal() bool {
	if len(g.children) != 1 || len(g.step.Distinct)+len(g.step.Plan.EdgeDistinct) > 0 {
		return false
	}
	leaf := g.children[0]
	if leaf.step == nil || len(leaf.children) > 0 || !leaf.step.isStretch() || leaf.step.dynamic[0].from.Slot == g.step.Slot {
		return false
	}
	return slices.Equal(leaf.step.Distinct, []bgp.Operand{bgp.Bound(g.step.Slot)})
}

// stretch is the candidates of a step that are a stretch of a list, before Distinct.
func (w *worker) stretch(s *step) []pcsr.Vertex {
	list := s.dynamic[0].partition.Neighbours(w.values[s.dynamic[0].from.Slot])
	w.work += memoWork
	return pcsr.Between(list, s.Low, bound(s.High))
}

// countUnequal counts the pairs of a member of a sorted list and a different candidate of a leaf.
func (w *worker) countUnequal(leaf *group, set []pcsr.Vertex) uint64 {
	other := w.stretch(leaf.step)
	common, ok := w.countShort(set, other)
	if !ok {
		w.work += min(len(set)+len(other), bgp.SearchPrice*min(len(set), len(other)))
		common = w.countCommon(set, other)
	}
	return uint64(len(set))*uint64(len(other)) - common
}

// countDifferent is countUnequal for members in any order, which may repeat.
func (w *worker) countDifferent(leaf *group, members []pcsr.Vertex) uint64 {
	other, common := w.stretch(leaf.step), 0
	for _, v := range members {
		if pcsr.Contains(other, v) {
			common++
		}
	}
	return uint64(len(members))*uint64(len(other)) - uint64(common)
}
