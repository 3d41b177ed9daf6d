package match

import (
	"cmp"
	"context"
	"math"
	"math/bits"

	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// farPrice is how much joining must be expected to cost against counting with a far vertex, for that to be done.
const farPrice = 1

// smallestFar is how many vertices a pattern has at least that is counted with a far vertex: of four it is a cycle (Squares), or has a leaf.
const smallestFar = 5

// findFar looks for a root that all others but one touch, the far vertex, and for the tail with which least is expected to be bound; false where
// counting step by step is expected to cost less.
func (d *denseFinder) findFar(label pcsr.Label, anyCost bool) bool {
	if d.n < smallestFar {
		return false
	}
	var root, far int
	var tail uint8
	var stats *density
	least := math.Inf(1)
	d.eachFar(func(r, f int) {
		stats = d.density(label)
		rest := d.near[r]
		for set := rest; set > 0; set = (set - 1) & rest {
			if !d.mayEnd(set) {
				continue
			}
			if cost := stats.farCost(d, f, rest&^set); cost < least {
				least, root, far, tail = cost, r, f, set
			}
		}
	})
	if tail == 0 || !anyCost && d.Plan.Cost < farPrice*least && bgp.Measure(context.Background(), d.Graph, d.Plan) < farPrice*least {
		return false
	}
	semantics := d.Plan.Query.Semantics
	d.best = &Dense{
		Times: 1, Label: label, Slots: append([]int{root, far}, d.order(d.near[root]&^tail, 1<<far)...),
		Far: &DenseFar{Common: 1, Apart: semantics.Injective(), Absent: d.absent[root]>>far&1 != 0},
	}
	if semantics.Injective() {
		d.best.Far.Common = bits.OnesCount8(d.near[far])
	}
	return d.layTail(tail)
}

// eachFar calls f with each two vertices of which one is touched by all but the other, and that by two or more.
func (d *denseFinder) eachFar(f func(root, far int)) {
	for root := range d.n {
		far := bits.TrailingZeros8(^(d.near[root] | 1<<root))
		if bits.OnesCount8(d.near[root]) == d.n-2 && bits.OnesCount8(d.near[far]) > 1 {
			f(root, far)
		}
	}
}

// mayEnd reports whether vertices may be the tail.
func (d *denseFinder) mayEnd(tail uint8) bool {
	size := bits.OnesCount8(tail)
	if _, _, any := d.absentIn(tail); any && !d.loose {
		return false // the edges that must not be there would join the tail
	}
	return size <= cmp.Or(d.most, mostTail) && d.independent(tail) && d.sets(tail) <= MostTailSets
}
