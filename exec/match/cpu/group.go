package cpu

import (
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// group is a match.Group with what is kept of it.
type group struct {
	*match.Group
	// step is nil where the group is a branch.
	step     *step
	children []*group
	// remembers: the group is worth a memo. Of a leaf that Distinct makes depend on further slots, the number of
	// candidates before Distinct is remembered (raw).
	remembers, raw bool
	// apart: the number of an inner group before Distinct is remembered, by keys, the slots that it depends on.
	apart bool
	// pair: a leaf's candidates are what two dynamic lists have in common, or what one has and the other has not, and nothing else is asked.
	pair bool
	// brief: a leaf's candidates are what cut lists have in common, and EdgeDistinct asks nothing.
	brief bool
	// unequal: all that hangs on the step is a leaf whose candidates are a stretch of a list that does not depend on it, but for the
	// member that the step binds.
	unequal bool
	// flat: what hangs on a candidate of the step, or of a branch on it, is counted without going through candidates in turn.
	flat bool
	// hops: what hangs on several candidates of the step is counted together.
	hops bool
	// blocks: the first of the step's candidates can be found without the others.
	blocks bool
	// byRows: countsRows.
	byRows bool
	// weights are the group's numbers where they have been made for all vertices.
	weights *weights
	keys    []int
}

// groups splits the join's steps from one on into groups, but for those whose slots are emitted as lists.
func (p *join) groups(from int) []*group {
	outside := make([]int, 0, len(p.steps))
	for _, s := range p.steps[:from] {
		outside = append(outside, s.Slot)
	}
	rest := p.steps[from:]
	if len(p.lists) > 0 {
		rest = slices.DeleteFunc(slices.Clone(rest), func(s *step) bool { return slices.Contains(p.lists, s) })
	}
	return p.adoptGroups(p.Groups(p.lowered(rest)), outside)
}

// adoptGroups takes over groups that are counted once for each partial match of the slots outside.
func (p *join) adoptGroups(groups []*match.Group, outside []int) []*group {
	all, out := make([]group, len(groups)), make([]*group, len(groups))
	for i, from := range groups {
		g := &all[i]
		inside := outside
		if from.Step != nil {
			inside = append(outside[:len(outside):len(outside)], from.Step.Slot)
		}
		*g = group{Group: from, children: p.adoptGroups(from.Children, inside)}
		out[i] = g
		if from.Branch != nil {
			g.remembers = slices.ContainsFunc(g.children, func(c *group) bool { return !c.quick() }) && len(g.Reads) <= memoKeys && p.repeats(g.Reads, outside)
			continue
		}
		g.step = p.step(from.Step)
		g.flat = !slices.ContainsFunc(g.children, (*group).goesDeeper)
		g.hops, g.unequal = g.findHop(), g.findUnequal()
		g.byRows, g.blocks = g.countsRows(), g.step.comesInBlocks()
		g.raw = len(g.children) == 0 && g.step.rawMemo() && p.repeats(g.step.deps, outside)
		g.pair = len(g.children) == 0 && g.step.isPair()
		g.brief = len(g.children) == 0 && g.step.brief && len(g.step.Plan.EdgeDistinct) == 0
		g.keys, g.apart = g.findApart()
		g.apart = g.apart && p.repeats(g.keys, outside)
		g.remembers = !g.raw && !g.apart && (len(g.children) > 0 || len(g.step.dynamic) > 1) && len(g.Reads) <= memoKeys && p.repeats(g.Reads, outside)
	}
	return out
}

// repeats reports whether some slots may have the same values in several partial matches of the slots outside: there are others among these, which they do not
// determine. What is given to the plan may repeat as a whole.
func (p *join) repeats(slots, outside []int) bool {
	if p.input != nil || len(outside) > mostDetermined {
		return true
	}
	known := slices.Clone(slots)
	left := slices.DeleteFunc(slices.Clone(outside), func(slot int) bool { return slices.Contains(known, slot) })
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(slot int) bool { return p.determined(slot, known, outside) })
		if i < 0 {
			return true
		}
		known, left = append(known, left[i]), slices.Delete(left, i, i+1)
	}
	return false
}

// mostDetermined is for how many slots it is found out whether some of them determine the others.
const mostDetermined = 16

