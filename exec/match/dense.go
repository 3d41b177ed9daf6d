package match

import (
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Dense is a second way to count a pattern, for query graphs of one undirected label with a vertex that all others touch, the root: cliques,
// wheels, fans, all that is nearly complete. The other vertices lie in the root's neighbourhood, whose edges are made bitmaps once; then a
// step is an AND of words, and nothing is searched (GLUMIN, OSDI 2024). One vertex may lie beyond it, two edges away, if it touches two of the
// others or more (Far): its bitmap is the neighbours that it has in common with the root.
//
// Levels are enumerated one after the other. Tail are independent vertices at the end, of which only the sizes of sets are needed: the solutions
// with all levels bound are the sum of Terms, by inclusion and exclusion where different vertices must bind different ones (GraphSet, SC 2023).
//
// Of solutions that an automorphism exchanges one is counted, as Step.Above has it, but for the tail, whose sets have no order. The orders
// may differ: the root is the least by degree, then by number, so that where all others are greater (Upward) only few of its neighbours
// are looked at; among these it is the number that counts. For each vertex in turn the solutions are cut to those where it is the least of its
// orbit under what exchanges the rest, and any order does for that.
//
// What is matched induced may be a sum of such counts (densesum.go).
type Dense struct {
	// Times is what the count is multiplied by, which may be negative; Rest are the other terms of the sum.
	Times  int64
	Rest   []*Dense
	Label  pcsr.Label
	Upward bool
	// Far is of the first level, where that is no neighbour of the root; nil where all are.
	Far *DenseFar
	// Outer: the last level is no neighbour of the root either, but one of the far vertex; the tail is one vertex. Where the first level is to be above the root
	// it is below: its list is what is walked again and again.
	Outer  bool
	Levels []DenseSet
	Tail   []DenseSet
	Terms  []DenseTerm
	// Automorphisms is how many solutions each one stands for.
	Automorphisms uint64
	// Smallest is how many neighbours a root must have at least.
	Smallest int
	// Slots are those of the root, the levels and the tail's vertices, of which several may have one set.
	Slots []int
}

// Sum are the counts that are added up.
func (d *Dense) Sum() []*Dense { return append([]*Dense{d}, d.Rest...) }

// HasOuter reports whether one of the counts that are added up has an outer vertex.
func (d *Dense) HasOuter() bool {
	return slices.ContainsFunc(d.Sum(), func(d *Dense) bool { return d.Outer })
}

// DenseFar says which vertices may stand for one that the root does not touch.
type DenseFar struct {
	// Common is how many neighbours it has in common with the root, at least.
	Common int
	// Apart: it is not the root; Absent: nor a neighbour of it.
	Apart, Absent bool
}

// DenseSet says which of the root's neighbours may stand for a vertex, by the levels before it, as bits.
type DenseSet struct {
	// Near are the levels whose neighbour it is, Apart those it must differ from and is not a neighbour of in the query, Absent those it
	// must not be a neighbour of, Above those it is greater than.
	Near, Apart, Absent, Above uint8
	// Upper: it is above the root.
	Upper bool
}

// DenseTerm is a factor and the sets of the tail whose sizes it multiplies: each a set of them, as bits, of which the members of all count.
type DenseTerm struct {
	Factor int64
	Sizes  []uint8
}

// Bounds of dense patterns: query vertices, vertices of the tail, and different sets of these.
const (
	mostDense     = 8
	mostTail      = 4
	MostTailSets  = 3
	MostDenseStep = mostDense - 2
)

// findDense returns how a count is carried out in neighbourhoods; nil where it cannot be, or where a look at all edges costs more than it may save.
func (l *Lowering) findDense(t Tuning) *Dense {
	d := denseFinder{Lowering: l, tuning: t}
	if t.NoDense || !d.find(t.AnyCost) {
		return nil
	}
	return d.best
}

// denseFinder looks for a Dense. Query vertices are numbered by their slots.
type denseFinder struct {
	*Lowering
	n int
	// near are the neighbours of each, as bits, absent those that must not be neighbours.
	near, absent [mostDense]uint8
	// loose: vertices of the tail may be neighbours, though they must not be; most is how many it may have, 0 for mostTail.
	loose  bool
	most   int
	stats  *density // once it was asked for
	tuning Tuning
	best   *Dense
}

func (d *denseFinder) find(anyCost bool) bool {
	label, ok := d.findNear()
	if !ok {
		return false
	}
	edges := 0
	for v := range d.n {
		edges += bits.OnesCount8(d.near[v])
	}
	if edges == 2*(d.n-1) {
		return false // nothing but edges of the root
	}
	out := d.Graph.Outline(label, pcsr.Out)
	if edges := float64(out.Edges()); !anyCost && d.Plan.Cost < bgp.DensePrice*edges || out.Edges() < 1 {
		return false
	}
	if !d.Graph.Undirected(label) || d.Graph.HasLoop(label) || d.Graph.Partition(label, pcsr.Out).Single() {
		return false
	}
	if d.Plan.Query.Semantics == bgp.Induced && !d.tuning.NoSums {
		return d.findSum(label, anyCost)
	}
	return d.findTerm(label, anyCost)
}

// findTerm looks for one count.
func (d *denseFinder) findTerm(label pcsr.Label, anyCost bool) bool {
	for root := range d.n {
		if d.near[root] == d.all()&^(1<<root) {
			return d.choose(root, label, anyCost)
		}
	}
	return d.findFar(label, anyCost) || d.findOuter(label, anyCost)
}

// all are the query vertices.
func (d *denseFinder) all() uint8 { return uint8(1)<<d.n - 1 }

// findNear reads the query graph: all its vertices must be variables of which nothing is asked but edges of one label.
func (d *denseFinder) findNear() (label pcsr.Label, ok bool) {
	p := d.Plan
	slots, ok := d.plainSlots()
	if d.n = len(p.Slots); !ok || d.n < 3 || p.Query.Semantics == bgp.EdgeIsomorphism {
		return 0, false
	}
	label = p.Query.Edges[0].Label
	var there [mostDense]uint8
	for _, e := range p.Query.Edges {
		from, ok := slots[e.From]
		to, ok2 := slots[e.To]
		if !ok || !ok2 || from == to || e.LabelVertex >= 0 || e.Label != label {
			return 0, false
		}
		there[from] |= 1 << to
	}
	for v := range d.n {
		for w := range d.n {
			if there[v]>>w&1 != 0 {
				d.near[v] |= 1 << w
				d.near[w] |= 1 << v
			}
		}
	}
	if p.Query.Semantics != bgp.Induced {
		return label, true
	}
	for v := range d.n {
		d.absent[v] = d.all() &^ (d.near[v] | 1<<v)
	}
	return label, there == d.near // an edge that leads back is in the data, and has to be in the query
}

// choose makes as much of the query the tail as can be, where what is left to enumerate holds together without the root; or more, where
// enumerating what does not is expected to cost less.
func (d *denseFinder) choose(root int, label pcsr.Label, anyCost bool) bool {
	rest := d.all() &^ (1 << root)
	var together, apart uint8
	for tail := rest; tail > 0; tail = (tail - 1) & rest {
		size, left := bits.OnesCount8(tail), rest&^tail
		if left == 0 || !d.mayEnd(tail) {
			continue
		}
		if size > bits.OnesCount8(together) && d.holdsTogether(left) {
			together = tail
		}
		if size > bits.OnesCount8(apart) {
			apart = tail
		}
	}
	tail := together
	if bits.OnesCount8(apart) > bits.OnesCount8(together) {
		density := d.density(label)
		if together == 0 && !anyCost && density.words > density.common {
			return false // step by step no fewer are bound, but no words are read for those who are no neighbours
		}
		if together == 0 || density.cost(d, rest&^apart) < density.cost(d, rest&^together) {
			tail = apart
		}
	}
	if tail == 0 {
		return false
	}
	order := d.order(rest&^tail, 0)
	if from := d.tuning.TripleLevels; from > 0 && len(order) >= from {
		d.density(label)
		order = d.tripleOrder(order, tail)
	}
	d.best = &Dense{Times: 1, Label: label, Slots: append([]int{root}, order...)}
	return d.layTail(tail)
}

// layTail adds the slots of the tail to those before, and lays all out.
func (d *denseFinder) layTail(tail uint8) bool {
	for v := range d.n {
		if tail>>v&1 != 0 {
			d.best.Slots = append(d.best.Slots, v)
		}
	}
	return d.lay(bits.OnesCount8(tail))
}

// Name names in a trace what each step of the plan did.
func (d *Dense) Name(t *Trace) {
	for i, slot := range d.Slots {
		switch {
		case i == 0 && d.Upward:
			t.Steps[slot].Variant = "root of the neighbours above it"
		case i == 0:
			t.Steps[slot].Variant = "root"
		case i == 1 && d.Far != nil:
			t.Steps[slot].Variant = "common neighbours of the root"
		case i == len(d.Levels) && d.Outer:
			t.Steps[slot].Variant = "neighbours of the far vertex"
		case i <= len(d.Levels):
			t.Steps[slot].Variant = "bitmap"
		default:
			t.Steps[slot].Variant = "size"
		}
	}
}

func (d *denseFinder) independent(set uint8) bool {
	for v := range d.n {
		if set>>v&1 != 0 && d.near[v]&set != 0 {
			return false
		}
	}
	return true
}

// holdsTogether reports whether a set is not empty and connected.
func (d *denseFinder) holdsTogether(set uint8) bool {
	seen := set & -set
	for {
		next := seen
		for v := range d.n {
			if seen>>v&1 != 0 {
				next |= d.near[v] & set
			}
		}
		if next == seen {
			return set != 0 && seen == set
		}
		seen = next
	}
}

// sets is how many different neighbourhoods the vertices of a tail have.
func (d *denseFinder) sets(tail uint8) int {
	var all [][2]uint8
	for v := range d.n {
		if set := [2]uint8{d.near[v], d.absent[v] &^ tail}; tail>>v&1 != 0 && !slices.Contains(all, set) {
			all = append(all, set)
		}
	}
	return len(all)
}

// order orders vertices so that each is a neighbour of as many before it as can be, those of done at first, then of as many of the others as can be.
// The first has a neighbour beside the root.
func (d *denseFinder) order(set, done uint8) (order []int) {
	for set&^done != 0 {
		best, most := -1, -1
		for v := range d.n {
			if (set&^done)>>v&1 == 0 {
				continue
			}
			if n := mostDense*mostDense*bits.OnesCount8(d.near[v]&done) + mostDense*bits.OnesCount8(d.near[v]&set) + bits.OnesCount8(d.near[v]); n > most {
				best, most = v, n
			}
		}
		order = append(order, best)
		done |= 1 << best
	}
	return order
}
