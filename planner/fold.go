package planner

import (
	"fmt"
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
		if !m.foldsBy(f, k.Expr) {
			return in
		}
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
	return withFold(in, f)
}

// withFold is a node with a match below that folds its rows.
func withFold(in Node, f *bgp.Fold) Node {
	own := ownMatch(in)
	matchBelow(own).Plan.Fold = f
	return own
}

// foldedApart lets a match hand on groups in place of rows that DISTINCT tells apart by numbers which are computed:
//
//	SELECT DISTINCT ?a (YEAR(?t) AS ?y) { … }
//
// It reports whether it does.
func foldedApart(in Node) (Node, bool) {
	m := matchBelow(in)
	if m == nil {
		return in, false
	}
	f := &bgp.Fold{Value: -1}
	for _, name := range in.Props().Columns {
		if !m.foldsBy(f, &parser.Var{Name: name}) {
			return in, false
		}
	}
	if !f.Computes() {
		return in, false
	}
	return withFold(in, f), true
}

// countedColumn begins the names of what countedApart computes.
const countedColumn = parser.BlankPrefix + "counted "

// countedApart plans COUNT(DISTINCT) by up to one key, where the one or the other is a number that is computed, as the number of rows that these tell apart, if a match may
// hand on groups in place of rows:
//
//	Group(A, ?k, COUNT(DISTINCT e)) → Group(Distinct(Project(Extend(A, ?v, e), ?k ?v)), ?k, COUNT(?v))
//
// It returns nil where a group is something else.
func (p *planner) countedApart(n *parser.Group, r request) (Node, error) {
	if !p.options.LooksUp || p.options.Unoptimised || p.applied || len(n.Keys) > 1 || len(n.Aggregates) != 1 {
		return nil, nil
	}
	a := n.Aggregates[0]
	if a.Function != "COUNT" || !a.Distinct || a.Argument == nil || !slices.ContainsFunc(parser.Expressions(n), func(e parser.Expr) bool { return isComputed(e, n.Input) }) {
		return nil, nil
	}
	apart := &parser.Project{Input: n.Input}
	column := func(e parser.Expr) parser.Expr {
		v, ok := e.(*parser.Var)
		if !ok {
			v = &parser.Var{Name: fmt.Sprint(countedColumn, len(apart.Variables))}
			apart.Input = &parser.Extend{Input: apart.Input, Variable: v.Name, Expr: e}
		}
		apart.Variables = append(apart.Variables, v.Name)
		return v
	}
	keys := slices.Clone(n.Keys)
	for i := range keys {
		keys[i].Expr = column(keys[i].Expr)
	}
	a.Distinct, a.Argument = false, column(a.Argument)
	node, err := p.group(&parser.Group{Input: &parser.Distinct{Input: apart}, Keys: keys, Aggregates: []parser.Aggregation{a}}, r)
	g, ok := node.(*Group)
	if !ok || err != nil {
		return nil, err
	}
	if d, ok := g.Input.(*Distinct); !ok || d.Keys == nil {
		return nil, nil
	}
	g.text = p.groupText(n)
	return g, nil
}

// isComputed reports whether an expression over a pattern's solutions may be a number that is computed of them.
func isComputed(e parser.Expr, in parser.Node) bool {
	switch e := e.(type) {
	case *parser.Call:
		return !parser.IsVolatile(e)
	case *parser.Var:
		switch in := in.(type) {
		case *parser.Extend:
			return in.Variable == e.Name && isComputed(in.Expr, in.Input) || in.Variable != e.Name && isComputed(e, in.Input)
		case *parser.Filter:
			return isComputed(e, in.Input)
		}
	}
	return false
}

// unfolded takes it back.
func unfolded(n Node) {
	if m := matchBelow(n); m != nil {
		m.Plan.Fold = nil
	}
}

// foldsBy adds to a fold's keys what an expression says; false where it is none, or one too many.
func (m *numbered) foldsBy(f *bgp.Fold, e parser.Expr) bool {
	key, ok := m.foldKey(e)
	if !ok || len(f.Keys) == 2 || slices.ContainsFunc(f.Keys, func(of bgp.FoldKey) bool { return reflect.DeepEqual(of, key) }) {
		return false
	}
	f.Keys = append(f.Keys, key)
	return true
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
	case a.Function == "MIN" || a.Function == "MAX":
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
