package planner

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// comparisons are the operators that ranges of IDs can stand for, and what they are with their sides exchanged.
var comparisons = map[string]struct{ as, mirrored dictionary.Comparison }{
	"<":  {dictionary.IsLess, dictionary.IsGreater},
	"<=": {dictionary.IsLessOrEqual, dictionary.IsGreaterOrEqual},
	"=":  {dictionary.IsEqual, dictionary.IsEqual},
	">=": {dictionary.IsGreaterOrEqual, dictionary.IsLessOrEqual},
	">":  {dictionary.IsGreater, dictionary.IsLess},
}

// orderedIDs are the IDs that lie in value order for which a comparison is true; ok is false where that is not known.
type orderedIDs struct {
	ranges []dictionary.Range
	ok     bool
}

// ordered finds the ordered IDs for which a condition is true, a comparison, once.
func (p *planner) ordered(e parser.Expr, c dictionary.Condition) orderedIDs {
	ids, known := p.compared[e]
	if !known {
		ids.ranges, ids.ok = p.options.Dictionary.ValueRange(c.Comparison, c.Constant)
		if p.compared == nil {
			p.compared = map[parser.Expr]orderedIDs{}
		}
		p.compared[e] = ids
	}
	return ids
}

// pushRange turns a condition on a variable of a pattern, one of some, into IDs: a comparison with a constant, or one that asks for a kind of terms. Where these are many and
// no range, the match gets two bounds between which they lie, and the comparison is left for the rows.
func (p *planner) pushRange(pushed *pushedFilters, n *parser.BGP, vars scope.Set, e parser.Expr, conditions []parser.Expr) bool {
	d := p.options.Dictionary
	if d == nil {
		return false
	}
	if v, k, ok := kindOf(e); ok && vars.Has(p.scopes.Number(v)) {
		within := dictionary.Range{To: dictionary.ID(d.Len())}
		if bounds, ok := pushed.ranges[v]; ok {
			within = dictionary.Range{From: bounds.Low, To: bounds.High}
		}
		ranges, told := p.ofKind(k, n, v, within, max(pushed.searches, p.options.Tuning.FewSearches))
		return told != nothing && p.pushRanges(pushed, v, ranges, told == exactly)
	}
	v, c, ok := comparison(e)
	if !ok || !vars.Has(p.scopes.Number(v)) {
		return false
	}
	ids, exact := p.ordered(e, c), true
	if !ids.ok {
		return false
	}
	ranges := ids.ranges
	if d.Ordered() < dictionary.ID(d.Len()) {
		ranges, exact = p.withArrived(v, conditions)
	}
	return p.pushRanges(pushed, v, ranges, exact)
}

// pushRanges gives a variable the IDs of some ranges, those for which a condition is true or, where exact is false, those among which
// they are. It reports whether the match needs nothing else to apply the condition.
func (p *planner) pushRanges(pushed *pushedFilters, v string, ranges []dictionary.Range, exact bool) bool {
	total := 0
	for _, r := range ranges {
		total += r.Len()
	}
	switch {
	case total == 0 || exact && len(ranges) > 1 && total <= p.options.Tuning.MaxListed:
		pushed.narrow(v, listed(ranges))
		return true
	case exact && len(ranges) == 1:
		pushed.bound(v, ranges[0])
		return true
	}
	pushed.bound(v, dictionary.Range{From: ranges[0].From, To: ranges[len(ranges)-1].To})
	if len(ranges) > 1 && pushed.scattered == "" {
		pushed.scattered, pushed.parts = v, ranges
	}
	return false
}

// listed are the IDs of some ranges.
func listed(ranges []dictionary.Range) (set []dictionary.ID) {
	for _, r := range ranges {
		for id := r.From; id < r.To; id++ {
			set = append(set, id)
		}
	}
	return set
}

// withArrived are the IDs for which all conditions that compare a variable with a constant are true: ranges of ordered ones,
// and those behind them, which have no order. Where the latter are many, all of them are there, and exact is false.
func (p *planner) withArrived(v string, conditions []parser.Expr) (ranges []dictionary.Range, exact bool) {
	d := p.options.Dictionary
	var list []dictionary.Condition
	for _, e := range conditions {
		of, c, ok := comparison(e)
		if !ok || of != v {
			continue
		}
		switch own := p.ordered(e, c); {
		case !own.ok:
			continue
		case list == nil:
			ranges = slices.Clone(own.ranges)
		default:
			ranges = dictionary.Intersect(ranges, own.ranges)
		}
		list = append(list, c)
	}
	arrived, exact := d.ValueIDs(list, p.options.Tuning.MaxListed)
	if !exact {
		return append(ranges, dictionary.Range{From: d.Ordered(), To: dictionary.ID(d.Len())}), false
	}
	return withIDs(ranges, arrived), true
}

// withIDs adds IDs, ascending, behind some ranges.
func withIDs(ranges []dictionary.Range, ids []dictionary.ID) []dictionary.Range {
	for _, id := range ids {
		if n := len(ranges); n > 0 && ranges[n-1].To == id {
			ranges[n-1].To++
		} else {
			ranges = append(ranges, dictionary.Range{From: id, To: id + 1})
		}
	}
	return ranges
}

// comparison takes a comparison of a variable with a constant apart.
func comparison(e parser.Expr) (v string, c dictionary.Condition, ok bool) {
	call, isCall := e.(*parser.Call)
	if !isCall || len(call.Args) != 2 {
		return
	}
	ops, known := comparisons[call.Function]
	if !known {
		return
	}
	if x, isVar := call.Args[0].(*parser.Var); isVar {
		k, isConst := call.Args[1].(*parser.Const)
		if !isConst {
			return
		}
		return x.Name, dictionary.Condition{Comparison: ops.as, Constant: k.Term}, true
	}
	k, isConst := call.Args[0].(*parser.Const)
	x, isVar := call.Args[1].(*parser.Var)
	if !isConst || !isVar {
		return
	}
	return x.Name, dictionary.Condition{Comparison: ops.mirrored, Constant: k.Term}, true
}
