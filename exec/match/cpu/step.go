package cpu

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// step is a plan's step made ready for a graph.
type step struct {
	plan  *bgp.Step
	index int // in the plan
	slot  int
	// Low ≤ candidate < high, ranges of IDs that lists stand for included.
	low, high dictionary.ID
	// dynamic lists depend on a partial match; static lists and the rows of partitions do not.
	dynamic []dynamicList
	static  []*staticList
	rows    []*pcsr.Partition
	// signatures is nil where the plan tests none.
	signatures *pcsr.SignatureTable
	// deps are the slots that the candidates depend on, before Distinct and EdgeDistinct, ascending.
	deps []int
	// levels are the slots that dynamic lists read last, ascending; nil where keeping the intersection of the lists of
	// earlier slots cannot pay.
	levels []int
	// reads are all slots that the step reads.
	reads []int
	// plain: the candidates are one dynamic list and nothing else is asked.
	plain bool
	never bool
}

// dynamicList is a link that reads a slot.
type dynamicList struct {
	kind        bgp.LinkKind
	partition   *pcsr.Partition // Neighbours of a constant label
	from, label bgp.Operand
	dir         pcsr.Direction
	level       int // index of the slot read last in the step's levels
}

// last returns the slot that the list reads last.
func (d *dynamicList) last() int { return max(d.from.Slot, d.label.Slot) }

// compile makes plan step number index ready; it binds the given slot.
func (s *step) compile(g *pcsr.Graph, plan *bgp.Step, index, slot int) {
	*s = step{plan: plan, index: index, slot: slot, low: plan.Low, high: plan.High}
	if s.high == 0 {
		s.high = dictionary.None
	}
	for i := range plan.Links {
		s.addLink(g, &plan.Links[i])
	}
	for _, c := range plan.Classes {
		s.addStatic(g.Members(c))
	}
	if plan.Candidates != nil {
		s.addStatic(plan.Candidates)
	}
	if !plan.Signature.IsZero() {
		s.signatures = g.Signatures()
	}
	s.foldRanges()
	s.findReads()
	s.plain = len(s.dynamic) == 1 && s.dynamic[0].kind == bgp.Neighbours && s.dynamic[0].partition != nil && !s.tests() &&
		len(s.static)+len(plan.Checks)+len(plan.Distinct)+len(plan.EdgeDistinct) == 0 &&
		s.low == 0 && s.high == dictionary.None
	s.never = s.never || s.low >= s.high
}

// tests reports whether candidates are tested one by one, the same way for every partial match: by rows, by signature.
func (s *step) tests() bool { return len(s.rows) > 0 || s.signatures != nil }

func (s *step) addLink(g *pcsr.Graph, l *bgp.Link) {
	switch l.Kind {
	case bgp.Neighbours:
		switch {
		case !l.Label.IsConstant():
			s.dynamic = append(s.dynamic, dynamicList{kind: l.Kind, from: l.From, label: l.Label, dir: l.Dir})
		case l.From.IsConstant():
			s.addStatic(g.Neighbours(l.From.Constant, l.Label.Constant, l.Dir))
		default:
			s.dynamic = append(s.dynamic, dynamicList{kind: l.Kind, partition: g.Partition(l.Label.Constant, l.Dir), from: l.From, label: l.Label})
		}
	case bgp.Rows:
		if l.Label.IsConstant() {
			s.addRows(g.Partition(l.Label.Constant, l.Dir))
		} else {
			s.dynamic = append(s.dynamic, dynamicList{kind: l.Kind, from: bgp.Const(0), label: l.Label, dir: l.Dir})
		}
	case bgp.EdgeLabels:
		if l.From.IsConstant() {
			s.addStatic(g.EdgeLabels(l.From.Constant, l.Dir))
		} else {
			s.dynamic = append(s.dynamic, dynamicList{kind: l.Kind, from: l.From, label: bgp.Const(0), dir: l.Dir})
		}
	case bgp.AllEdgeLabels:
		s.addStatic(g.UsedLabels())
	case bgp.AllVertices:
		s.addRows(g.Incident(l.Dir))
	}
}

func (s *step) addStatic(list []pcsr.Vertex) {
	if len(list) == 0 {
		s.never = true
		return
	}
	for _, other := range s.static {
		if len(other.list) == len(list) && &other.list[0] == &list[0] {
			return
		}
	}
	s.static = append(s.static, &staticList{list: list})
}

func (s *step) addRows(p *pcsr.Partition) {
	if p.Rows() == 0 {
		s.never = true
		return
	}
	if !slices.Contains(s.rows, p) {
		s.rows = append(s.rows, p)
	}
}

// foldRanges turns lists without gaps into bounds, while another list remains to be read.
func (s *step) foldRanges() {
	if s.never {
		return
	}
	slices.SortFunc(s.static, func(a, b *staticList) int { return cmp.Compare(len(a.list), len(b.list)) })
	slices.SortFunc(s.rows, func(a, b *pcsr.Partition) int { return cmp.Compare(a.Rows(), b.Rows()) })
	for i := len(s.rows) - 1; i >= 0 && len(s.dynamic)+len(s.static)+len(s.rows) > 1; i-- {
		p := s.rows[i]
		if s.foldRange(p.Vertex(0), p.Vertex(p.Rows()-1), p.Rows()) {
			s.rows = slices.Delete(s.rows, i, i+1)
		}
	}
	for i := len(s.static) - 1; i >= 0 && len(s.dynamic)+len(s.static)+len(s.rows) > 1; i-- {
		list := s.static[i].list
		if s.foldRange(list[0], list[len(list)-1], len(list)) {
			s.static = slices.Delete(s.static, i, i+1)
		}
	}
}

func (s *step) foldRange(first, last pcsr.Vertex, n int) bool {
	if int(last)-int(first)+1 != n || last == math.MaxUint32 {
		return false
	}
	s.low, s.high = max(s.low, first), min(s.high, last+1)
	return true
}

// findReads collects the slots that the step reads.
func (s *step) findReads() {
	links := bgp.Step{Links: s.plan.Links, Checks: s.plan.Checks}
	add := func(set *[]int) func(int) {
		return func(slot int) {
			if slot != s.slot && !slices.Contains(*set, slot) {
				*set = append(*set, slot)
			}
		}
	}
	links.EachSlot(add(&s.deps))
	s.plan.EachSlot(add(&s.reads))
	slices.Sort(s.deps)
	s.findLevels()
}

func (s *step) findLevels() {
	if len(s.dynamic)+len(s.static)+len(s.rows) < 3 {
		return
	}
	for i := range s.dynamic {
		s.levels = union(s.levels, []int{s.dynamic[i].last()})
	}
	slices.Sort(s.levels)
	for i := range s.dynamic {
		s.dynamic[i].level = slices.Index(s.levels, s.dynamic[i].last())
	}
	if len(s.levels) < 2 {
		s.levels = nil
	}
}

// variant names how the step finds its candidates.
func (s *step) variant() string {
	var parts []string
	add := func(n int, name string) {
		if n > 0 {
			parts = append(parts, name)
		}
	}
	add(len(s.dynamic), "lists")
	add(len(s.static), "fixed lists")
	add(len(s.rows), "rows")
	if s.low > 0 || s.high != dictionary.None {
		parts = append(parts, "range")
	}
	if s.signatures != nil {
		parts = append(parts, "signature")
	}
	add(len(s.plan.Checks), "checks")
	return strings.Join(parts, ", ")
}
