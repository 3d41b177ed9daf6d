package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
)

// tableSlots are the slots that the tables of a join keep, and what decides which: they are found once for it, and shared then.
type tableSlots struct {
	// prefix is how many steps are enumerated; those after it are counted by the groups of the tail.
	prefix int
	// output are the columns of the batches; origin says that they come with the seed's row.
	output []int
	origin bool
	// tailReads are the slots that the tail reads.
	tailReads []int
	// carry lists, for each level 0 … prefix, the slots below that level which its tables keep.
	carry [][]int
	// keeps tells, for each level 1 … prefix, whether its tables keep the slot that the step before it bound.
	keeps []bool
	// emitted are the table columns that rows are emitted from.
	emitted []int
}

// serve reports whether they are those of another join of the same program too.
func (s *tableSlots) serve(other *tableSlots) bool {
	return s.prefix == other.prefix && s.origin == other.origin && slices.Equal(s.output, other.output) && slices.Equal(s.tailReads, other.tailReads)
}

// findSlots finds what the tables of each level keep.
func (p *join) findSlots() {
	p.emitted = union(nil, slices.DeleteFunc(slices.Clone(p.output), p.isListed))
	if p.origin {
		p.emitted = append(p.emitted, p.OriginSlot())
	}
	p.carry = match.Live(p.lowered(p.steps[:p.prefix]), union(slices.Clone(p.emitted), p.tailReads))
	p.keeps = make([]bool, p.prefix+1)
	for level := 1; level <= p.prefix; level++ {
		slot := p.steps[level-1].Slot
		if i := slices.Index(p.carry[level], slot); i >= 0 {
			p.keeps[level], p.carry[level] = true, slices.Delete(p.carry[level], i, i+1)
		}
	}
}
