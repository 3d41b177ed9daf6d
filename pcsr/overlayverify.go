package pcsr

import (
	"errors"
	"fmt"
)

// verify checks every graph of a union, and that those of an Overlay have no edge in common.
func (o *overlay) verify(u *Graph) error {
	for _, g := range o.graphs {
		if err := g.Verify(); err != nil {
			return err
		}
	}
	if !o.disjoint {
		return nil
	}
	errs := make([]error, len(u.used))
	parallel(len(u.used), func(i int) { errs[i] = o.verifyDisjoint(u.used[i]) })
	return errors.Join(errs...)
}

// verifyDisjoint looks for the edges of the smaller graphs in the larger ones.
func (o *overlay) verifyDisjoint(l Label) error {
	for i, g := range o.graphs {
		for v, list := range g.Partition(l, Out).Lists() {
			for _, other := range o.graphs[:i] {
				if n := countCommon(other.Partition(l, Out).Neighbours(v), list); n > 0 {
					return fmt.Errorf("pcsr: %d edges from %d by label %d are in two graphs of a union", n, v, l)
				}
			}
		}
	}
	return nil
}

// sizes are the sums over the graphs, and what has been merged.
func (o *overlay) sizes() Sizes {
	var s Sizes
	for _, g := range o.graphs {
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
	bytes := 0
	for i := range o.parts {
		for d := range o.parts[i] {
			if p := o.parts[i][d].made.Load(); p != nil && p.merged {
				bytes += p.Bytes()
			}
		}
	}
	for d := range o.sets {
		if made := o.sets[d].changes.made.Load(); made != nil {
			bytes += made.changed.Bytes() + made.labels.Bytes()
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
