package cpu

import (
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// fewSolutions is up to how many solutions of a group are few: where no more are asked for (EXISTS, DISTINCT, ASK, a small LIMIT), the first candidates may do.
const fewSolutions = 64

// comesInBlocks reports whether the step's candidates lie in a list that is stored, and can be narrowed down part by part.
func (s *step) comesInBlocks() bool {
	if s.plain || s.IsOrdered() && !s.cuts {
		return false
	}
	return len(s.static) > 0 || slices.ContainsFunc(s.dynamic, func(d dynamicList) bool { return d.kind != bgp.Rows })
}

// countFirst counts the solutions of a group for the partial match in w.values, up to w.most, where these are few and its candidates lie in a long list: members are narrowed
// down in blocks, each longer than the one before, until there are enough. Not so where the candidates were asked for before: then they are kept.
func (w *worker) countFirst(g *group) (total uint64, ok bool) {
	if w.most > fewSolutions || !g.blocks {
		return 0, false
	}
	c := &w.scratch[g.step.Index]
	if w.prepare(g.step, c) || c.hasSet || len(c.lists) == 0 {
		return 0, false
	}
	return w.countSome(g, c.source())
}

// countSome counts the solutions of some of a group's candidates, up to w.most, where these lie in a long list that was counted as read.
func (w *worker) countSome(g *group, source []pcsr.Vertex) (total uint64, ok bool) {
	if w.most > fewSolutions || len(source) <= 2*w.tuning.firstBlock {
		return 0, false
	}
	w.scratch[g.step.Index].candidates -= uint64(len(source))
	w.work -= len(source)
	return w.countMembers(g, source, nil), true
}

// nextBlock is how many times as long each block is as the one before.
const nextBlock = 8

// countMembers is countFirst for some members of the first of the step's lists, of which it may give some to idle threads. over says that there are enough, nil where nobody
// else has members of the same list yet.
func (w *worker) countMembers(g *group, members []pcsr.Vertex, over *atomic.Bool) (total uint64) {
	s, l := g.step, &w.sets[g.Number]
	c := &w.scratch[s.Index]
	*l = setLoop{set: members, end: len(members), most: w.most, over: over, forks: l.forks[:0]}
	floor, ceiling := c.floor, c.ceiling
	for size := w.tuning.firstBlock; l.next < l.end && total < w.most && !w.run.stop.Load() && (l.over == nil || !l.over.Load()); size = min(nextBlock*size, longList) {
		block := members[l.next:min(l.next+size, l.end)]
		l.next += len(block)
		c.candidates += uint64(len(block))
		w.work += len(block)
		set := block
		if !s.plain {
			c.floor, c.ceiling = block[0], block[len(block)-1]+1
			set = w.filter(s, c, block)
		}
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
	l.next = l.end
	if l.over != nil && total >= w.most {
		l.over.Store(true)
	}
	if len(l.forks) > 0 {
		total = add(total, w.collect(l))
	}
	l.most, l.over = 0, nil
	return total
}

// countMembersOf is countMembers of what another worker gave away.
func (w *worker) countMembersOf(f *fork) (total uint64) {
	s, most := f.group.step, w.most
	c := &w.scratch[s.Index]
	w.most = f.most
	defer func() { w.most = most }()
	if s.plain {
		return w.countMembers(f.group, f.set, f.over)
	}
	candidates, work := c.candidates, w.work
	w.prepare(s, c)
	c.candidates, w.work = candidates, work
	if len(c.lists) > 0 {
		if !within(f.set, c.lists[0]) { // the owner has read another list
			c.lists = append(c.lists, c.lists[0])
		}
		total = w.countMembers(f.group, f.set, f.over)
	}
	c.valid, c.hasSet, c.hasNumber = false, false, false
	return total
}

// within reports whether a part is of a list itself, not only of one with the same members.
func within(part, list []pcsr.Vertex) bool {
	i := pcsr.Gallop(list, part[0])
	return i < len(list) && &list[i] == &part[0]
}
