package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// fewSolutions is up to how many solutions of a group are few: where no more are asked for (EXISTS, DISTINCT, ASK, a small LIMIT), the first candidates may do.
const fewSolutions = 64

// countFirst counts the solutions of a group for the partial match in w.values, up to w.most, where these are few and its candidates lie in a long list: members are narrowed
// down in blocks, each longer than the one before, until there are enough. Not so where the candidates were asked for before: then they are kept.
func (w *worker) countFirst(g *group) (total uint64, ok bool) {
	s := g.step
	if w.most > fewSolutions || !g.blocks {
		return 0, false
	}
	c := &w.scratch[s.Index]
	if w.prepare(s, c) || c.hasSet || len(c.lists) == 0 {
		return 0, false
	}
	left := c.source()
	if len(left) <= 2*w.tuning.firstBlock {
		return 0, false
	}
	floor, ceiling := c.floor, c.ceiling
	for size := w.tuning.firstBlock; len(left) > 0 && total < w.most && !w.run.stop.Load(); size *= nextBlock {
		n := min(size, longList, len(left))
		block := left[:n]
		left = left[n:]
		c.floor, c.ceiling = block[0], block[n-1]+1
		set := w.filter(s, c, block)
		c.rowsOut += uint64(len(set))
		for _, v := range set {
			if total = add(total, w.countMember(g, v)); total >= w.most {
				break
			}
		}
		if w.work >= w.shareAt {
			w.share()
		}
	}
	c.floor, c.ceiling = floor, ceiling
	c.candidates -= uint64(len(left))
	w.work -= len(left)
	return total, true
}

// nextBlock is how many times as long each block is as the one before.
const nextBlock = 8

// comesInBlocks reports whether the step's candidates lie in a list that is stored, and can be narrowed down part by part.
func (s *step) comesInBlocks() bool {
	if s.plain || s.IsOrdered() && !s.cuts {
		return false
	}
	return len(s.static) > 0 || slices.ContainsFunc(s.dynamic, func(d dynamicList) bool { return d.kind != bgp.Rows })
}
