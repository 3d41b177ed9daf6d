package pcsr

import (
	"errors"
	"fmt"
	"math"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// verify checks every graph of a union, and that the segments of an Overlay add no edge that is there and remove none that is not.
func (o *overlay) verify(u *Graph) error {
	for _, g := range o.graphs() {
		if err := g.Verify(); err != nil {
			return err
		}
	}
	if !o.disjoint {
		return nil
	}
	errs := make([]error, len(u.used))
	machine.Parallel(len(u.used), func(i int) { errs[i] = o.verifySegments(u.used[i]) })
	return errors.Join(errs...)
}

// graphs are those of all segments.
func (o *overlay) graphs() (graphs []*Graph) {
	for _, l := range o.segments {
		graphs = append(graphs, l.Added)
		if l.Removed != nil {
			graphs = append(graphs, l.Removed)
		}
	}
	return graphs
}

// verifySegments looks for the edges of each segment in those below.
func (o *overlay) verifySegments(l Label) error {
	for i, segment := range o.segments {
		below := func(v Vertex) []Vertex {
			list, _ := neighboursIn(o.segments[:i], v, l, Out, math.MaxInt)
			return list
		}
		for v, list := range segment.Added.Partition(l, Out).Lists() {
			there := below(v)
			if segment.Removed != nil {
				there = withoutMembers(there, segment.Removed.Neighbours(v, l, Out))
			}
			if n := countCommon(there, list); n > 0 {
				return fmt.Errorf("pcsr: %d edges from %d by label %d are in two graphs of a union", n, v, l)
			}
		}
		if segment.Removed == nil {
			continue
		}
		for v, list := range segment.Removed.Partition(l, Out).Lists() {
			if n := len(list) - countCommon(below(v), list); n > 0 {
				return fmt.Errorf("pcsr: %d edges from %d by label %d are removed from a union that has them not", n, v, l)
			}
		}
	}
	return nil
}

// sizes are the sums over the graphs, and what has been merged.
func (o *overlay) sizes() Sizes {
	var s Sizes
	for _, g := range o.graphs() {
		t := g.Sizes()
		s.Neighbours, s.Offsets, s.RowLayers = s.Neighbours+t.Neighbours, s.Offsets+t.Offsets, s.RowLayers+t.RowLayers
		s.LabelSets, s.Signatures = s.LabelSets+t.LabelSets, s.Signatures+t.Signatures
		s.Single, s.Merged = s.Single+t.Single, s.Merged+t.Merged
		for i, n := range t.Layers {
			s.Layers[i] += n
		}
	}
	s.Merged += o.merged()
	return s
}

// merged is what was made in memory, in bytes.
func (o *overlay) merged() int {
	bytes := int(o.bytes.Load())
	for d := range o.sets {
		if made := o.sets[d].changes.made.Load(); made != nil {
			bytes += made.changed.Bytes()
		}
		if whole := o.sets[d].whole.made.Load(); whole != nil {
			bytes += whole.Bytes()
		}
	}
	if t := o.table.made.Load(); t != nil && t.whole != nil {
		bytes += t.whole.bytes() + t.touched[len(t.touched)-1].bytes() + t.late.bytes()
	}
	return bytes
}
