package bgp

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Repeats reports whether rows that come out may be equal: a step that is enumerated binds what nobody reads.
func (p *MatchPlan) Repeats() bool {
	for k, s := range p.Steps[:p.Own()] {
		if (p.Once || !s.Counted) && !slices.Contains(p.Output, p.Inputs+k) {
			return true
		}
	}
	return false
}

// Separate returns a plan that asks for all rows, neither combined nor folded, nor the first or those that pass alone: the plan itself where it does.
func (p *MatchPlan) Separate() *MatchPlan {
	if !p.Combine && p.Fold == nil && p.Top == nil && p.Where == nil {
		return p
	}
	out := *p
	out.Combine, out.Fold, out.Top, out.Where = false, nil, nil, nil
	return &out
}

// AboveCost is what it costs a processor to group the rows, to tell them apart, or to test them, that a matcher hands on one by one; 0 where nothing of that
// is known.
func (p *MatchPlan) AboveCost() float64 {
	joined := 0.0
	for i := range p.Lookups {
		joined += p.Lookups[i].Otherwise
	}
	return joined + p.aboveRows()
}

func (p *MatchPlan) aboveRows() float64 {
	switch {
	case p.Fold != nil:
		return p.FoldCost()
	case p.Combine:
		return p.SiftCost() + p.CombineCost()
	case p.Top != nil:
		return p.TopCost()
	}
	return p.SiftCost()
}

// Rows is how many rows are expected to come out, each maybe with a weight.
func (p *MatchPlan) Rows() float64 {
	rows := 1.0
	for _, s := range p.Steps[:p.Own()] {
		if !s.Counted {
			rows = s.EstimatedRows
		}
	}
	return rows
}

// CombineCost is what it costs a processor to combine the rows that a matcher hands on one by one.
func (p *MatchPlan) CombineCost() float64 { return CombinePrice * p.Rows() }

// GPUCombineCost is what that costs where a GPU matches: there, with a copy of the groups, or a copy of the rows and the processor's work.
func (p *MatchPlan) GPUCombineCost(g *pcsr.Graph) float64 {
	if !p.Combine {
		return p.CombineCost() + p.GPUHandCost()
	}
	groups, each := p.Groups(g), p.handPrice(8)
	if p.Tally > 0 {
		groups = min(groups, p.values(g, p.Output[p.Tally-1]))
	} else if !p.Whole {
		each += CombinePrice
	}
	return p.CombineCost()/GPUCombineShare + groups*each
}

// GPUHandCost is what it costs that rows which a GPU has matched are copied, and taken from there by one goroutine.
func (p *MatchPlan) GPUHandCost() float64 {
	if len(p.Output) == 0 {
		return 0
	}
	return p.GPUSiftCost() + p.Passing()*p.handPrice(0)
}

// handPrice is the part of that of one row, which has so many bytes beside its columns.
func (p *MatchPlan) handPrice(more int) float64 {
	return GPUHandPrice + float64(4*len(p.Output)+more)/GPUCopyBytes
}

// Groups is how many different rows are expected to come out, as if each column had any of its values as often as any other.
func (p *MatchPlan) Groups(g *pcsr.Graph) float64 { return p.different(g, p.Output) }

// different is how many different rows some slots of those that come out are expected to have.
func (p *MatchPlan) different(g *pcsr.Graph, slots []int) float64 {
	rows, cells := p.Rows(), 1.0
	for i, slot := range slots {
		if !slices.Contains(slots[:i], slot) {
			cells *= p.values(g, slot)
		}
	}
	if cells > manyTimes*rows {
		return rows
	}
	return cells * -math.Expm1(-rows/cells)
}

// manyTimes as many cells as rows are as good as no bound.
const manyTimes = 1e6

// values is how many vertices a slot may have at most, by the partitions that steps read from it or for it.
func (p *MatchPlan) values(g *pcsr.Graph, slot int) float64 {
	if g == nil {
		return math.Inf(1)
	}
	most := float64(g.Vertices())
	rows := func(label Operand, dir pcsr.Direction) {
		if label.IsConstant() {
			most = min(most, float64(g.Outline(label.Constant, dir).Rows()))
		}
	}
	for k := range p.Steps[:p.Own()] {
		s := &p.Steps[k]
		for _, l := range s.Links {
			switch own := p.Inputs+k == slot; {
			case l.Kind == Neighbours && own:
				rows(l.Label, l.Dir.Reverse())
			case l.Kind == Neighbours && l.From.Slot == slot, l.Kind == Rows && own:
				rows(l.Label, l.Dir)
			}
		}
		if p.Inputs+k != slot {
			continue
		}
		for _, class := range s.Classes {
			most = min(most, float64(len(g.Members(class))))
		}
		if s.Candidates != nil {
			most = min(most, float64(len(s.Candidates)))
		}
		if s.High > 0 {
			most = min(most, float64(s.High-s.Low))
		}
	}
	return max(most, 1)
}
