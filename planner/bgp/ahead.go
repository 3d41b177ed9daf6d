package bgp

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// First says that the caller needs the first rows by one variable alone, and those that are equal to the last of them; or some rows, whichever they are.
type First struct {
	Variable string // "" for some rows
	// Descending: the greatest come first. Both: the caller needs as many of the greatest as of the least.
	Descending, Both bool
	Rows             uint64
	// InOrder are ranges of IDs that are in the order of their values, asked for where that may matter.
	InOrder func() []dictionary.Range
	// Gain is the share of the cost of another vertex order below which one that begins with the variable is taken, as far as it is expected to be
	// run: 0 is never, infinite always.
	Gain float64
}

// Ahead says that a plan begins with the vertices that First asks for, most of which are in the order of their IDs: a matcher that binds them in that order can
// end when the caller has its rows (match.Match.Bound).
type Ahead struct {
	Descending, Both bool
	// Share is the part of the match that is expected to be run until then.
	Share float64
}

// UntilFirst is what of a plan's cost a processor is expected to spend until its caller has the rows that it needs.
func (p *MatchPlan) UntilFirst(cost float64) float64 {
	if p.Ahead != nil {
		cost *= p.Ahead.Share
	}
	if p.Part > 0 {
		cost *= p.Part
	}
	if read, each := p.Each(); each >= ManyEach {
		first := cost / each
		for _, s := range p.Steps[:read] {
			first += s.EstimatedCandidates
		}
		cost = min(cost, first)
	}
	return cost
}

// ManyEach is how many solutions have to be expected of each row for the first of them to be found soon.
const ManyEach = 8

// Each is how many solutions are expected of each row of the first read steps, where a matcher may end with the first of them: rows are wanted once (Once), and nobody
// reads what later steps bind. Else it is 1.
func (p *MatchPlan) Each() (read int, each float64) {
	own := p.Own()
	if p.Once && p.Inputs == 0 {
		for k := range own {
			if slices.Contains(p.Output, k) {
				read = k + 1
			}
		}
	}
	if read == 0 || read == own {
		return own, 1
	}
	return read, p.Steps[own-1].EstimatedRows / max(1, p.Steps[read-1].EstimatedRows)
}

const (
	// aheadFrom, in candidates, is what a match must cost for an order that ends early to be looked for.
	aheadFrom = 2_000.
	// aheadMost is how many times what another order costs the whole of such a match may cost: there may be fewer rows with the first values than with others.
	aheadMost = 4
	// aheadRows is how many rows more than are needed are matched until the caller says so, and aheadTimes how many times those.
	aheadRows, aheadTimes = 64, 4
	// aheadSample is how many values are looked at, and aheadOrdered the part of them that must be in order.
	aheadSample, aheadOrdered = 16, 0.9
)

// ahead returns the plan, or another that begins with the vertices whose first rows are needed where that costs less.
func (b *bgp) ahead(e *estimates, plan *MatchPlan) *MatchPlan {
	f := b.options.First
	if b.fewWanted(plan) {
		return b.soon(e, plan)
	}
	if f == nil || f.Gain == 0 || plan.Inputs > 0 || b.options.CountOnly || b.over() {
		return plan
	}
	always, cost := math.IsInf(f.Gain, 1), plan.Cost+TopPrice*plan.Rows()
	v, ok := b.variables[f.Variable]
	if !ok || !b.read()[v] || !always && cost < aheadFrom || !always && !e.inOrder(v, f.InOrder()) {
		return plan
	}
	order := e.orderFrom(v, b.read())
	if order == nil || b.over() {
		return plan
	}
	other := b.complete(e, nil, order)
	whole := other.Cost + TopPrice*other.Rows()
	share := min(1, (aheadRows+aheadTimes*float64(f.Rows))/max(1, other.Rows()))
	if !always && (share*whole >= f.Gain*cost || whole > aheadMost*cost) {
		return plan
	}
	other.Ahead = &Ahead{Descending: f.Descending, Both: f.Both, Share: share}
	return other
}

// orderFrom is a vertex order that begins with v.
func (e *estimates) orderFrom(v int, read []bool) []int {
	o := e.ordering(nil)
	tail := o.deferLeaves(read, false)
	head, _ := o.greedyFrom(v, math.Inf(1))
	if head == nil {
		return nil
	}
	return o.settle(head, tail, read)
}

// inOrder reports whether most of what v may be bound to lies in ranges of IDs.
func (e *estimates) inOrder(v int, ranges []dictionary.Range) bool {
	source := e.shortest(v, e.sides(v))
	total, inside := min(source.length, aheadSample), 0
	for k := range total {
		x := source.sample(k, total)
		if slices.ContainsFunc(ranges, func(r dictionary.Range) bool { return r.Contains(x) }) {
			inside++
		}
	}
	return total > 0 && float64(inside) >= aheadOrdered*float64(total)
}
