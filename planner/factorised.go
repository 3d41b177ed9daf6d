package planner

// factorise lets the rows of an answer come with lists of what leaves bind and with weights (bgp.MatchPlan.Factors), where each is expected to stand for some solutions:
// whoever writes them puts into text once what these have in common.
func (p *planner) factorise(n Node) {
	switch n := n.(type) {
	case *Match:
		if len(n.Seeds) > 0 || n.Limit > 0 || n.Plan.Once || n.Rows < p.options.Tuning.FactoredRows {
			return
		}
		if lists, solutions := n.Plan.Factors(); solutions >= p.options.Tuning.FactorGain {
			n.Plan.Lists, n.Weighted = lists, true
		}
	case *Project:
		p.factorise(n.Input)
		n.Weighted = n.Input.Props().Weighted
	}
}
