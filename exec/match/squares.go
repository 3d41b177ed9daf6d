package match

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Squares is a second way to count a cycle of four edges, of any labels and directions, of which no more is asked: paths of two edges are counted
// by their ends, and two opposite corners that p paths join through the third corner and q through the fourth have p·q solutions. Each solution
// is counted at the greatest of its vertices by degree, so that paths lead from there to lesser ones alone, and an edge is walked as often as the
// lesser of its ends has neighbours (as in mining: Ahmed, Neville, Rossi and Duffield, ICDM 2015).
type Squares struct {
	// Lists are the partitions that are walked.
	Lists []PartitionKey
	// Forth is which of Lists leads from corner i to corner i+1, Back which leads from i+1 to i; corner 4 is corner 0.
	Forth, Back [4]uint8
	// Groups are sums of products of numbers of paths.
	Groups []SquareGroup
	// Different: the corners must bind four different vertices. Loops, edges from a vertex to itself, are in none of these solutions.
	Different bool
	// Loops: neighbouring corners may bind one vertex, where a loop leads from it to itself, and some have one.
	Loops bool
}

// SquareWalk is two of the lists, walked one after the other.
type SquareWalk [2]uint8

// SquareGroup is Weight times the paths by any of Fill times the paths by any of Read.
type SquareGroup struct {
	Weight     uint64
	Fill, Read []SquareWalk
}

// Alike reports whether both are the same paths, so that the product is the square of one number.
func (g *SquareGroup) Alike() bool { return sameWalks(g.Fill, g.Read) }

// squareShare is how many times the edges of the rarest label of a square those of the commonest may be: where one is rarer, joining from its
// edges may be less than looking at all of the others.
const squareShare = 4

// findSquares returns how a cycle of four edges is counted by its paths; nil where it is none, or where a look at all edges costs more than it
// may save.
func (l *Lowering) findSquares(t Tuning) *Squares {
	slots, ok := l.plainSlots()
	if t.NoDense || !ok || len(slots) != 4 || len(l.Plan.Query.Edges) != 4 {
		return nil
	}
	semantics := l.Plan.Query.Semantics
	if semantics != bgp.Homomorphism && semantics != bgp.Isomorphism {
		return nil
	}
	s := &Squares{Different: semantics == bgp.Isomorphism}
	var ring [4]bgp.QueryEdge
	edges := slices.Clone(l.Plan.Query.Edges)
	first := edges[0].From
	corner, fewest, most := first, math.MaxInt, 0
	for i := range 4 {
		at := slices.IndexFunc(edges, func(e bgp.QueryEdge) bool { return e.From == corner || e.To == corner })
		if _, ok := slots[corner]; !ok || at < 0 {
			return nil
		}
		e := edges[at]
		if e.LabelVertex >= 0 || e.From == e.To {
			return nil
		}
		ring[i] = e
		edges = slices.Delete(edges, at, at+1)
		delete(slots, corner) // each is met once
		corner = e.From + e.To - corner
		size := l.Graph.Outline(e.Label, pcsr.Out).Edges()
		fewest, most = min(fewest, size), max(most, size)
	}
	if corner != first || fewest == 0 || most > mostListed || !t.AnyCost && (l.Plan.Cost < bgp.DensePrice*float64(most) || most > squareShare*fewest) {
		return nil
	}
	// What follows may have to look at all edges.
	for i, e := range ring {
		forth, back := pcsr.Out, pcsr.In
		if e.From != corner {
			forth, back = back, forth
		}
		s.Forth[i], s.Back[i] = s.list(l.Graph, e.Label, forth), s.list(l.Graph, e.Label, back)
		corner = e.From + e.To - corner
		s.Loops = s.Loops || !s.Different && l.Graph.HasLoop(e.Label)
	}
	s.group()
	return s
}

