package planner

import (
	"reflect"
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// folded lets a match hand on what its rows' numbers come to, in place of them, where a group asks for nothing but that, of one variable or expression, and the
// number of the rows:
//
//	SELECT ?s (SUM(?v) AS ?n) (MAX(?v) AS ?m) { … } GROUP BY ?s
//	SELECT ?s (SUM(?v * ?w) AS ?n) { … FILTER(?v < ?w) } GROUP BY ?s
//	SELECT ?y (COUNT(*) AS ?n) { … } GROUP BY (YEAR(?t) AS ?y)
//
// by nothing, or one or two variables and numbers.
func folded(in Node, g *parser.Group) Node {
	m := matchBelow(in)
	if m == nil {
		return in
	}
	f := &bgp.Fold{Value: -1}
	for _, k := range g.Keys {
		key, ok := m.foldKey(k.Expr)
		if !ok || slices.ContainsFunc(f.Keys, func(of bgp.FoldKey) bool { return reflect.DeepEqual(of, key) }) {
			return in
		}
		f.Keys = append(f.Keys, key)
	}
	if len(f.Keys) > 2 {
		return in
	}
	numbers := false
	for i := range g.Aggregates {
		of := m.folds(f, &g.Aggregates[i])
		if of == foldsNothing {
			return in
		}
		numbers = numbers || of == foldsNumbers
	}
	if !numbers && !f.Computes() && len(m.Plan.Where)+len(m.Plan.Lookups) == 0 || f.Sums && m.Plan.Once {
		return in
	}
	own := ownMatch(in)
	matchBelow(own).Plan.Fold = f
	return own
}

// foldKey is what a fold is grouped by that an expression says.
func (m *numbered) foldKey(e parser.Expr) (key bgp.FoldKey, ok bool) {
	if v, is := e.(*parser.Var); is {
		if c := slices.Index(m.names, v.Name); c >= 0 {
			return bgp.FoldKey{Column: c}, true
		}
	}
	of := m.formula(e)
	if of == nil || !of.Number() || len(of.Columns(nil)) == 0 {
		return key, false
	}
	if of.Op == bgp.ColumnNumber && of.Part == 0 {
		return bgp.FoldKey{Column: of.Column}, true
	}
	return bgp.FoldKey{Of: of}, true
}

// foldKind is what a fold has for an aggregate.
type foldKind uint8

const (
	foldsNothing foldKind = iota
	foldsRows
	foldsNumbers
)

// folds adds to a fold what an aggregate of rows needs of it.
func (m *numbered) folds(f *bgp.Fold, a *parser.Aggregation) foldKind {
	v, _ := a.Argument.(*parser.Var)
	if a.Function == "COUNT" {
		if a.Distinct || a.Argument != nil && (v == nil || !slices.Contains(m.names, v.Name)) {
			return foldsNothing
		}
		f.Sums = true
		return foldsRows
	}
	if a.Argument == nil {
		return foldsNothing
	}
	of := m.formula(a.Argument)
	switch {
	case of == nil || !of.Number() || len(of.Columns(nil)) == 0 || !foldsOf(f, of):
	case (a.Function == "SUM" || a.Function == "AVG") && !a.Distinct:
		f.Sums = true
		return foldsNumbers
	case (a.Function == "MIN" || a.Function == "MAX") && of.MayBeInteger():
		f.Extremes = true
		return foldsNumbers
	}
	return foldsNothing
}

// foldsOf makes an expression that of which a fold has the numbers; false where it has those of another.
func foldsOf(f *bgp.Fold, of *bgp.Formula) bool {
	switch {
	case f.Value < 0 && f.Of == nil:
		if of.Op == bgp.ColumnNumber && of.Part == 0 {
			f.Value = of.Column
		} else {
			f.Of = of
		}
		return true
	case of.Op == bgp.ColumnNumber && of.Part == 0:
		return of.Column == f.Value
	}
	return reflect.DeepEqual(f.Of, of)
}
