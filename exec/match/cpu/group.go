package cpu

import (
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
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
	// unequal: all that hangs on the step is a leaf whose candidates are a stretch of a list that does not depend on it, but for the
	// member that the step binds.
	unequal bool
	// flat: what hangs on a candidate of the step, or of a branch on it, is counted without going through candidates in turn.
	flat bool
	// hops: what hangs on several candidates of the step is counted together.
	hops bool
	// weights are the group's numbers where they have been made for all vertices.
	weights *weights
	keys    []int
}

// groups splits the join's steps from one on into groups.
func (p *join) groups(from int) []*group {
	return p.adoptGroups(p.Groups(p.lowered(p.steps[from:])))
}

func (p *join) adoptGroups(groups []*match.Group) []*group {
	all, out := make([]group, len(groups)), make([]*group, len(groups))
	for i, from := range groups {
		g := &all[i]
		*g = group{Group: from, children: p.adoptGroups(from.Children)}
		out[i] = g
		if from.Branch != nil {
			g.remembers = len(g.Reads) <= memoKeys && slices.ContainsFunc(g.children, func(c *group) bool { return !c.quick() })
			continue
		}
		g.step = p.step(from.Step)
		g.flat = !slices.ContainsFunc(g.children, (*group).goesDeeper)
		g.hops, g.unequal = g.findHop(), g.findUnequal()
		g.raw = len(g.children) == 0 && g.step.rawMemo()
		g.pair = len(g.children) == 0 && g.step.isPair()
		g.keys, g.apart = g.findApart()
		g.remembers = !g.raw && !g.apart && len(g.Reads) <= memoKeys && (len(g.children) > 0 || len(g.step.dynamic) > 1)
	}
	return out
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

// memoKeys is the most slots a memo is kept for.
const memoKeys = 4

// memoWork is what finding a count costs, in list members read.
const memoWork = 4

type memoKey [memoKeys]uint32

type memoEntry struct {
	key   memoKey
	run   uint64 // that the entry was written in
	count uint64
}

// memo remembers counts by the values that they depend on, a newer one in place of an older one at the same place.
type memo struct {
	calls, hits uint64
	entries     []memoEntry
	off         bool
}

// remembering is how many of some groups, and of those in them, have a memo.
func remembering(groups []*group) (n int) {
	for _, g := range groups {
		if g.remembers || g.raw || g.apart {
			n++
		}
		n += remembering(g.children)
	}
	return n
}

// recall returns the place of a group's memo for what these slots are bound to, the key that stands there or is to, and whether it stands there: then the
// place has the number. There is no place while remembering is not worth it.
func (w *worker) recall(g *group, slots []int) (e *memoEntry, key memoKey, known bool) {
	m, t, bits := &w.memos[g.Number], w.tuning, w.run.memoBits
	m.calls++
	if m.off || m.calls < t.memoFrom {
		return nil, key, false
	}
	if len(m.entries) != 1<<bits {
		m.entries = make([]memoEntry, 1<<bits)
	}
	if m.calls == t.memoTrial && m.hits*t.memoShare < m.calls {
		m.off, m.entries = true, nil
		return nil, key, false
	}
	for i, slot := range slots {
		key[i] = w.values[slot]
	}
	h := uint64(key[0])*0x9E3779B97F4A7C15 ^ uint64(key[1])*0xC2B2AE3D27D4EB4F ^ uint64(key[2])*0x165667B19E3779F9 ^ uint64(key[3])*0xD6E8FEB86659FD93
	e = &m.entries[h>>(64-bits)]
	if e.run != w.number || e.key != key {
		return e, key, false
	}
	m.hits++
	w.work += memoWork
	return e, key, true
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

// isPair reports whether the candidates are what two lists of neighbours by constant labels have in common, or what the first has alone.
func (s *step) isPair() bool {
	if len(s.dynamic) == 0 || len(s.dynamic)+len(s.apart) != 2 || s.tests() || s.Low != 0 || s.High != dictionary.None {
		return false
	}
	if a, b := s.pair(); a.partition == nil || b.partition == nil {
		return false
	}
	return !s.IsOrdered() && len(s.static)+len(s.checks)+len(s.Distinct)+len(s.Plan.EdgeDistinct) == 0
}

// pair is the two lists of a step that has two.
func (s *step) pair() (a, b *dynamicList) {
	if len(s.apart) > 0 {
		return &s.dynamic[0], &s.apart[0]
	}
	return &s.dynamic[0], &s.dynamic[1]
}

// shortPair is the longest list, and longPair the longest of the other, that are merged for each partial match without being looked up in
// what is remembered; of a list of fewPair members each is searched in the other.
const shortPair, longPair, fewPair = 8, 64, 4

// countPair counts what two short lists have in common, or the first has alone; false where they are long.
func (w *worker) countPair(s *step) (n uint64, ok bool) {
	x, y := s.pair()
	a := x.partition.Neighbours(w.values[x.from.Slot])
	if len(a) == 0 {
		return 0, true
	}
	if n, ok = w.countShort(a, y.partition.Neighbours(w.value(y.from))); len(s.apart) > 0 { // what is apart may be a constant's
		n = uint64(len(a)) - n
	}
	return n, ok
}

// countShort counts what two short lists have in common; false where they are long.
func (w *worker) countShort(a, b []pcsr.Vertex) (n uint64, ok bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(b) <= longPair && len(a) <= shortPair:
		w.work += len(a) + len(b)
		return countMerged(a, b), true
	case len(a) <= fewPair:
		w.work += bgp.SearchPrice * len(a)
		for _, v := range a {
			if pcsr.Contains(b, v) {
				n++
			}
		}
		return n, true
	}
	return 0, false
}

// countMerged counts the common members of two lists.
func countMerged(a, b []pcsr.Vertex) (n uint64) {
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x < y:
			a = a[1:]
		case x > y:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
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

// countUnbound counts the candidates before Distinct, with or without listing them.
func (w *worker) countUnbound(s *step, c *scratch) uint64 {
	if len(c.lists) > 2 || len(c.lookup) > 0 || s.tests() && !c.based {
		return uint64(len(w.set(s)))
	}
	return w.countLists(s, c)
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
		} else if !pcsr.Contains(w.list(d), v) {
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
	if len(g.children) == 0 {
		return w.countLeaf(s)
	}
	set := w.members(s)
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
	if s.plain {
		return w.candidates(s)
	}
	return w.set(s)
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
			return b.often(w.tuning.oftenMark)
		}
		return nil
	}
	if len(source) < w.tuning.shortMark || s.Low != 0 || s.High != dictionary.None {
		return nil
	}
	return c.marked(source, w.tuning.oftenMark)
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
