package bgp

import "github.com/rdfgpu/rdfgpu/pcsr"

// Fold is what a caller needs of a match's rows in place of them: a row for each group, with what one column's numbers come to.
type Fold struct {
	// Keys are the columns of MatchPlan.Output that the rows are grouped by: none, one or two.
	Keys []int
	// Value is the column of the numbers, the only other one.
	Value int
	// Sums: the sum or the number of rows is asked for; Extremes: the least or the greatest number.
	Sums, Extremes bool
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
func (p *MatchPlan) FoldCost() float64 { return (CombinePrice + FoldPrice) * p.Rows() }

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
	return p.FoldCost()/GPUFoldShare + groups*(CombinePrice+GPUHandPrice+foldBytes/GPUCopyBytes)
}

// foldBytes are copied for a group.
const foldBytes = 48

// FoldedBy names the variables of a fold's keys and of its numbers.
func (p *MatchPlan) FoldedBy() (keys []string, value string) {
	for _, c := range p.Fold.Keys {
		keys = append(keys, p.Slots[p.Output[c]].Variable)
	}
	return keys, p.Slots[p.Output[p.Fold.Value]].Variable
}