// determined reports whether a slot has one value for each of others that are known, by lists of one member that bound slots are joined by.
func (p *join) determined(slot int, known, bound []int) bool {
	own := p.stepOf(slot)
	if own != nil && slices.ContainsFunc(own.dynamic, func(d dynamicList) bool {
		return d.joins() && slices.Contains(known, d.from.Slot) && d.partition.Single()
	}) {
		return true
	}
	return slices.ContainsFunc(known, func(of int) bool {
		s := p.stepOf(of)
		return s != nil && slices.Contains(bound, of) && slices.ContainsFunc(s.dynamic, func(d dynamicList) bool {
			return d.joins() && d.from.Slot == slot && p.Graph.Partition(d.label.Constant, d.dir.Reverse()).Single()
		})
	})
}

// stepOf is the step that binds a slot; nil of one that is given.
func (p *join) stepOf(slot int) *step {
	if slot < p.Plan.Inputs {
		return nil
	}
	return p.all[slot-p.Plan.Inputs]
}

// joins reports whether a list leads from one slot to another along edges of a constant label.
func (d *dynamicList) joins() bool {
	return d.kind == bgp.Neighbours && d.partition != nil && d.from.Slot >= 0
}

// quick reports whether the group is counted by looking up one list.
func (g *group) quick() bool { return g.step != nil && len(g.children) == 0 && len(g.step.Lists) == 1 }

// isInner reports whether something hangs on the candidates of the group's step.
func (g *group) isInner() bool { return g.step != nil && len(g.children) > 0 }

// goesDeeper reports whether the group is inner, or a branch with inner groups or branches.
func (g *group) goesDeeper() bool {
	return g.isInner() || g.step == nil && slices.ContainsFunc(g.children, func(c *group) bool { return c.step == nil || c.isInner() })
}

// index is the place in the plan of the first step of the group; noStep where there is none.
func (g *group) index() int {
	if g.step != nil {
		return g.step.Index
	}
	if len(g.children) > 0 {
		return g.children[0].index()
	}
	return noStep
}

// countGroup returns the number of solutions of a group for the partial match in w.values, or at least w.most when
// there are as many.
func (w *worker) countGroup(g *group) uint64 {
	if g.weights != nil {
		return w.readWeight(g)
	}
	if g.pair {
		if n, ok := w.countPair(g.step); ok {
			return n
		}
	}
	if g.brief {
		if n, ok := w.countBrief(g.step); ok {
			return n
		}
	}
	if g.raw {
		return w.countRaw(g)
	}
	if !g.remembers {
		if g.apart && w.most == ^uint64(0) {
			return w.countApart(g)
		}
		return w.countCandidates(g)
	}
	e, key, known := w.recall(g, g.Reads)
	if known {
		return e.count
	}
	n := w.countCandidates(g)
	if e == nil {
		return n
	}
	*e = memoEntry{key: key, run: w.number, count: n}
	return n
}

// readWeight is the number of a group that has weights.
func (w *worker) readWeight(g *group) uint64 {
	w.work += memoWork
	if len(g.Reads) == 0 {
		return g.weights.at(0)
	}
	return g.weights.at(w.values[g.Reads[0]])
}

// rawMemo reports whether the number of a leaf's candidates before Distinct is worth a memo.
func (s *step) rawMemo() bool {
	return len(s.Distinct) > 0 && len(s.Plan.EdgeDistinct)+len(s.Plan.Checks) == 0 && (s.cuts || !s.IsOrdered()) &&
		len(s.dynamic) > 1 && len(s.deps) <= memoKeys && len(s.deps) < len(s.Reads)
}

// countRaw counts a leaf's candidates by a memo of their number before Distinct.
func (w *worker) countRaw(g *group) uint64 {
	s := g.step
	e, key, known := w.recall(g, s.deps)
	if e == nil {
		return w.countLeaf(s)
	}
	if !known {
		c := &w.scratch[s.Index]
		w.prepare(s, c)
		n := uint64(0)
		if len(c.lists) > 0 {
			n = w.countUnbound(s, c)
		}
		*e = memoEntry{key: key, run: w.number, count: n}
	}
	if e.count == 0 {
		return 0
	}
	n := e.count
	for i, o := range s.Distinct {
		if !w.saidBefore(s, i) && w.admits(s, w.value(o)) {
			n--
		}
	}
	return n
}

// admits reports whether v is a candidate of the step for the partial match in w.values, but for checks.
func (w *worker) admits(s *step, v pcsr.Vertex) bool {
	if floor, ceiling := w.bounds(s); v < s.Low || v >= s.High || v < floor || ceiling > 0 && v >= ceiling {
		return false
	}
	for i := range s.dynamic {
		d := &s.dynamic[i]
		if d.kind == bgp.Rows {
			if !w.graph.Partition(w.value(d.label), d.dir).Has(v) {
				return false
			}
		} else if !pcsr.Contains(w.list(s, d), v) {
			return false
		}
	}
	for _, l := range s.static {
		if !pcsr.Contains(l.list, v) {
			return false
		}
	}
	for _, p := range s.rows {
		if !p.Has(v) {
			return false
		}
	}
	return s.signatures == nil || s.signatures.Match(v, s.Plan.Signature)
}

