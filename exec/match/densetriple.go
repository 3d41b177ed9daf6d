package match

import (
	"math"
	"math/bits"
)

// Of wiki-Vote's triples, a root and two of its neighbours, all but one in a hundred have up to 64 neighbours in common, where a root has up to 1,065. Where all that
// is bound behind the third level, and the tail, are neighbours of what the first two levels are bound to, a GPU counts them in bitmaps of these alone
// (kernels/triple.cuh): levels are put in an order in which that is so.

// tripleOrder is the order of the levels by which least is expected to be bound of those that are counted by triples, the tail being this; the one that there is where
// there is none.
func (d *denseFinder) tripleOrder(order []int, tail uint8) []int {
	best, least := order, 0.0
	var extend func(head []int, rest uint8)
	extend = func(head []int, rest uint8) {
		if rest == 0 {
			if cost := d.stats.tripleCost(d, head); len(best) == 0 || &best[0] == &order[0] || cost < least {
				best, least = append([]int(nil), head...), cost
			}
			return
		}
		for left := rest; left != 0; left &= left - 1 {
			v := bits.TrailingZeros8(left)
			if len(head) < 3 || d.ofTriple(head, 1<<v) {
				extend(append(head, v), rest&^(1<<v))
			}
		}
	}
	levels := uint8(0)
	for _, v := range order {
		levels |= 1 << v
	}
	for first := levels; first != 0; first &= first - 1 {
		for second := levels &^ (first & -first); second != 0; second &= second - 1 {
			head := []int{bits.TrailingZeros8(first), bits.TrailingZeros8(second)}
			if d.ofTriple(head, tail) {
				extend(head, levels&^(1<<head[0]|1<<head[1]))
			}
		}
	}
	return best
}

// ofTriple reports whether some vertices are neighbours of both that the first two levels are.
func (d *denseFinder) ofTriple(head []int, set uint8) bool {
	return set&^(d.near[head[0]]&d.near[head[1]]) == 0
}

// Prices of counting by triples, in bindings of the last level: of a triple, and of a binding of the third level that is a neighbour of all three or is not.
const (
	tripleCost = 10
	innerCost  = 1
	outerCost  = 4
	// innerDeeper is for each level behind the third, where that is such a neighbour.
	innerDeeper = 8
)

// tripleCost is what is expected to be bound with the levels in an order, symmetries left out.
func (y *density) tripleCost(d *denseFinder, order []int) (cost float64) {
	bound, done := 1.0, uint8(0)
	for i, v := range order {
		if i > 0 {
			bound *= y.among(i, bits.OnesCount8(d.near[v]&done), bits.OnesCount8(d.absent[v]&done))
		}
		done |= 1 << v
		cost += bound * tripleLevelCost(i, d.ofTriple(order, 1<<v))
	}
	return cost + bound
}

// tripleLevelCost is what binding a level once costs beside the last, which is a neighbour of both that the first two levels are bound to, or not.
func tripleLevelCost(level int, inner bool) float64 {
	switch {
	case level == 1:
		return tripleCost
	case level == 2 && inner:
		return innerCost
	case level == 2:
		return outerCost
	}
	return 0
}

// among is how many a level is expected to have that must be neighbours of so many levels before it, and must not be of others.
func (y *density) among(level, near, absent int) float64 {
	n := max(leastDeeper, y.bindings(level, near))
	for range absent {
		n *= 1 - y.closing()/2
	}
	return n
}

// triplePrice is what binding the last level costs beside one behind a third level that is no neighbour of all three, of which there are many for all lanes: else
// what they have differs the more, the deeper the levels.
func (d *Dense) triplePrice() float64 {
	if d.Levels[2].Near&3 != 3 {
		return 1
	}
	return math.Pow(innerDeeper, float64(len(d.Levels)-3))
}

// ByTriples reports whether all but the third level are neighbours of what the first two levels are bound to, those levels apart.
func (d *Dense) ByTriples() bool {
	if len(d.Levels) < 3 || d.Far != nil {
		return false
	}
	for _, sets := range [][]DenseSet{d.Levels[3:], d.Tail} {
		for _, s := range sets {
			if s.Near&3 != 3 {
				return false
			}
		}
	}
	return true
}
