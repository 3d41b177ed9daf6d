package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// A group hops where what hangs on its step's candidates is one list each, of whose members alone the rest depends: a list of candidates is
// as good as another, so those of some members are read together, in one go, and counted one after the other. Between them nothing has to be
// looked up or remembered by the member that they come from.

// hopMembers is how many members hop together at the most, hopRoom how many members their lists may have together.
const hopMembers, hopRoom = 32, 256

// findHop reports whether the group hops.
func (g *group) findHop() bool {
	if len(g.children) != 1 || len(g.step.Distinct)+len(g.step.Plan.EdgeDistinct) > 0 {
		return false
	}
	on := g.children[0]
	if !on.isInner() || !on.flat || len(on.step.Distinct) > 0 || !on.step.isStretch() || on.step.dynamic[0].from.Slot != g.step.Slot {
		return false
	}
	if slices.ContainsFunc(on.children, func(c *group) bool { return slices.Contains(c.Reads, g.step.Slot) }) {
		return false
	}
	// Where the step reads what the rest does not, the same member comes again with the same count, which is remembered.
	return !slices.ContainsFunc(g.step.Reads, func(slot int) bool { return !slices.Contains(on.Reads, slot) })
}

// isStretch reports whether the step's candidates are what lies between its bounds of one list, that of a slot's vertex by a constant label,
// before Distinct.
func (s *step) isStretch() bool {
	return len(s.dynamic) == 1 && s.dynamic[0].partition != nil && !s.dynamic[0].from.IsConstant() && !s.tests() &&
		!s.IsOrdered() && len(s.static)+len(s.Plan.Checks)+len(s.Plan.EdgeDistinct) == 0
}

// piece is how many members of the group's set are counted between two looks for an idle thread.
func (g *group) piece() int {
	if g.hops {
		return hopMembers
	}
	return 1
}

// countPiece counts what hangs on some candidates of a group's step, at most as many as a piece has.
func (w *worker) countPiece(g *group, set []pcsr.Vertex) (total uint64) {
	if !g.hops || w.most < hopRoom || g.children[0].weights != nil {
		for i := 0; i < len(set) && total < w.most; i++ {
			total = add(total, w.countMember(g, set[i]))
		}
		return total
	}
	for len(set) > 0 && total < w.most && !w.run.stop.Load() {
		n, taken := w.countHop(g.children[0], set)
		if taken == 0 { // a long list
			n, taken = w.countMember(g, set[0]), 1
		}
		total, set = add(total, n), set[taken:]
	}
	return total
}

// countHop counts what hangs on the lists of some members together, and tells of how many: those whose lists have room.
func (w *worker) countHop(on *group, set []pcsr.Vertex) (total uint64, taken int) {
	s, c := on.step, &w.scratch[on.step.Index]
	c.buf, taken = s.dynamic[0].partition.AppendNeighbours(c.buf[:0], set, s.Low, bound(s.High), hopRoom)
	n := len(c.buf)
	c.rowsIn, c.candidates, c.rowsOut = c.rowsIn+uint64(taken), c.candidates+uint64(n), c.rowsOut+uint64(n)
	w.work += n + 2*taken
	if on.unequal {
		return w.countDifferent(on.children[0], c.buf), taken
	}
	for _, v := range c.buf {
		w.values[s.Slot] = v
		total = add(total, w.countAll(on.children))
	}
	return total, taken
}
