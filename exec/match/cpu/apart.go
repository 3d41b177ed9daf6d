package cpu

import "slices"

// What hangs on a step's candidates often does not depend on the vertices that isomorphism wants them to differ from. Then the sum over all candidates is the
// same for all of these, and those that are candidates themselves are taken away one by one.

// findApart reports whether that saves something, and the slots that the sum over all candidates depends on.
func (g *group) findApart() (keys []int, apart bool) {
	s := g.step
	if len(g.children) == 0 || !g.flat || g.hops || len(s.Distinct) == 0 || len(s.Plan.EdgeDistinct)+len(s.Plan.Checks) > 0 || s.IsOrdered() {
		return nil, false
	}
	keys = slices.Clone(s.deps)
	for _, c := range g.children {
		for _, slot := range c.Reads {
			if slot != s.Slot && !slices.Contains(keys, slot) {
				keys = append(keys, slot)
			}
		}
	}
	return keys, len(keys) <= memoKeys && len(keys) < len(g.Reads)
}

// countApart counts a group by a memo of the sum over all candidates.
func (w *worker) countApart(g *group) uint64 {
	s := g.step
	e, key, known := w.recall(g, g.keys)
	if e == nil {
		return w.countCandidates(g)
	}
	if !known {
		*e = memoEntry{key: key, run: w.number, count: w.sumAll(g)}
	}
	n := e.count
	if n == tooMany {
		return w.countCandidates(g)
	}
	for i, o := range s.Distinct {
		if n > 0 && !w.saidBefore(s, i) && w.admits(s, w.value(o)) {
			w.values[s.Slot] = w.value(o)
			n -= min(n, w.countAll(g.children)) // a sum that was stopped is less than it should be
		}
	}
	return n
}

// sumAll adds up what hangs on all candidates of a group's step, those too that Distinct rules out.
func (w *worker) sumAll(g *group) (total uint64) {
	set := w.members(g.step)
	w.scratch[g.step.Index].rowsOut += uint64(len(set))
	for _, v := range set {
		if w.run.stop.Load() {
			break
		}
		w.values[g.step.Slot] = v
		total = add(total, w.countAll(g.children))
	}
	return total
}
