package cpu

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// step is a lowered step with its lists sorted by what they depend on.
type step struct {
	*match.Step
	// dynamic lists depend on a partial match; static lists and the rows of partitions do not. Both begin with the
	// shortest.
	dynamic []dynamicList
	static  []*staticList
	rows    []*pcsr.Partition
	// apart lists hold what candidates must not be, checks are the plan's but for those that these stand for.
	apart  []dynamicList
	checks []bgp.EdgeCheck
	// signatures is nil where the plan tests none.
	signatures *pcsr.SignatureTable
	// deps are the slots that the candidates depend on, before Distinct and EdgeDistinct, ascending.
	deps []int
	// cuts: the slots of Above and Under are among deps, so that lists are cut to what is greater, and less, before they are read; elsewhere
	// the candidates are, when they are found.
	cuts bool
	// levels are the slots that dynamic lists read last, ascending; nil where keeping the intersection of the lists of
	// earlier slots cannot pay.
	levels []int
	// siblings is the step whose candidates are the intersection of the lists up to sharedLevel; nil where there is none.
	siblings    *step
	sharedLevel int
	// stretch: the candidates are what lies between bounds of one dynamic list and nothing else is asked; plain: they are all of it.
	stretch, plain bool
	// brief: the candidates are what cut lists have in common.
	brief bool
}

// dynamicList is a link that reads a slot.
type dynamicList struct {
	kind        bgp.LinkKind
	partition   *pcsr.Partition // Neighbours of a constant label
	from, label bgp.Operand
	dir         pcsr.Direction
	level       int // index of the slot read last in the step's levels
	// cut is the place among the join's cuts, counted from 1, of what the step reads of the list, and first the first vertex that has one; 0 for none.
	cut   int
	first pcsr.Vertex
}

// last returns the slot that the list reads last.
func (d *dynamicList) last() int { return max(d.from.Slot, d.label.Slot) }

// prepare takes over a lowered step.
func (s *step) prepare(g *pcsr.Graph, from *match.Step) {
	*s = step{Step: from, sharedLevel: noLevel}
	for i := range from.Lists {
		s.addList(g, &from.Lists[i])
	}
	for _, c := range from.Plan.Checks {
		s.addCheck(g, c)
	}
	s.checkBefore(s.dynamic)
	s.checkBefore(s.apart)
	slices.SortFunc(s.static, func(a, b *staticList) int { return cmp.Compare(len(a.list), len(b.list)) })
	slices.SortFunc(s.rows, func(a, b *pcsr.Partition) int { return cmp.Compare(a.Rows(), b.Rows()) })
	if !from.Plan.Signature.IsZero() {
		s.signatures = g.Signatures()
	}
	s.findDeps()
	s.findLevels()
	s.stretch = s.isStretch() && s.dynamic[0].kind == bgp.Neighbours && len(s.Distinct) == 0
	s.plain = s.stretch && s.Low == 0 && s.High == dictionary.None
}

// checkBefore checks the partitions of lists of which much is expected to be read.
func (s *step) checkBefore(lists []dynamicList) {
	for i := range lists {
		if l := &lists[i]; l.partition != nil && readShare*s.Plan.EstimatedCandidates >= float64(l.partition.Edges()) {
			l.partition = l.partition.Checked()
		}
	}
}

// readShare is how many times as many members of lists as a step is expected to read a partition may have that is checked beforehand. A
// checksum is that of some 4,000 members, so that as many readings meet most of the checksums of a partition, wherever they read.
const readShare = 128

// tests reports whether candidates are tested one by one, the same way for every partial match: by rows, by signature.
func (s *step) tests() bool { return len(s.rows) > 0 || s.signatures != nil }

func (s *step) addList(g *pcsr.Graph, l *match.List) {
	switch l.Kind {
	case match.Rows:
		s.rows = append(s.rows, l.Partition)
	case match.Fixed, match.Set:
		s.static = append(s.static, &staticList{list: l.Members})
	default:
		s.dynamic = append(s.dynamic, dynamic(g, &l.Link))
	}
}

// addCheck adds a check: an edge of the candidate that must not be there stands for the list of the vertices that have one.
func (s *step) addCheck(g *pcsr.Graph, c bgp.EdgeCheck) {
	own := bgp.Bound(s.Slot)
	if !c.Absent || !c.Label.IsConstant() || (c.From == own) == (c.To == own) {
		s.checks = append(s.checks, c)
		return
	}
	link := bgp.Link{Kind: bgp.Neighbours, From: c.From, Label: c.Label, Dir: pcsr.Out}
	if c.From == own {
		link.From, link.Dir = c.To, pcsr.In
	}
	s.apart = append(s.apart, dynamic(g, &link))
}

func dynamic(g *pcsr.Graph, l *bgp.Link) dynamicList {
	d := dynamicList{kind: l.Kind, from: l.From, label: l.Label, dir: l.Dir}
	switch {
	case l.Kind == bgp.Rows:
		d.from = bgp.Const(0)
	case l.Kind == bgp.EdgeLabels:
		d.label = bgp.Const(0)
	case l.Label.IsConstant():
		d.partition = g.Partition(l.Label.Constant, l.Dir)
	}
	return d
}

// findDeps collects the slots that the candidates depend on.
func (s *step) findDeps() {
	conditions := bgp.Step{Links: s.Plan.Links, Checks: s.Plan.Checks}
	conditions.EachSlot(func(slot int) {
		if slot != s.Slot && !slices.Contains(s.deps, slot) {
			s.deps = append(s.deps, slot)
		}
	})
	slices.Sort(s.deps)
	late := func(slot int) bool { return !slices.Contains(s.deps, slot) }
	s.cuts = s.IsOrdered() && !slices.ContainsFunc(s.Above, late) && !slices.ContainsFunc(s.Under, late)
}

func (s *step) findLevels() {
	if len(s.Lists) < 3 {
		return
	}
	for i := range s.dynamic {
		if last := s.dynamic[i].last(); !slices.Contains(s.levels, last) {
			s.levels = append(s.levels, last)
		}
	}
	slices.Sort(s.levels)
	for i := range s.dynamic {
		s.dynamic[i].level = slices.Index(s.levels, s.dynamic[i].last())
	}
	if len(s.levels) < 2 {
		s.levels = nil
	}
}

// noLevel is the shared level of a step without siblings.
const noLevel = -1

// shareWith finds the level up to which the step's lists are those of an earlier step that covers it.
func (s *step) shareWith(earlier *step, own int) {
	if s.levels == nil || s.Low != earlier.Low || s.High != earlier.High || earlier.IsOrdered() && !earlier.cuts {
		return
	}
	shared := noLevel
	for i := range earlier.dynamic {
		if at := slices.Index(s.levels, earlier.dynamic[i].last()); at > shared {
			shared = at
		}
	}
	beyond := 0
	for i := range s.dynamic {
		if s.dynamic[i].level > shared {
			beyond++
		}
	}
	if beyond == own {
		s.siblings, s.sharedLevel = earlier, shared
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
	if s.Low > 0 || s.High != dictionary.None {
		parts = append(parts, "range")
	}
	if s.signatures != nil {
		parts = append(parts, "signature")
	}
	add(len(s.apart), "without")
	add(len(s.checks), "checks")
	add(len(s.Above)+len(s.Under), "order")
	add(s.sharedLevel+1, "siblings")
	return strings.Join(parts, ", ")
}
