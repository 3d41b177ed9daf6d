package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// partial is an intersection of lists that stays while later slots change.
type partial struct {
	mark
	valid bool
}

// findOnBase finds the lists by way of the intersection of those lists that have not changed. It does nothing where
// all have.
func (w *worker) findOnBase(s *step, c *scratch, changed int) bool {
	same := 0 // levels that read unchanged slots only
	for same < len(s.levels) && s.levels[same] < s.deps[changed] {
		same++
	}
	c.partials = extend(c.partials, len(s.levels))
	for i := same; i < len(s.levels); i++ {
		c.partials[i].valid = false
	}
	if same == 0 || same == len(s.levels) {
		return false
	}
	c.base = same - 1
	b := &c.partials[c.base]
	if !b.valid {
		w.intersectBase(s, c, c.base)
	}
	c.lists, c.lookup, c.based = c.lists[:0], c.lookup[:0], true
	if len(b.list) == 0 {
		c.none()
		return true
	}
	c.lists = append(c.lists, b.list)
	w.addDynamic(s, c, same, len(s.levels))
	return true
}

// intersectBase computes the partial of a level, from that of an earlier one if there is one.
func (w *worker) intersectBase(s *step, c *scratch, level int) {
	b := &c.partials[level]
	if level == s.sharedLevel && w.takeSiblings(s, b) {
		b.valid = true
		return
	}
	from := level - 1
	for from >= 0 && !c.partials[from].valid {
		from--
	}
	c.lists, c.lookup = c.lists[:0], c.lookup[:0]
	c.based, c.base = from >= 0, from
	if c.based {
		c.lists = append(c.lists, c.partials[from].list)
	}
	var source []pcsr.Vertex
	if w.addDynamic(s, c, from+1, level+1); !c.hasSet {
		if !c.based {
			w.addFixed(s, c)
		}
		if !c.hasSet {
			c.floor, c.ceiling = w.boundsOf(s, level)
			source = w.narrow(s, c, c.source())
			c.floor, c.ceiling = 0, 0
		}
	}
	b.renew(source)
	b.valid, c.base, c.hasSet, c.hasNumber = true, level, false, false
}

// boundsOf are the floor and the ceiling of what does not depend on slots behind a level's.
func (w *worker) boundsOf(s *step, level int) (floor, ceiling dictionary.ID) {
	known := func(slot int) bool { return slot <= s.levels[level] && slices.Contains(s.deps, slot) }
	for _, slot := range s.Below {
		if known(slot) {
			floor = max(floor, w.values[slot]+1)
		}
	}
	for _, slot := range s.Over {
		if known(slot) {
			floor, ceiling = below(floor, ceiling, w.values[slot])
		}
	}
	return floor, ceiling
}

// takeSiblings makes a partial of the candidates that the step of the siblings has just found, if it has.
func (w *worker) takeSiblings(s *step, b *partial) bool {
	c := &w.scratch[s.siblings.Index]
	if !c.valid || !c.hasSet || w.firstChange(s.siblings, c) < len(s.siblings.deps) {
		return false
	}
	b.renew(c.set)
	return true
}
