package match

import (
	"cmp"
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
	// pairs is how many pairs of vertices have two common neighbours or more, corners how many of these the ends of a path of two edges have.
	pairs, corners float64
}

// sampledEdges is how many edges are looked at.
const sampledEdges = 128

// density looks at the edges once.
func (d *denseFinder) density(label pcsr.Label) *density {
	if d.stats == nil {
		d.stats = sampleDensity(d.Graph.Partition(label, pcsr.Out).Ground())
	}
	return d.stats
}

func sampleDensity(p *pcsr.Partition) *density {
	a, out := p.Arrays(), &density{}
	if a.Offsets == nil || len(a.Neighbours) == 0 {
		return &density{edges: float64(len(a.Neighbours)), neighbours: 1, common: 1, again: 1, words: 1}
	}
	squares := 0.0
	for i := range sampledEdges {
		at := uint32((2*uint64(i) + 1) * uint64(len(a.Neighbours)) / (2 * sampledEdges))
		row, _ := slices.BinarySearch(a.Offsets, at+1)
		common := inCommon(p.List(row-1), p.Neighbours(a.Neighbours[at]))
		n := float64(p.Degree(row - 1))
		out.neighbours += n / sampledEdges
		out.words += n * n / 64 / sampledEdges
		out.common += common / sampledEdges
		squares += common * common / sampledEdges
	}
	out.edges, out.again = float64(len(a.Neighbours)), max(squares, 1)/max(out.common, 1)
	out.words /= out.neighbours
	out.addCorners(p)
	return out
}

// inCommon is how many members two sorted lists have in common.
func inCommon(list, other []pcsr.Vertex) (n float64) {
	if len(other) < len(list) {
		list, other = other, list
	}
	for _, v := range list {
		if pcsr.Contains(other, v) {
			n++
		}
	}
	return n
}

// cost is how often the last of the levels is expected to be bound.
func (y *density) cost(d *denseFinder, levels uint8) float64 {
	cost, done := y.edges, uint8(0)
	for i, v := range d.order(levels, 0) {
		if i > 0 {
			cost *= y.bindings(i, bits.OnesCount8(d.near[v]&done))
		}
		done |= 1 << v
	}
	return cost
}

// bindings is how many a level is expected to have for each of those before it: a neighbour of the root, and of so many of the levels.
func (y *density) bindings(level, near int) float64 {
	switch {
	case near <= 0:
		return y.neighbours
	case level == 1:
		return y.common
	}
	return y.again * math.Pow(y.closing(), float64(near-1))
}

// addCorners tells pairs and corners by a path of two edges behind each of the sampled edges.
func (y *density) addCorners(p *pcsr.Partition) {
	a := p.Arrays()
	var paths, several, corners float64
	for i := range sampledEdges {
		at := uint32((2*uint64(i) + 1) * uint64(len(a.Neighbours)) / (2 * sampledEdges))
		row, _ := slices.BinarySearch(a.Offsets, at+1)
		middle := p.Neighbours(a.Neighbours[at])
		if len(middle) == 0 {
			continue // the edge back came later
		}
		common := inCommon(p.List(row-1), p.Neighbours(middle[7919*i%len(middle)]))
		n := float64(len(middle))
		paths += n
		corners += n * common
		if common > 1 {
			several += n / common
		}
	}
	if paths > 0 {
		y.corners = corners / paths
		y.pairs = y.edges * y.neighbours * several / paths
	}
}

// leastDeeper is how many more there are at least with one level more: where there are any, they are in a part of the graph that is denser than the sample.
const leastDeeper = 2

// farCost is what counting with a far vertex is expected to cost, the rest of the levels being these: paths of two edges that are walked, and words of
// sets with the last level bound.
func (y *density) farCost(d *denseFinder, far int, levels uint8) float64 {
	walked := y.edges * y.neighbours
	bound, done := y.pairs, uint8(1)<<far
	for i, v := range d.order(levels, done) {
		near := uint8(bits.OnesCount8(d.near[v] & done &^ (1 << far))) // of the levels
		bound = y.farBindings(bound, i, (1<<near-1)<<1|d.near[v]>>far&1)
		done |= 1 << v
	}
	return walked + bound*(1+y.words)
}

