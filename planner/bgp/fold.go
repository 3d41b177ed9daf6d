package bgp

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Fold is what a caller needs of a match's rows in place of them: a row for each group of those that pass MatchPlan.Where, with what one column's numbers come
// to, or what is computed of several.
type Fold struct {
	// Keys are what the rows are grouped by: nothing, one thing or two.
	Keys []FoldKey
	// Value is the column of the numbers, -1 where only rows are counted or there is Of: what is added up.
	Value int
	Of    *Formula
	// Sums: the sum or the number of rows is asked for; Extremes: the least or the greatest number.
	Sums, Extremes bool
	// First, where it is not nil, says of which groups the first are needed; others may be left out.
	First *FirstGroups
}

// FoldKey is a column of MatchPlan.Output, or the numbers that are computed of some.
type FoldKey struct {
	Column int
	Of     *Formula
}

// Computes reports whether it is asked for what has to be computed of each row.
func (f *Fold) Computes() bool {
	return f.Of != nil || slices.ContainsFunc(f.Keys, func(k FoldKey) bool { return k.Of != nil })
}

// FoldOrder is what groups are compared by: the sum, the number of rows, or the mean.
type FoldOrder uint8

// The orders.
const (
	BySum FoldOrder = iota
	ByCount
	ByMean
)

var foldOrders = [...]string{"the sum", "the number of rows", "the mean"}

// String names it for explain.
func (o FoldOrder) String() string { return foldOrders[o] }

// FirstGroups are so many groups at least that come first in the order of ORDER BY, and those that are equal by it.
type FirstGroups struct {
	By         FoldOrder
	Descending bool
	Rows       uint64
}

// Unfolded returns a plan whose rows are asked for themselves: the plan itself where they are.
func (p *MatchPlan) Unfolded() *MatchPlan {
	if p.Fold == nil {
		return p
	}
	out := *p
	out.Fold = nil
	return &out
}

// FoldCost is what it costs a processor to group rows and to add up their numbers.
func (p *MatchPlan) FoldCost() float64 {
	each := CombinePrice
	if p.Fold.Sums || p.Fold.Extremes {
		each += FoldPrice
	}
	if p.Fold.Of != nil {
		each += SiftPrice
	}
	for _, k := range p.Fold.Keys {
		if k.Of != nil {
			each += SiftPrice
		}
	}
	return p.SiftCost() + float64(each)*p.Passing()
}

// GPUFoldCost is what that costs where a GPU matches, with a copy of the groups.
func (p *MatchPlan) GPUFoldCost(g *pcsr.Graph) float64 {
	groups := 1.0
	if len(p.Fold.Keys) > 0 {
		slots := make([]int, 0, 2)
		for _, k := range p.Fold.Keys {
			for _, c := range k.columns() {
				slots = append(slots, p.Output[c])
			}
		}
		groups = p.different(g, slots)
		for _, k := range p.Fold.Keys {
			if k.Of != nil {
				groups = max(1, groups*computedShare)
			}
		}
	}
	if f := p.Fold.First; f != nil {
		groups = min(groups, topShare*groups+float64(f.Rows))
	}
	return p.FoldCost()/GPUFoldShare + groups*(CombinePrice+GPUHandPrice+foldBytes/GPUCopyBytes)
}

// computedShare is how many groups are expected by what is computed for each by what it is computed of.
const computedShare = 1. / 8

// columns are those that a key is made of.
func (k *FoldKey) columns() []int {
	if k.Of == nil {
		return []int{k.Column}
	}
	return k.Of.Columns(nil)
}

// foldBytes are copied for a group.
const foldBytes = 48

// FoldedBy names a fold's keys, and what is added up or compared; "" where only rows are counted.
func (p *MatchPlan) FoldedBy() (keys []string, value string) {
	for _, k := range p.Fold.Keys {
		if k.Of != nil {
			keys = append(keys, p.FormulaText(k.Of))
		} else {
			keys = append(keys, p.named(k.Column))
		}
	}
	switch f := p.Fold; {
	case f.Of != nil:
		value = p.FormulaText(f.Of)
	case f.Value >= 0:
		value = p.named(f.Value)
	}
	return keys, value
}