// list returns the number of a partition. One that is the same both ways is walked one way.
func (s *Squares) list(g *pcsr.Graph, label pcsr.Label, d pcsr.Direction) uint8 {
	if g.Undirected(label) {
		d = pcsr.Out
	}
	l := PartitionKey{Label: label, Direction: d}
	at := slices.Index(s.Lists, l)
	if at < 0 {
		at = len(s.Lists)
		s.Lists = append(s.Lists, l)
	}
	return uint8(at)
}

// group adds up what the corners count, so that a walk is made as seldom as can be: x·y + x·z is x·(y+z).
func (s *Squares) group() {
	for i := range 4 {
		forth := []SquareWalk{{s.Forth[i], s.Forth[(i+1)%4]}}
		back := []SquareWalk{{s.Back[(i+3)%4], s.Back[(i+2)%4]}}
		s.Groups = append(s.Groups, SquareGroup{Weight: 1, Fill: forth, Read: back})
	}
	for i := 0; i < len(s.Groups); i++ {
		for k := i + 1; k < len(s.Groups); k++ {
			if s.Groups[i].take(s.Groups[k]) {
				s.Groups = slices.Delete(s.Groups, k, k+1)
				i = -1 // what was taken may suit those before
				break
			}
		}
	}
}

// take adds another group to one where they have a factor in common.
func (g *SquareGroup) take(o SquareGroup) bool {
	for range 2 {
		o.Fill, o.Read = o.Read, o.Fill
		switch fill, read := sameWalks(g.Fill, o.Fill), sameWalks(g.Read, o.Read); {
		case fill && read:
			g.Weight += o.Weight
			return true
		case g.Weight != o.Weight:
		case fill:
			g.Read = append(g.Read, o.Read...)
			return true
		case read:
			g.Fill = append(g.Fill, o.Fill...)
			return true
		}
	}
	return false
}

// sameWalks reports whether two sums are of the same walks.
func sameWalks(a, b []SquareWalk) bool {
	if len(a) != len(b) {
		return false
	}
	for _, w := range a {
		if count(a, w) != count(b, w) {
			return false
		}
	}
	return true
}

func count(walks []SquareWalk, w SquareWalk) (n int) {
	for _, o := range walks {
		if o == w {
			n++
		}
	}
	return n
}

// plainSlots returns the slots of the query's vertices, where all of these are variables of which nothing is asked but edges.
func (l *Lowering) plainSlots() (slots map[int]int, ok bool) {
	p := l.Plan
	if p.Query == nil || p.Unequal || p.Inputs > 0 || len(p.Branches) > 0 || len(p.Query.Edges) == 0 || len(p.Slots) > mostDense {
		return nil, false
	}
	slots = make(map[int]int, len(p.Slots))
	for slot, s := range p.Slots {
		if s.Vertex < 0 || l.Steps[slot].Plan.Candidates != nil || !l.isAnywhere(l.Steps[slot], s.Vertex) {
			return nil, false
		}
		if v := &p.Query.Vertices[s.Vertex]; v.EdgeLabel || len(v.Classes) > 0 {
			return nil, false
		}
		slots[s.Vertex] = slot
	}
	return slots, len(slots) == len(p.Slots)
}

// isAnywhere reports whether a step's bounds are no more than what the edges of its query vertex ask for.
func (l *Lowering) isAnywhere(s *Step, vertex int) bool {
	low, high := dictionary.ID(0), dictionary.None
	cut := func(e *bgp.QueryEdge, d pcsr.Direction) {
		if first, last, ok := l.Graph.Outline(e.Label, d).Span(); ok && e.LabelVertex < 0 {
			low, high = max(low, first), min(high, last+1)
		}
	}
	for i := range l.Plan.Query.Edges {
		e := &l.Plan.Query.Edges[i]
		if e.From == vertex {
			cut(e, pcsr.Out)
		}
		if e.To == vertex {
			cut(e, pcsr.In)
		}
	}
	return s.Low <= low && high <= s.High
}

// SquareVariant is what traces call the steps of a plan that is counted so.
const SquareVariant = "paths of two edges"
