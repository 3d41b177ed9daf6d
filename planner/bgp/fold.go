package bgp

import "github.com/rdfgpu/rdfgpu/pcsr"

// Fold is what a caller needs of a match's rows in place of them: a row for each group of those that pass MatchPlan.Where, with what one column's numbers come
// to, or what is computed of several.
type Fold struct {
	// Keys are the columns of MatchPlan.Output that the rows are grouped by: none, one or two.
	Keys []int
	// Value is the column of the numbers, -1 where only rows are counted or there is Of: what is added up.
	Value int
	Of    *Formula
	// Sums: the sum or the number of rows is asked for; Extremes: the least or the greatest number.
	Sums, Extremes bool
	// First, where it is not nil, says of which groups the first are needed; others may be left out.
	First *FirstGroups
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
	each := CombinePrice + FoldPrice
	if p.Fold.Of != nil {
		each += SiftPrice
	}
	return p.SiftCost() + float64(each)*p.Passing()
}

// GPUFoldCost is what that costs where a GPU matches, with a copy of the groups.
func (p *MatchPlan) GPUFoldCost(g *pcsr.Graph) float64 {
	groups := 1.0
	if len(p.Fold.Keys) > 0 {
		slots := make([]int, 0, 2)
		for _, c := range p.Fold.Keys {
			slots = append(slots, p.Output[c])
		}
		groups = p.different(g, slots)
	}
	if f := p.Fold.First; f != nil {
		groups = min(groups, topShare*groups+float64(f.Rows))
	}
	return p.FoldCost()/GPUFoldShare + groups*(CombinePrice+GPUHandPrice+foldBytes/GPUCopyBytes)
}

// foldBytes are copied for a group.
const foldBytes = 48

// FoldedBy names the variables of a fold's keys, and what is added up or compared; "" where only rows are counted.
func (p *MatchPlan) FoldedBy() (keys []string, value string) {
	for _, c := range p.Fold.Keys {
		keys = append(keys, p.named(c))
	}
	switch f := p.Fold; {
	case f.Of != nil:
		value = p.FormulaText(f.Of)
	case f.Value >= 0:
		value = p.named(f.Value)
	}
	return keys, value
}
