package match

import (
	"math/bits"
	"slices"
)

// OriginSlot stands behind the plan's slots for the number of the input row that a partial match comes from. Matchers
// number what else they hand on in tables from there.
func (l *Lowering) OriginSlot() int { return len(l.Plan.Slots) }

// Live returns the slots that tables between steps must hold: before steps[0], between each and the next, and behind the
// last. needed are those that somebody reads behind the last step; each set is ascending.
func Live(steps []*Step, needed []int) [][]int {
	live := make([][]int, len(steps)+1)
	set := slices.Clone(needed)
	slices.Sort(set)
	live[len(steps)] = set
	for k := len(steps) - 1; k >= 0; k-- {
		set = slices.DeleteFunc(slices.Clone(set), func(slot int) bool { return slot == steps[k].Slot })
		for _, slot := range steps[k].Reads {
			set = with(set, slot)
		}
		slices.Sort(set)
		live[k] = set
	}
	return live
}

// with returns a set and one more member.
func with(set []int, x int) []int {
	if slices.Contains(set, x) {
		return set
	}
	return append(set, x)
}

// union returns a set and the members of another.
func union(set, more []int) []int {
	for _, x := range more {
		set = with(set, x)
	}
	return set
}

// slotSet is a set of slots as bits, for plans of many steps.
type slotSet []uint64

func (s *slotSet) add(slot int) {
	for len(*s) <= slot/64 {
		*s = append(*s, 0)
	}
	(*s)[slot/64] |= 1 << (slot % 64)
}

func (s slotSet) has(slot int) bool { return slot/64 < len(s) && s[slot/64]>>(slot%64)&1 != 0 }

func (s slotSet) remove(slot int) {
	if slot/64 < len(s) {
		s[slot/64] &^= 1 << (slot % 64)
	}
}

func (s *slotSet) addAll(more slotSet) {
	for len(*s) < len(more) {
		*s = append(*s, 0)
	}
	for i, word := range more {
		(*s)[i] |= word
	}
}

// members are the slots, ascending.
func (s slotSet) members() (slots []int) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			slots = append(slots, 64*i+bits.TrailingZeros64(word))
		}
	}
	return slots
}
