package match

import (
	"math"
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// density is what neighbourhoods are like, as a sample of edges tells: of the neighbours of a root, one is an edge.
type density struct {
	edges float64
	// neighbours is how many a root has; common how many of them are neighbours of the one, and again how many of the others are where that is
	// known of one.
	neighbours, common, again float64
	// words is how many words a bitmap has, for each of a root's neighbours and each of them again.
	words float64
}

// sampledEdges is how many edges are looked at.
const sampledEdges = 128

func (d *denseFinder) density(label pcsr.Label) (out density) {
	a := d.Graph.Partition(label, pcsr.Out).Ground().Arrays()
	if a.Offsets == nil || len(a.Neighbours) == 0 {
		return density{edges: float64(len(a.Neighbours)), neighbours: 1, common: 1, again: 1, words: 1}
	}
	ground := d.Graph.Partition(label, pcsr.Out).Ground()
	squares := 0.0
	for i := range sampledEdges {
		at := uint32((2*uint64(i) + 1) * uint64(len(a.Neighbours)) / (2 * sampledEdges))
		row, _ := slices.BinarySearch(a.Offsets, at+1)
		list, other := ground.List(row-1), ground.Neighbours(a.Neighbours[at])
		if len(other) < len(list) {
			list, other = other, list
		}
		common := 0.0
		for _, v := range list {
			if pcsr.Contains(other, v) {
				common++
			}
		}
		n := float64(ground.Degree(row - 1))
		out.neighbours += n / sampledEdges
		out.words += n * n / 64 / sampledEdges
		out.common += common / sampledEdges
		squares += common * common / sampledEdges
	}
	out.edges, out.again = float64(len(a.Neighbours)), max(squares, 1)/max(out.common, 1)
	out.words /= out.neighbours
	return out
}

// cost is how often the last of the levels is expected to be bound.
func (y *density) cost(d *denseFinder, levels uint8) float64 {
	cost, done := y.edges, uint8(0)
	for i, v := range d.order(levels) {
		near := bits.OnesCount8(d.near[v] & done)
		switch {
		case i == 0:
		case near == 0:
			cost *= y.neighbours
		case i == 1:
			cost *= y.common
		default:
			cost *= y.again * math.Pow(min(1, y.again/y.neighbours), float64(near-1))
		}
		done |= 1 << v
	}
	return cost
}
