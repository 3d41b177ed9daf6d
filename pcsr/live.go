package pcsr

import (
	"slices"
	"sync/atomic"
)

// live is what a Graph has that Change made: what is different in it from the ground, which it shares with the graphs that it
// came of and those that come of it.
type live struct {
	line   *lineage
	labels tree[*changedLabel]
	// numbers are those of the label sets that the ground does not have, by their hashes.
	numbers        [2]tree[setNumber]
	added, removed uint64         // edges that the ground does not have, and that it alone has
	used           *lazy[[]Label] // UsedLabels, for all graphs with the same ones
	bytes          int            // of the partitions that differ
	unsettled      int            // how many labels, and directions of label sets, Settle would settle
}

// lineage is what the graphs share that Change makes, one of the other.
type lineage struct {
	ground *Graph
	// touched are vertices that got edges which the signatures of the ground know nothing of, late the classes that vertices of the
	// ground got.
	touched, late marks
	table         lazy[SignatureTable]
	sets          [2]lazy[setIndex]
	held          atomic.Int64 // bytes of the lists that were made
	tuning        changeTuning
}

// changeTuning says how much of a partition is settled and rewritten; it is other in tests.
type changeTuning struct {
	// leastSettled edges are to have changed before settling is worth its time, leastRewritten to change at once.
	leastSettled, leastRewritten int
	// rewriteEdges is about how many edges a goroutine takes at a time.
	rewriteEdges int
}

// tuned is changeTuning as it was measured.
var tuned = changeTuning{leastSettled: leastSettled, leastRewritten: leastRewritten, rewriteEdges: 1 << 12}

// changedLabel is a label whose edges differ from those of the ground, or that was settled. It is shared by all graphs in
// which it is the same.
type changedLabel struct {
	unranked
	parts             [2]*Partition
	undirected, loops knowledge
}

// knowledge is whether something is so, once that is known.
type knowledge struct{ is atomic.Int32 }

const (
	unknown int32 = iota
	no
	yes
)

func known(is bool) int32 { return no + int32(oneIf(is)) }

// find returns what is known, looking the first time.
func (k *knowledge) find(look func() bool) bool {
	if k.is.Load() == unknown {
		k.is.Store(known(look()))
	}
	return k.is.Load() == yes
}

func (c *changedLabel) edges() int { return c.parts[Out].Edges() }

// bytes is about what was touched takes.
func (c *changedLabel) bytes() int { return c.parts[Out].touchedBytes() + c.parts[In].touchedBytes() }

// label returns a label that was changed, nil where it is as in the ground.
func (x *live) label(l Label) *changedLabel {
	if c := x.labels.get(l); c != nil {
		return *c
	}
	return nil
}

// partition is Graph.Partition.
func (x *live) partition(l Label, d Direction) *Partition {
	if c := x.label(l); c != nil {
		return c.parts[d&1]
	}
	return x.line.ground.Partition(l, d)
}

// hasLabel is Graph.HasLabel.
func (x *live) hasLabel(l Label) bool {
	if c := x.label(l); c != nil {
		return c.edges() > 0
	}
	return x.line.ground.HasLabel(l)
}

// usedLabels is Graph.UsedLabels.
func (x *live) usedLabels() []Label {
	if made := x.used.made.Load(); made != nil {
		return *made
	}
	return *x.used.get(func() *[]Label {
		var used []Label
		for _, l := range x.line.ground.UsedLabels() {
			if x.hasLabel(l) {
				used = append(used, l)
			}
		}
		n := len(used)
		x.labels.ascend(0, func(l Label, c **changedLabel) bool {
			if (*c).edges() > 0 && !x.line.ground.HasLabel(l) {
				used = append(used, l)
			}
			return true
		})
		if n > 0 && len(used) > n {
			slices.Sort(used)
		}
		return &used
	})
}

// holder is the graph to be asked about a label: what has not been changed is known better by the ground.
func (g *Graph) holder(l Label) *Graph {
	if g.live != nil && g.live.label(l) == nil {
		return g.live.line.ground
	}
	return g
}
