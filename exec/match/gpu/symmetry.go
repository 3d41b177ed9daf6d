package gpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// mostSymmetric is the largest number of query vertices whose symmetries are looked for, mostAutomorphisms how many of
// them.
const (
	mostSymmetric     = 10
	mostAutomorphisms = 5040
)

// breakSymmetry finds the automorphisms of the query graph. Under isomorphism every solution is one of as many as
// there are automorphisms, and exactly one of them satisfies the order that breakSymmetry asks for: above lists,
// by slot, the earlier slots whose vertex must have a smaller number (Grochow and Kellis, RECOMB 2007). So a count
// needs to look at that one alone. undirected says which edge labels lead back wherever they lead.
func breakSymmetry(p *bgp.MatchPlan, undirected func(pcsr.Label) bool) (above map[int][]int, repeats uint64) {
	s := symmetry{plan: p, undirected: undirected}
	if !s.applies() {
		return nil, 1
	}
	s.search(make([]int, 0, len(s.slots)))
	if len(s.found) < 2 || len(s.found) > mostAutomorphisms {
		return nil, 1
	}
	above, group := map[int][]int{}, s.found
	for slot := range s.slots {
		var orbit []int
		var fixed [][]int
		for _, a := range group {
			if a[slot] == slot {
				fixed = append(fixed, a)
			} else if !slices.Contains(orbit, a[slot]) {
				orbit = append(orbit, a[slot])
			}
		}
		for _, other := range orbit {
			above[other] = append(above[other], slot)
		}
		group = fixed
	}
	return above, uint64(len(s.found))
}

// symmetry searches the permutations of the slots that map the query graph to itself.
type symmetry struct {
	plan       *bgp.MatchPlan
	undirected func(pcsr.Label) bool
	slots      []int // slot → query vertex
	edges      map[[3]int]bool
	found      [][]int
}

// applies reports whether symmetries can be told and used: injective solutions, nothing seeded, no predicate variables.
func (s *symmetry) applies() bool {
	q := s.plan.Query
	if q == nil || q.Semantics != bgp.Isomorphism || s.plan.Inputs > 0 || len(s.plan.Slots) > mostSymmetric ||
		len(s.plan.Slots) != len(s.plan.Steps) {
		return false
	}
	for _, slot := range s.plan.Slots {
		if slot.Vertex < 0 || slices.Contains(s.slots, slot.Vertex) || q.Vertices[slot.Vertex].EdgeLabel {
			return false
		}
		s.slots = append(s.slots, slot.Vertex)
	}
	s.edges = make(map[[3]int]bool, len(q.Edges))
	for _, e := range q.Edges {
		if e.LabelVertex >= 0 {
			return false
		}
		s.edges[[3]int{e.From, int(e.Label), e.To}] = true
		if s.undirected(e.Label) {
			s.edges[[3]int{e.To, int(e.Label), e.From}] = true
		}
	}
	return true
}

// search extends a permutation of the first slots.
func (s *symmetry) search(image []int) {
	if len(s.found) > mostAutomorphisms {
		return
	}
	if len(image) == len(s.slots) {
		s.found = append(s.found, slices.Clone(image))
		return
	}
	for to := range s.slots {
		if !slices.Contains(image, to) && s.alike(len(image), to) {
			if next := append(image, to); s.keepsEdges(next) {
				s.search(next)
			}
		}
	}
}

// alike reports whether two slots ask the same of their vertex alone.
func (s *symmetry) alike(a, b int) bool {
	x, y := &s.plan.Steps[a], &s.plan.Steps[b]
	sorted := func(slot int) []dictionary.ID {
		classes := slices.Clone(s.plan.Query.Vertices[s.slots[slot]].Classes)
		slices.Sort(classes)
		return classes
	}
	return x.Low == y.Low && x.High == y.High && slices.Equal(x.Candidates, y.Candidates) &&
		(x.Candidates == nil) == (y.Candidates == nil) && slices.Equal(sorted(a), sorted(b))
}

// keepsEdges reports whether the edges between the last slot mapped and those before it, itself and the constants are
// the same as between their images.
func (s *symmetry) keepsEdges(image []int) bool {
	last := len(image) - 1
	mapped := func(v int) (int, bool) {
		slot := slices.Index(s.slots, v)
		if slot < 0 {
			return v, true // a constant
		}
		if slot > last {
			return 0, false
		}
		return s.slots[image[slot]], true
	}
	from, to := s.slots[last], s.slots[image[last]]
	before, after := 0, 0
	for e := range s.edges {
		if e[0] == from || e[2] == from {
			f, ok := mapped(e[0])
			t, also := mapped(e[2])
			if ok && also {
				if !s.edges[[3]int{f, e[1], t}] {
					return false
				}
				before++
			}
		}
		if e[0] == to || e[2] == to {
			if s.isImage(e[0], image) && s.isImage(e[2], image) {
				after++
			}
		}
	}
	return before == after
}

// isImage reports whether a query vertex is a constant or the image of a slot mapped so far.
func (s *symmetry) isImage(v int, image []int) bool {
	slot := slices.Index(s.slots, v)
	return slot < 0 || slices.Contains(image, slot)
}
