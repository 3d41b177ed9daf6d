package bgp

import "slices"

// Listable is how many of the plan's own steps come before those that are Counted: its leaves are the last of them.
func (p *MatchPlan) Listable() int {
	end := p.Own()
	for end > 0 && p.Steps[end-1].Counted {
		end--
	}
	return end
}

// Leaves is how many steps, up to Listable, bind a slot that no step and no branch reads, and depend on others. What they bind is independent of each other: a
// matcher may hand on a list for each (vector.Batch.Lists) in place of all combinations.
func (p *MatchPlan) Leaves() int {
	if len(p.Order) > 0 {
		return 0
	}
	end := p.Listable()
	read := make([]bool, len(p.Slots)+1)
	visit := func(slot int) { read[slot] = true }
	for k := range p.Steps[end:] {
		p.Steps[end+k].EachSlot(visit)
	}
	for i := range p.Branches {
		p.Branches[i].eachOperand(func(o Operand) {
			if !o.IsConstant() {
				visit(o.Slot)
			}
		})
	}
	for k := end - 1; k >= 0; k-- {
		slot, depends := p.Inputs+k, false
		if read[slot] {
			return end - 1 - k
		}
		p.Steps[k].EachSlot(func(other int) {
			if other != slot {
				visit(other)
				depends = true
			}
		})
		if !depends {
			return end - 1 - k
		}
	}
	return end
}

// IsListed reports whether step k is one of the leaves that are handed on as lists: the others are counted.
func (p *MatchPlan) IsListed(k int) bool {
	end := p.Listable()
	return end-p.Lists <= k && k < end && slices.Contains(p.Output, p.Inputs+k)
}

// Factors are for what a plan's last leaves are handed on as lists, and rows with weights: how many leaves, and for how many solutions a row is then expected to stand. Leaves
// with about one candidate are not among them, unless others come before them.
func (p *MatchPlan) Factors() (lists int, solutions float64) {
	end := p.Listable()
	first := end - p.Leaves()
	for first < end && p.fan(first) < leastFan {
		first++
	}
	solutions = 1
	for k := first; k < p.Own(); k++ {
		solutions *= p.fan(k)
	}
	return end - first, solutions
}

// leastFan is from how many candidates on a leaf is worth a list.
const leastFan = 1.3

// fan is how many candidates of a step are expected for one row of those before it that are not Counted.
func (p *MatchPlan) fan(k int) float64 {
	rows := 1.0
	for i := range p.Steps[:k] {
		if !p.Steps[i].Counted {
			rows = p.Steps[i].EstimatedRows
		}
	}
	if rows <= 0 {
		return 1
	}
	return p.Steps[k].EstimatedRows / rows
}

// Split splits a plan with Lists into what its listed leaves hang from, of which all slots come out, and the rest: the leaves, and all that is counted, for given rows of
// these slots. The plan has no input.
func (p *MatchPlan) Split() (core, rest *MatchPlan) {
	first := p.Listable() - p.Lists
	core, rest = &MatchPlan{}, &MatchPlan{}
	*core, *rest = *p, *p
	core.Steps, core.Slots, core.Branches, core.Lists, core.kept = p.Steps[:first:first], p.Slots[:first:first], nil, 0, nil
	core.Output = make([]int, first)
	for slot := range core.Output {
		core.Output[slot] = slot
	}
	rest.Inputs, rest.Steps, rest.kept = first, p.Steps[first:], nil
	rest.InputChecks, rest.InputClasses, rest.InputDistinct, rest.InputEdgeDistinct = nil, nil, nil, nil
	return core, rest
}
