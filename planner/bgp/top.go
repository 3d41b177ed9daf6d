package bgp

// Top says of which rows of a match the caller needs the first, of those that pass MatchPlan.Where: those that come first by one column, whose values are in the order of
// ORDER BY, or by what is computed of several.
type Top struct {
	// Column is that of MatchPlan.Output where there is no Of: a number. Descending: the greatest come first.
	Column     int
	Of         *Formula
	Descending bool
	// Rows is how many are needed at least: with others that may take the place of one of them, because they are equal by the column.
	Rows uint64
}

// Unordered returns a plan of which all rows are asked for: the plan itself where they are.
func (p *MatchPlan) Unordered() *MatchPlan {
	if p.Top == nil {
		return p
	}
	out := *p
	out.Top = nil
	return &out
}

// TopCost is what it costs a processor to find the first of the rows.
func (p *MatchPlan) TopCost() float64 {
	each := TopPrice
	if p.Top.Of != nil {
		each += SiftPrice
	}
	return p.SiftCost() + float64(each)*p.Passing()
}

// GPUTopCost is what that costs where a GPU matches, with a copy of the rows that may be among them.
func (p *MatchPlan) GPUTopCost() float64 {
	rows := p.Passing()
	kept, computed := min(rows, topShare*rows+float64(p.Top.Rows)), 0.0
	if p.Top.Of != nil {
		computed = SiftPrice * rows / GPUFoldShare
	}
	return p.GPUSiftCost() + computed + rows*TopPrice/GPUCombineShare + kept*(TopPrice+p.handPrice(0))
}

// OrderedBy names what the first rows are told by.
func (p *MatchPlan) OrderedBy() string {
	if p.Top.Of != nil {
		return p.FormulaText(p.Top.Of)
	}
	return p.named(p.Top.Column)
}

// topShare is the share of the rows that are expected to be copied because they fall into the bin of the last.
const topShare = 1. / 256
