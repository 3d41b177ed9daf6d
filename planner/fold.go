package planner

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// folded lets a match hand on what the numbers of one variable come to, in place of its rows, where a group asks for nothing but that and the number of the
// rows:
//
//	SELECT ?s (SUM(?v) AS ?n) (MAX(?v) AS ?m) { … } GROUP BY ?s
//
// by no variable, one or two.
func folded(n Node, g *parser.Group) {
	m, ok := n.(*Match)
	if !ok || len(m.Seeds) > 0 || m.Limit > 0 {
		return
	}
	f := &bgp.Fold{Value: -1}
	for _, k := range g.Keys {
		v, _ := k.Expr.(*parser.Var)
		if v == nil || !slices.Contains(m.Columns, v.Name) || slices.Contains(f.Keys, slices.Index(m.Columns, v.Name)) {
			return
		}
		f.Keys = append(f.Keys, slices.Index(m.Columns, v.Name))
	}
	if len(f.Keys) > 2 || len(m.Columns) != len(f.Keys)+1 {
		return
	}
	f.Value = slices.IndexFunc(m.Columns, func(name string) bool { return !slices.Contains(f.Keys, slices.Index(m.Columns, name)) })
	numbers := false
	for i := range g.Aggregates {
		of := folds(f, &g.Aggregates[i], m.Columns)
		if of == foldsNothing {
			return
		}
		numbers = numbers || of == foldsNumbers
	}
	if numbers && !(f.Sums && m.Plan.Once) {
		m.Plan.Fold = f
	}
}

// foldKind is what a fold has for an aggregate.
type foldKind uint8

const (
	foldsNothing foldKind = iota
	foldsRows
	foldsNumbers
)

// folds adds to a fold what an aggregate of columns needs of it.
func folds(f *bgp.Fold, a *parser.Aggregation, columns []string) foldKind {
	v, _ := a.Argument.(*parser.Var)
	switch {
	case a.Function == "COUNT" && !a.Distinct && (a.Argument == nil || v != nil && slices.Contains(columns, v.Name)):
		f.Sums = true
		return foldsRows
	case v == nil || v.Name != columns[f.Value]:
		return foldsNothing
	case (a.Function == "SUM" || a.Function == "AVG") && !a.Distinct:
		f.Sums = true
		return foldsNumbers
	case a.Function == "MIN" || a.Function == "MAX":
		f.Extremes = true
		return foldsNumbers
	}
	return foldsNothing
}