func (w *worker) countCandidates(g *group) uint64 {
	if g.Branch != nil {
		return w.weighBranch(g)
	}
	s := g.step
	if n, ok := w.countFirst(g); ok {
		return n
	}
	if len(g.children) == 0 {
		return w.countLeaf(s)
	}
	if g.byRows {
		if n, ok := w.countRows(s); ok {
			return n
		}
	}
	set := w.members(s)
	if s.plain {
		if n, ok := w.countSome(g, set); ok {
			return n
		}
	}
	w.scratch[s.Index].rowsOut += uint64(len(set))
	if g.unequal {
		return w.countUnequal(g.children[0], set)
	}
	if !g.flat && !w.alone && len(set) > 1 || g.hops {
		return w.countSet(g, set)
	}
	// Hardly anything could be given away here, until it takes long.
	distinct := len(s.Distinct)+len(s.Plan.EdgeDistinct) > 0
	total := uint64(0)
	for i, v := range set {
		if w.run.stop.Load() || total >= w.most {
			break
		}
		if distinct && !w.differs(s, v) {
			continue
		}
		w.values[s.Slot] = v
		total = add(total, w.countAll(g.children))
		if w.work >= w.shareAt && i+1 < len(set) {
			return add(total, w.countSet(g, set[i+1:]))
		}
	}
	return total
}

// countMember counts what hangs on one candidate of a group's step, with the partial match in w.values.
func (w *worker) countMember(g *group, v pcsr.Vertex) uint64 {
	s := g.step
	if len(s.Distinct)+len(s.Plan.EdgeDistinct) > 0 && !w.differs(s, v) {
		return 0
	}
	w.values[s.Slot] = v
	return w.countAll(g.children)
}

// countSet adds up what hangs on some candidates of a group's step.
func (w *worker) countSet(g *group, set []pcsr.Vertex) (total uint64) {
	l := &w.sets[g.Number]
	l.set, l.end, l.whole = set, len(set), w.most == ^uint64(0)
	piece := g.piece()
	for i := 0; i < l.end && total < w.most && !w.run.stop.Load(); i = l.next {
		if l.next = min(i+piece, l.end); w.work >= w.shareAt {
			w.share()
		}
		total = add(total, w.countPiece(g, set[i:l.next]))
	}
	if l.next = l.end; len(l.forks) > 0 {
		total = add(total, w.collect(l))
	}
	return total
}

// members are the step's candidates before Distinct, found without being kept where they are one list.
func (w *worker) members(s *step) []pcsr.Vertex {
	if !s.plain {
		return w.set(s)
	}
	list := s.dynamic[0].partition.Neighbours(w.values[s.dynamic[0].from.Slot])
	c := &w.scratch[s.Index]
	c.rowsIn++
	c.candidates += uint64(len(list))
	w.work += len(list) + 2
	return list
}

// weighBranch is what a branch makes of the number of its solutions for the partial match in w.values.
func (w *worker) weighBranch(g *group) uint64 {
	n := uint64(0)
	if !g.Never && w.passes(g.Test) {
		most := w.most
		if g.Branch.Weight != bgp.AtLeastOne {
			w.most = 1
		}
		n = w.countAll(g.children)
		w.most = most
	}
	switch g.Branch.Weight {
	case bgp.Some:
		return min(n, 1)
	case bgp.None:
		return 1 - min(n, 1)
	}
	return max(n, 1)
}

// countAll multiplies the counts of independent groups.
func (w *worker) countAll(groups []*group) uint64 {
	product := uint64(1)
	for _, g := range groups {
		n := w.countGroup(g)
		if n == 0 {
			return 0
		}
		product = multiply(product, n)
	}
	return product
}

// tooMany stands for all numbers of more than 64 bits: add and multiply stay there.
const tooMany = ^uint64(0)

func add(a, b uint64) uint64 {
	if s, carry := bits.Add64(a, b, 0); carry == 0 {
		return s
	}
	return tooMany
}

func multiply(a, b uint64) uint64 {
	if high, low := bits.Mul64(a, b); high == 0 {
		return low
	}
	return tooMany
}
