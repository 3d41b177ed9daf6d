package bgp

// Top says of which rows of a match the caller needs the first: those that come first by one column, whose values are in the order of ORDER BY.
type Top struct {
	// Column is that of MatchPlan.Output, Descending: the greatest come first.
	Column     int
	Descending bool
	// Rows is how many are needed at least: with others that may take the place of one of them, because they are equal by the column.
	Rows uint64
}

// TopCost is what it costs a processor to find the first of the rows.
func (p *MatchPlan) TopCost() float64 { return TopPrice * p.Rows() }

// GPUTopCost is what that costs where a GPU matches, with a copy of the rows that may be among them.
func (p *MatchPlan) GPUTopCost() float64 {
	rows := p.Rows()
	kept := min(rows, topShare*rows+float64(p.Top.Rows))
	return rows*TopPrice/GPUCombineShare + kept*(TopPrice+p.handPrice(0))
}

// topShare is the share of the rows that are expected to be copied because they fall into the bin of the last.
const topShare = 1. / 256
