package match

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// ListKind says what a List depends on.
type ListKind uint8

const (
	// Dynamic lists read a slot.
	Dynamic ListKind = iota
	// Fixed lists lie in the graph and are the same for every partial match: N(constant, constant), a class, all labels.
	Fixed
	// Rows are the row vertices of a partition, the same for every partial match.
	Rows
	// Set is the set of candidates that the plan gives.
	Set
)

// List is one of the sorted lists that a step's candidates must lie in.
type List struct {
	Kind ListKind
	// Link is where it comes from; a class C is N(C, rdf:type, In). Nothing for a Set.
	Link bgp.Link
	// Members are those of a Fixed list or a Set, never empty.
	Members []pcsr.Vertex
	// Partition has the Rows, one at least.
	Partition *pcsr.Partition

	gapless bool // it becomes bounds
}

// Len is the length of a list that depends on nothing.
func (l *List) Len() int {
	if l.Kind == Rows {
		return l.Partition.Rows()
	}
	return len(l.Members)
}

// span returns the first and the last member of a list that depends on nothing.
func (l *List) span() (first, last pcsr.Vertex) {
	if l.Kind == Rows {
		return l.Partition.Ends()
	}
	return l.Members[0], l.Members[len(l.Members)-1]
}

// is reports whether two lists that depend on nothing are one and the same.
func (l *List) is(other *List) bool {
	if l.Kind != other.Kind || l.Kind == Dynamic {
		return false
	}
	if l.Kind == Rows {
		return l.Partition == other.Partition
	}
	return len(l.Members) == len(other.Members) && &l.Members[0] == &other.Members[0]
}

// findLists collects the lists of a step and makes bounds of those without gaps.
func (s *Step) findLists(g *pcsr.Graph, keepClasses bool) {
	for i := range s.Plan.Links {
		s.addLink(g, &s.Plan.Links[i])
	}
	typeLabel, _ := g.TypeLabel()
	for _, c := range s.Plan.Classes {
		link := bgp.Link{Kind: bgp.Neighbours, From: bgp.Const(c), Label: bgp.Const(typeLabel), Dir: pcsr.In, Edge: -1}
		s.add(List{Kind: Fixed, Link: link, Members: g.Members(c)})
	}
	if set := s.Plan.Candidates; set != nil {
		known, _ := slices.BinarySearch(set, dictionary.ID(g.Vertices()))
		s.add(List{Kind: Set, Members: set[:known]})
	}
	if !s.never {
		s.foldRanges(keepClasses)
	}
}

func (s *Step) addLink(g *pcsr.Graph, l *bgp.Link) {
	list := List{Link: *l}
	switch {
	case l.Kind == bgp.AllEdgeLabels:
		list.Kind, list.Members = Fixed, g.UsedLabels()
	case l.Kind == bgp.AllVertices:
		list.Kind, list.Partition = Rows, g.Incident(l.Dir)
	case l.Kind == bgp.Rows && l.Label.IsConstant():
		list.Kind, list.Partition = Rows, g.Partition(l.Label.Constant, l.Dir)
	case l.Kind == bgp.EdgeLabels && l.From.IsConstant():
		list.Kind, list.Members = Fixed, g.EdgeLabels(l.From.Constant, l.Dir)
	case l.Kind == bgp.Neighbours && l.From.IsConstant() && l.Label.IsConstant():
		list.Kind, list.Members = Fixed, g.Neighbours(l.From.Constant, l.Label.Constant, l.Dir)
	}
	s.add(list)
}

func (s *Step) add(l List) {
	if l.Kind != Dynamic && l.Len() == 0 {
		s.never = true
		return
	}
	for i := range s.Lists {
		if l.is(&s.Lists[i]) {
			return
		}
	}
	s.Lists = append(s.Lists, l)
}

// foldRanges makes bounds of lists without gaps, but for the shortest where there would be no list left.
func (s *Step) foldRanges(keepClasses bool) {
	if len(s.Lists) < 2 {
		return
	}
	ranges, shortest := 0, 0
	for i := range s.Lists {
		l := &s.Lists[i]
		if l.gapless = l.isRange() && !(keepClasses && l.Kind == Fixed); !l.gapless {
			continue
		}
		if ranges++; ranges == 1 || l.Len() < s.Lists[shortest].Len() {
			shortest = i
		}
	}
	if ranges == len(s.Lists) {
		s.Lists[shortest].gapless = false
	}
	if ranges > 0 {
		s.Lists = slices.DeleteFunc(s.Lists, s.bound)
	}
}

// bound makes bounds of a list without gaps, and reports whether it did.
func (s *Step) bound(l List) bool {
	if l.gapless {
		first, last := l.span()
		s.Low, s.High = max(s.Low, first), min(s.High, last+1)
	}
	return l.gapless
}

// dropBounds drops bounds between which all neighbours lie that a list may have.
func (s *Step) dropBounds(g *pcsr.Graph) {
	if s.Low == 0 && s.High == dictionary.None {
		return
	}
	for i := range s.Lists {
		l := &s.Lists[i]
		if l.Kind != Dynamic || l.Link.Kind != bgp.Neighbours || !l.Link.Label.IsConstant() {
			continue
		}
		first, last, ok := g.Outline(l.Link.Label.Constant, l.Link.Dir.Reverse()).Span()
		if ok && s.Low <= first && last < s.High {
			s.Low, s.High = 0, dictionary.None
			return
		}
	}
}

// Within are bounds of the step's candidates: low ≤ candidate < high, by Low, High and the first and last members of its lists; high dictionary.None means
// no bound.
func (s *Step) Within(g *pcsr.Graph) (low, high dictionary.ID) {
	low, high = s.Low, s.High
	for i := range s.Lists {
		l := &s.Lists[i]
		var first, last pcsr.Vertex
		switch {
		case l.Kind != Dynamic:
			first, last = l.span()
		case l.Link.Kind == bgp.Neighbours && l.Link.Label.IsConstant():
			ok := false
			if first, last, ok = g.Outline(l.Link.Label.Constant, l.Link.Dir.Reverse()).Span(); !ok {
				continue
			}
		default:
			continue
		}
		low = max(low, first)
		if last < high && last < math.MaxUint32 {
			high = last + 1
		}
	}
	return low, high
}

// isRange reports whether a list depends on nothing and has no gaps.
func (l *List) isRange() bool {
	if l.Kind == Dynamic {
		return false
	}
	first, last := l.span()
	return last < math.MaxUint32 && int(last-first)+1 == l.Len()
}
