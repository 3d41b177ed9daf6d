package match

import (
	"cmp"
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// mostSymmetric is the largest number of query vertices whose symmetries are looked for, mostAutomorphisms how many of
// them are tried one by one.
const (
	mostSymmetric     = 10
	mostAutomorphisms = 5040
)

// breakSymmetry finds the automorphisms of the query graph. Where the vertices that they exchange are always different,
// every solution is one of as many as there are automorphisms, and exactly one of them satisfies the order that
// Step.Above asks for (Grochow and Kellis, RECOMB 2007). So a count needs to look at that one alone.
//
// Slots that are exchanged and may have the same vertex are passed over: an order of the others tells apart as many solutions as those
// can be moved, whatever else moves with them. Friends in one country are ordered, the cities that they live in are not.
func (l *Lowering) breakSymmetry(anyCost bool) {
	worth := l.Plan.Cost
	if anyCost {
		worth = math.Inf(1)
	}
	if worth < bgp.OrderCost || l.Plan.Inputs > 0 {
		return
	}
	o := l.symmetryOrder(worth)
	if o.size < 2 {
		return
	}
	l.Automorphisms = uint64(o.size)
	for slot, step := range l.Steps {
		step.setBelow(o.below[slot], o.below)
	}
}

// symmetryOrder is the order of a plan's slots over a graph that tells the most solutions apart. A plan that is run many times keeps it, for to look for it takes
// longer than many a count.
type symmetryOrder struct {
	graph *pcsr.Graph
	worth float64
	below [][]int
	size  int
}

func (l *Lowering) symmetryOrder(worth float64) *symmetryOrder {
	if known, ok := l.Plan.Kept(bgp.KeptSymmetry).(*symmetryOrder); ok && known.graph == l.Graph && known.worth == worth {
		return known
	}
	o := &symmetryOrder{graph: l.Graph, worth: worth}
	if s := (symmetry{plan: l.Plan, facts: &graphFacts{l.Graph, worth}}); s.applies() {
		o.below, o.size = s.largest()
	}
	l.Plan.Keep(bgp.KeptSymmetry, o)
	return o
}

// Facts are what is known of the labels of a graph.
type Facts interface {
	// Undirected reports whether the edges of a label are known to lead back.
	Undirected(pcsr.Label) bool
	// MayHaveLoop reports whether a vertex may have an edge of a label to itself.
	MayHaveLoop(pcsr.Label) bool
}

// Representatives returns an order of a pattern's slots, in pairs of which the first has the smaller number, which one of so many solutions that
// automorphisms make of each other satisfies, and just one; size is how many, 1 where there are none. Slots that are to be still have the
// same vertex in all of them. The plan, which may be seeded, has no ranges; what is true of its pattern is true of it however it is matched.
func Representatives(plan *bgp.MatchPlan, still []int, facts Facts) (order [][2]int, size uint64) {
	s := symmetry{plan: plan, facts: facts, still: still}
	if plan.Empty || !s.applies() {
		return nil, 1
	}
	below, n := s.largest()
	for slot := range below {
		for _, smaller := range below[slot] {
			order = append(order, [2]int{smaller, slot})
		}
	}
	return order, uint64(n)
}

// largest returns the order that tells the most solutions apart, and how many: that of all automorphisms, or of those
// that one generates, where these are not too many to try.
func (s *symmetry) largest() (below [][]int, size int) {
	below, size, whole := s.order(s.moved)
	if whole {
		return below, size
	}
	var all [][]int
	s.search(make([]int, 0, len(s.slots)), func(from, to int) bool { return from == to || !slices.Contains(s.still, from) }, func(image []int) bool {
		all = append(all, slices.Clone(image))
		return len(all) <= mostAutomorphisms
	})
	if len(all) > mostAutomorphisms {
		return below, size
	}
	for _, a := range all {
		if group := powers(a); len(group) > size {
			order, n, _ := s.order(func(slot int, still []int) (orbit []int) {
				for _, p := range group {
					if !slices.ContainsFunc(still, func(k int) bool { return p[k] != k }) {
						orbit = with(orbit, p[slot])
					}
				}
				return orbit
			})
			if n > size {
				below, size = order, n
			}
		}
	}
	return below, size
}

// moved lists the slots to which the automorphisms that leave some where they are move one.
func (s *symmetry) moved(slot int, still []int) (orbit []int) {
	for to := range s.slots {
		may := func(from, image int) bool {
			return (from != slot || image == to) && (from == image || !slices.Contains(still, from))
		}
		if !s.search(make([]int, 0, len(s.slots)), may, func([]int) bool { return false }) {
			orbit = append(orbit, to)
		}
	}
	return orbit
}

// powers is the group that a permutation generates.
func powers(a []int) (group [][]int) {
	for p := a; ; {
		group = append(group, p)
		if slices.IsSorted(p) {
			return group
		}
		next := make([]int, len(p))
		for i := range p {
			next[i] = a[p[i]]
		}
		p = next
	}
}

// setBelow takes over what the step's candidates are greater than; below has that of all slots.
func (s *Step) setBelow(slots []int, below [][]int) {
	s.Below = slots
	for _, slot := range slots {
		if !slices.ContainsFunc(slots, func(other int) bool { return slices.Contains(below[other], slot) }) {
			s.Above = append(s.Above, slot)
		}
	}
	if len(slots) > 0 {
		s.Distinct = slices.DeleteFunc(slices.Clone(s.Distinct), func(o bgp.Operand) bool {
			return !o.IsConstant() && slices.Contains(slots, o.Slot)
		})
	}
}

// symmetry searches the permutations of the slots that map the query graph to itself.
type symmetry struct {
	plan  *bgp.MatchPlan
	facts Facts
	still []int // slots that are not moved
	slots []int // slot → query vertex
	// kinds are those of the slots: only what has one kind may be exchanged, for the query asks the same of it beside the edges to other slots.
	kinds []int
	// between are the labels of the edges from one slot to another, as a number of their set.
	between [][]int
	// differ are the pairs of slots that no solution has one vertex for, as far as was asked.
	differ map[[2]int]bool
}

// applies reports whether symmetries can be told and used: no predicate variables, no inequalities that
// the query asks for. An edge that always
// leads back has no direction; edge-isomorphism and induced matching tell the two apart.
func (s *symmetry) applies() bool {
	p := s.plan
	q, n := p.Query, len(p.Slots)
	if q == nil || p.Unequal || len(p.Branches) > 0 || n < 2 || n > mostSymmetric || n != p.Inputs+len(p.Steps) {
		return false
	}
	var classes [][]dictionary.ID
	for _, slot := range p.Slots {
		if slot.Vertex < 0 || slices.Contains(s.slots, slot.Vertex) || q.Vertices[slot.Vertex].EdgeLabel {
			return false
		}
		s.slots = append(s.slots, slot.Vertex)
		classes = append(classes, s.classesOf(slot.Vertex))
	}
	alone := func(a, b int) bool { return s.alike(a, b) && slices.Equal(classes[a], classes[b]) }
	if !s.anyAlike(alone) || slices.ContainsFunc(q.Edges, func(e bgp.QueryEdge) bool { return e.LabelVertex >= 0 }) {
		return false
	}
	constants := s.readEdges()
	s.kinds = numbered(n, func(a, b int) bool {
		return alone(a, b) && s.between[a][a] == s.between[b][b] && slices.Equal(constants[a], constants[b])
	})
	s.differ = map[[2]int]bool{}
	return true
}

// numbered gives each of n things the number of the first that is the same.
func numbered(n int, same func(a, b int) bool) []int {
	numbers := make([]int, n)
	for a := range n {
		for numbers[a] = 0; numbers[a] < a && !same(numbers[a], a); numbers[a]++ {
		}
	}
	return numbers
}

// anyAlike reports whether two slots ask the same of their vertices alone.
func (s *symmetry) anyAlike(alike func(a, b int) bool) bool {
	for a := range s.slots {
		for b := range a {
			if alike(a, b) {
				return true
			}
		}
	}
	return false
}

// constantEdge is an edge that joins a slot to a vertex of the query that is none.
type constantEdge struct {
	label    pcsr.Label
	constant int
	out      bool
}

// readEdges numbers what is between slots, and lists the edges to constants, in order, each once.
func (s *symmetry) readEdges() (constants [][]constantEdge) {
	n, q := len(s.slots), s.plan.Query
	labels := make([][]pcsr.Label, n*n)
	constants = make([][]constantEdge, n)
	add := func(from int, l pcsr.Label, to int) {
		switch f, t := slices.Index(s.slots, from), slices.Index(s.slots, to); {
		case f >= 0 && t >= 0:
			labels[f*n+t] = append(labels[f*n+t], l)
		case f >= 0:
			constants[f] = append(constants[f], constantEdge{l, to, true})
		case t >= 0:
			constants[t] = append(constants[t], constantEdge{l, from, false})
		}
	}
	for _, e := range q.Edges {
		add(e.From, e.Label, e.To)
		if q.Semantics != bgp.EdgeIsomorphism && q.Semantics != bgp.Induced && s.facts.Undirected(e.Label) {
			add(e.To, e.Label, e.From)
		}
	}
	for i := range labels {
		slices.Sort(labels[i])
		labels[i] = slices.Compact(labels[i])
	}
	for i, edges := range constants {
		slices.SortFunc(edges, constantEdge.compare)
		constants[i] = slices.Compact(edges)
	}
	sets := numbered(n*n, func(a, b int) bool { return slices.Equal(labels[a], labels[b]) })
	for row := range slices.Chunk(sets, n) {
		s.between = append(s.between, row)
	}
	return constants
}

func (e constantEdge) compare(f constantEdge) int {
	direction := func(out bool) int {
		if out {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(e.label, f.label), cmp.Compare(e.constant, f.constant), direction(e.out)-direction(f.out))
}

// graphFacts are those of the graph that is matched. What is found out about a label takes a look at all its edges, so it is done where that is not
// much beside the match, which is expected to look at worth candidates.
type graphFacts struct {
	*pcsr.Graph
	worth float64
}

// Undirected implements Facts.
func (f *graphFacts) Undirected(l pcsr.Label) bool {
	out, in := f.Outline(l, pcsr.Out), f.Outline(l, pcsr.In)
	return out.Rows() == in.Rows() && out.Edges() == in.Edges() &&
		float64(out.Edges())*bgp.ComparePrice <= f.worth && f.Graph.Undirected(l)
}

// MayHaveLoop implements Facts.
func (f *graphFacts) MayHaveLoop(l pcsr.Label) bool {
	out, in := f.Outline(l, pcsr.Out), f.Outline(l, pcsr.In)
	first, last, ok := out.Span()
	low, high, _ := in.Span()
	if !ok || first > high || low > last {
		return false
	}
	return float64(out.Rows())*bgp.SearchPrice > f.worth || f.HasLoop(l)
}

// order turns a group of automorphisms into an order: below lists, by slot, the earlier slots whose vertices must have
// smaller numbers. Of every size solutions that the group makes of one, just one is in that order: of those that differ in where an orbit's
// first slot is moved, the one where it has the smallest vertex, and so on among the automorphisms that leave this slot where it is. An
// orbit whose slots may have the same vertex says nothing, until others have made it smaller; whole is whether there was none.
// The group is told by its orbits: that of a slot by those that leave some slots still.
func (s *symmetry) order(orbitOf func(slot int, still []int) []int) (below [][]int, size int, whole bool) {
	below, size, whole = make([][]int, len(s.slots)), 1, true
	still := slices.Clone(s.still)
	for slot := 0; slot < len(s.slots); {
		orbit := orbitOf(slot, still)
		if len(orbit) == 1 || !s.allDiffer(orbit) {
			whole = whole && len(orbit) == 1
			slot++
			continue
		}
		first := slices.Min(orbit)
		for _, other := range orbit {
			if other != first {
				below[other] = append(below[other], first)
			}
		}
		size *= len(orbit)
		still = append(still, first)
	}
	return transitive(below), size, whole
}

// transitive adds to each slot those that the slots below it are above of. Slots are only above earlier ones.
func transitive(below [][]int) [][]int {
	for slot := range below {
		for _, other := range below[slot] {
			below[slot] = union(below[slot], below[other])
		}
	}
	return below
}

// allDiffer reports whether no solution has one vertex for two of the slots.
func (s *symmetry) allDiffer(slots []int) bool {
	if s.plan.Query.Semantics.Injective() {
		return true
	}
	for i, a := range slots {
		for _, b := range slots[:i] {
			pair := [2]int{a, b}
			differ, known := s.differ[pair]
			if !known {
				differ = s.joined(s.slots[a], s.slots[b])
				s.differ[pair] = differ
			}
			if !differ {
				return false
			}
		}
	}
	return true
}

// joined reports whether an edge joins two query vertices whose label no vertex has to itself.
func (s *symmetry) joined(v, w int) bool {
	for _, e := range s.plan.Query.Edges {
		if (e.From == v && e.To == w || e.From == w && e.To == v) && !s.facts.MayHaveLoop(e.Label) {
			return true
		}
	}
	return false
}

// search extends a permutation of the first slots, by images that they may have, to automorphisms, until visit of one returns false; then it does.
func (s *symmetry) search(image []int, may func(slot, image int) bool, visit func([]int) bool) bool {
	slot := len(image)
	if slot == len(s.slots) {
		return visit(image)
	}
	for to := range s.slots {
		if may(slot, to) && s.kinds[slot] == s.kinds[to] && !slices.Contains(image, to) {
			if next := append(image, to); s.keepsEdges(next) && !s.search(next, may, visit) {
				return false
			}
		}
	}
	return true
}

// alike reports whether two slots have the same candidates.
func (s *symmetry) alike(a, b int) bool {
	if s.plan.Inputs > 0 {
		return true
	}
	x, y := &s.plan.Steps[a], &s.plan.Steps[b]
	return x.Low == y.Low && x.High == y.High && slices.Equal(x.Candidates, y.Candidates) &&
		(x.Candidates == nil) == (y.Candidates == nil)
}

// classesOf are the classes that the query asks of a vertex, ascending. Those that whatever has one of its edges is known to have are left
// out, for a query may name the class of one of several vertices that are alike; but not where each class is a triple that must differ from others.
func (s *symmetry) classesOf(vertex int) []dictionary.ID {
	classes := slices.Clone(s.plan.Query.Vertices[vertex].Classes)
	slices.Sort(classes)
	of, ok := s.facts.(*graphFacts)
	if !ok || s.plan.Query.Semantics == bgp.EdgeIsomorphism {
		return classes
	}
	return slices.DeleteFunc(classes, func(c dictionary.ID) bool {
		for _, e := range s.plan.Query.Edges {
			if e.LabelVertex < 0 && (e.From == vertex && of.isRangeOver(c, e.Label, pcsr.Out) || e.To == vertex && of.isRangeOver(c, e.Label, pcsr.In)) {
				return true
			}
		}
		return false
	})
}

// isRangeOver reports whether the members of a class have no gaps and reach over all vertices with an edge of a label in a direction.
func (f *graphFacts) isRangeOver(class dictionary.ID, l pcsr.Label, d pcsr.Direction) bool {
	members := f.Members(class)
	if len(members) == 0 {
		return false
	}
	low, high := members[0], members[len(members)-1]
	first, last, ok := f.Outline(l, d).Span()
	return ok && int(high-low)+1 == len(members) && low <= first && last <= high
}

// keepsEdges reports whether the edges between the last slot mapped and those before it are the same as between their images.
func (s *symmetry) keepsEdges(image []int) bool {
	last := len(image) - 1
	to := image[last]
	for slot, of := range image[:last] {
		if s.between[last][slot] != s.between[to][of] || s.between[slot][last] != s.between[of][to] {
			return false
		}
	}
	return true
}
