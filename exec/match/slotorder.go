package match

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// keepOrder has the steps keep to the plan's order of slots: of two slots the one that is bound later is held greater or less than the other.
func (l *Lowering) keepOrder() {
	first := func(slot int) (before []int) { // slots bound before it that are smaller
		for _, pair := range l.Plan.Order {
			if pair[1] == slot && pair[0] < slot {
				before = with(before, pair[0])
			}
		}
		return before
	}
	second := func(slot int) (before []int) { // and those that are greater
		for _, pair := range l.Plan.Order {
			if pair[0] == slot && pair[1] < slot {
				before = with(before, pair[1])
			}
		}
		return before
	}
	less := func(a, b int) bool { return slices.Contains(l.Plan.Order, [2]int{a, b}) }
	for _, s := range l.Steps {
		s.Below, s.Over = first(s.Slot), second(s.Slot)
		s.Above = slices.DeleteFunc(slices.Clone(s.Below), func(slot int) bool {
			return slices.ContainsFunc(s.Below, func(other int) bool { return less(slot, other) })
		})
		s.Under = slices.DeleteFunc(slices.Clone(s.Over), func(slot int) bool {
			return slices.ContainsFunc(s.Over, func(other int) bool { return less(other, slot) })
		})
		s.Distinct = slices.DeleteFunc(slices.Clone(s.Distinct), func(o bgp.Operand) bool {
			return !o.IsConstant() && (slices.Contains(s.Below, o.Slot) || slices.Contains(s.Over, o.Slot))
		})
	}
}
