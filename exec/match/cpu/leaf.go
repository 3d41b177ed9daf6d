package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// countUnbound counts the candidates before Distinct, with or without listing them.
func (w *worker) countUnbound(s *step, c *scratch) uint64 {
	if len(c.lists) > 2 || len(c.lookup) > 0 || s.tests() && !c.based {
		return uint64(len(w.set(s)))
	}
	return w.countLists(s, c)
}

// countLeaf counts the candidates of a step that nothing depends on.
func (w *worker) countLeaf(s *step) uint64 {
	if s.plain {
		w.work++
		return uint64(len(s.dynamic[0].partition.Neighbours(w.values[s.dynamic[0].from.Slot])))
	}
	c := &w.scratch[s.Index]
	same := w.prepare(s, c)
	if len(c.lists) == 0 {
		return 0
	}
	if len(s.Plan.EdgeDistinct) > 0 {
		return uint64(len(w.distinctSet(s)))
	}
	if len(c.lists) > 2 || len(c.lookup)+len(s.Plan.Checks) > 0 || s.tests() && !c.based ||
		same && (len(s.Distinct) > 0 || s.IsOrdered() && !s.cuts) {
		return w.countFound(s, c)
	}
	if s.IsOrdered() && !s.cuts {
		c.floor, c.ceiling = w.bounds(s)
		n := w.countLists(s, c) - w.countBound(s, c)
		c.floor, c.ceiling = 0, 0
		return n
	}
	if !c.hasNumber {
		c.number, c.hasNumber = w.countLists(s, c), true
	}
	return c.number - w.countBound(s, c)
}

// countFound counts the candidates of the set, without the bound ones.
func (w *worker) countFound(s *step, c *scratch) uint64 {
	set := w.set(s)
	n := uint64(len(set))
	for i, o := range s.Distinct {
		if !w.saidBefore(s, i) && pcsr.Contains(set, w.value(o)) {
			n--
		}
	}
	return n
}

// saidBefore reports whether the value of operand i of the step's Distinct is that of one before it.
func (w *worker) saidBefore(s *step, i int) bool {
	if !s.Plan.Overlaps {
		return false
	}
	v := w.value(s.Distinct[i])
	return slices.ContainsFunc(s.Distinct[:i], func(o bgp.Operand) bool { return w.value(o) == v })
}

// countLists returns the size of the intersection of at most two lists.
func (w *worker) countLists(s *step, c *scratch) uint64 {
	source := c.source()
	if len(c.lists) == 1 {
		return uint64(len(source))
	}
	other := c.lists[1]
	if b := w.bits(s, c, source, other); b != nil {
		return uint64(b.count(source))
	}
	other = c.cut(other)
	if b := w.sourceBits(s, c, c.lists[0], other); b != nil {
		w.work += len(other)
		return uint64(b.count(other))
	}
	w.work += len(source)
	return w.countCommon(source, other)
}

// sourceBits returns the shorter list as a bitmap where reading the longer one against it is the cheaper way.
func (w *worker) sourceBits(s *step, c *scratch, source, other []pcsr.Vertex) *bitmap {
	if len(s.dynamic) < 2 || len(other) > longerScan*len(source) {
		return nil
	}
	if c.based {
		if b := &c.partials[c.base]; &b.list[0] == &source[0] && len(b.list) == len(source) {
			return b.often(w.tuning)
		}
		return nil
	}
	if len(source) < w.tuning.shortMark || s.Low != 0 || s.High != dictionary.None {
		return nil
	}
	return w.marked(c, source)
}

// longerScan is how many members of a list are tested in a bitmap in the time of one search by galloping.
const longerScan = 8

// countBound returns how many of the values that Distinct names are in all lists of the step.
func (w *worker) countBound(s *step, c *scratch) (n uint64) {
	floor, ceiling := w.bounds(s)
next:
	for i, o := range s.Distinct {
		v := w.value(o)
		if v < floor || ceiling > 0 && v >= ceiling || w.saidBefore(s, i) {
			continue
		}
		for _, list := range c.lists {
			if !pcsr.Contains(list, v) {
				continue next
			}
		}
		n++
	}
	return n
}
