package match

import (
	"context"
	"math"
	"math/bits"

	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Of what is matched induced two vertices may be no neighbours of the root: a far one, and an outer one that is a neighbour of that. The outer one is the last level: all
// that is asked of it is which of the root's neighbours are its own. The tail is one vertex.

// findOuter looks for a root, a far vertex and an outer one, and for the tail with which least is expected to be bound; false where counting step by step is expected to
// cost less.
func (d *denseFinder) findOuter(label pcsr.Label, anyCost bool) bool {
	if d.n < smallestFar || d.Plan.Query.Semantics != bgp.Induced {
		return false
	}
	best, least := (*Dense)(nil), math.Inf(1)
	d.eachOuter(func(root, far, outer int) {
		stats := d.density(label)
		for rest := d.near[root]; rest != 0; rest &= rest - 1 {
			tail := rest & -rest
			inner := d.near[root] &^ tail
			cost := stats.farCost(d, far, inner) * (1 + stats.neighbours)
			if inner == 0 || cost >= least {
				continue
			}
			d.best = &Dense{
				Times: 1, Label: label, Slots: append(append([]int{root, far}, d.order(inner, 1<<far)...), outer), Outer: true,
				Far: &DenseFar{Common: bits.OnesCount8(d.near[far] & d.near[root]), Apart: true, Absent: true},
			}
			if d.layTail(tail) && d.best.outerIsFree() {
				best, least = d.best, cost
			}
		}
	})
	d.best = best
	return best != nil && (anyCost || d.Plan.Cost >= farPrice*least || bgp.Measure(context.Background(), d.Graph, d.Plan) >= farPrice*least)
}

// eachOuter calls f with each three vertices of which the first is touched by all but the others, the second by the third and by others.
func (d *denseFinder) eachOuter(f func(root, far, outer int)) {
	for root := range d.n {
		for far := range d.n {
			outer := bits.TrailingZeros8(d.all() &^ (d.near[root] | 1<<root | 1<<far))
			both := uint8(1)<<far | 1<<outer
			if d.absent[root] == both && bits.OnesCount8(both) == 2 && d.near[far]>>outer&1 != 0 && d.near[far]&d.near[root] != 0 {
				f(root, far, outer)
			}
		}
	}
}

// outerIsFree reports whether the order that tells symmetric solutions apart leaves the outer vertex alone, and tells the root from no other than the far one.
func (d *Dense) outerIsFree() bool {
	last := len(d.Levels) - 1
	for _, s := range append(d.Levels[1:len(d.Levels):len(d.Levels)], d.Tail...) {
		if s.Upper || s.Above>>last&1 != 0 {
			return false
		}
	}
	return d.Levels[last].Above == 0
}