// bindCost is what binding the last level once costs a processor in neighbourhoods, in candidates.
const bindCost = 5

// PieceCost is what counting in neighbourhoods (Dense) is expected to cost, by a sample of edges: unlike a plan's estimates it knows how often two neighbours of a vertex
// are neighbours. Symmetries are left out.
type PieceCost struct {
	// Processor is what it costs one thread of a processor, in candidates.
	Processor float64
	// Lists is how many lists are looked through, by what leads up in them, for the edges of neighbourhoods; Walked how many members of lists are walked to far
	// vertices.
	Lists, Walked float64
}

// PieceCost returns it; false where Dense is nil.
func (l *Lowering) PieceCost() (c PieceCost, ok bool) {
	d := denseFinder{Lowering: l}
	if l.Dense == nil {
		return c, false
	}
	label, ok := d.findNear()
	if !ok {
		return c, false
	}
	y, levels := d.density(label), uint8(0)
	slots := l.Dense.Slots[1 : 1+len(l.Dense.Levels)]
	if c.Lists = y.edges; l.Dense.Upward {
		c.Lists /= 2
	}
	if l.Dense.Far != nil {
		y.addCorners(d.Graph.Partition(label, pcsr.Out).Ground())
		for _, slot := range slots[1:] {
			levels |= 1 << slot
		}
		c.Processor, c.Walked = y.farCost(&d, slots[0], levels), 2*y.edges*y.neighbours
		return c, true
	}
	for _, slot := range slots {
		levels |= 1 << slot
	}
	c.Processor = y.edges*y.words + bindCost*y.cost(&d, levels)
	return c, true
}

// termCost is what a count is expected to cost beside others of a sum: words of neighbourhoods, or paths of two edges, and words of sets with the last
// level bound.
func (d *denseFinder) termCost(b *Dense) float64 {
	y := d.stats
	ready, bound := y.edges*y.words, y.edges
	if b.Far != nil {
		ready, bound = y.edges*y.neighbours, y.pairs
	}
	bound /= b.ordered(0)
	triples := d.tuning.TripleLevels > 0 && b.ByTriples()
	for i, s := range b.Levels[1:] {
		if b.Outer && i == len(b.Levels)-2 {
			bound *= y.neighbours
		} else if b.Far != nil {
			bound = y.farBindings(bound, i, s.Near) * math.Pow(1-y.closing()/2, float64(bits.OnesCount8(s.Absent)))
		} else {
			bound *= y.among(i+1, bits.OnesCount8(s.Near), bits.OnesCount8(s.Absent))
		}
		bound /= b.ordered(i + 1)
		if triples {
			ready += bound * tripleLevelCost(i+1, s.Near&3 == 3)
		}
	}
	if triples {
		return ready + bound*b.triplePrice()
	}
	deeper := max(0, len(b.Levels)-3)
	return ready + bound*(1+y.words)*math.Pow(cmp.Or(d.tuning.DeepPrice, deepPrice), float64(deeper*(deeper+1)/2))
}

// deepPrice is Tuning.DeepPrice: what is bound behind several levels is in parts of the graph that are denser than the sample.
const deepPrice = 2.5

// ordered is of how many of a level's candidates one is in the order that tells symmetric solutions apart.
func (d *Dense) ordered(level int) float64 {
	above := bits.OnesCount8(d.Levels[level].Above)
	if d.Upward || d.Levels[level].Upper {
		above++
	}
	return float64(1 + above)
}

// closing is the share of pairs of a root's neighbours that have a neighbour there in common and are neighbours.
func (y *density) closing() float64 { return min(1, y.again/y.neighbours) }

// farBindings is how often a level is bound behind a far vertex, which is the first of those that it is near, the levels before it being bound so often.
func (y *density) farBindings(bound float64, level int, near uint8) float64 {
	others := float64(bits.OnesCount8(near &^ 1))
	switch ofFar := near&1 != 0; {
	case ofFar && level == 0:
		return min(y.edges*y.neighbours, bound*y.corners)
	case ofFar:
		return bound * max(leastDeeper, y.corners*math.Pow(y.closing(), others))
	case others == 0:
		return bound * y.neighbours
	}
	return bound * max(leastDeeper, y.common*math.Pow(y.closing(), others-1))
}
