package planner

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// first lets the match or the group that a sort's rows come from leave out rows that are not among the first by a variable of it, or by a number that is computed:
//
//	… ORDER BY DESC(?n) ?a LIMIT 10
//	… FILTER(?n < ?m) … ORDER BY (?n * ?m) LIMIT 10
//	SELECT ?a (SUM(?v) AS ?n) { … } GROUP BY ?a ORDER BY DESC(?n) LIMIT 10
func first(s *Sort) {
	firstGroups(s)
	m := matchBelow(s.Input)
	if m == nil || m.Plan.Combine || s.Limit == 0 || len(s.Keys) == 0 {
		return
	}
	of := m.formula(s.Keys[0].Expr)
	if of == nil || !of.Number() || len(of.Columns(nil)) == 0 {
		return
	}
	top := &bgp.Top{Descending: s.Keys[0].Descending, Rows: s.Limit, Of: of}
	if of.Op == bgp.ColumnNumber && of.Part == 0 && len(m.Plan.Where)+len(m.Plan.Lookups) == 0 {
		top.Column, top.Of = of.Column, nil
	}
	s.Input = ownMatch(s.Input)
	matchBelow(s.Input).Plan.Top = top
}

// firstGroups lets a group do so whose rows are the sort's.
func firstGroups(s *Sort) {
	if s.Limit == 0 || len(s.Keys) == 0 {
		return
	}
	v, ok := s.Keys[0].Expr.(*parser.Var)
	for n := s.Input; ok && slices.Contains(n.Props().Columns, v.Name); {
		switch of := n.(type) {
		case *Project:
			n = of.Input
		case *Bind:
			if of.Variable == v.Name {
				v, ok = of.Value.Expr.(*parser.Var)
			}
			n = of.Input
		case *Group:
			firstFolded(of, v.Name, s)
			ok = false
		default:
			ok = false
		}
	}
}

// firstFolded lets the match do so whose rows become groups.
func firstFolded(g *Group, variable string, s *Sort) {
	m := matchBelow(g.Input)
	i := slices.IndexFunc(g.Aggregates, func(a Aggregate) bool { return a.Variable == variable })
	if m == nil || m.Plan.Fold == nil || i < 0 {
		return
	}
	by, ok := map[string]bgp.FoldOrder{"SUM": bgp.BySum, "COUNT": bgp.ByCount, "AVG": bgp.ByMean}[g.Aggregates[i].Function]
	if ok {
		m.Plan.Fold.First = &bgp.FirstGroups{By: by, Descending: s.Keys[0].Descending, Rows: s.Limit}
	}
}

// reaches reports whether the first rows of a pattern, in an order or until one is known, are those of what it consists of.
func (f firstRows) reaches(n parser.Node) bool {
	if f.variable == "" {
		switch n.(type) {
		case *parser.Slice, *parser.Project, *parser.OrderBy, *parser.Extend, *parser.BGP, *parser.Filter, *parser.Reduced, *parser.LeftJoin, *parser.Minus:
			return true
		case *parser.Union, *parser.Graph: // of one branch or graph no more than of all
			return true
		}
		return false
	}
	switch n := n.(type) {
	case *parser.Graph:
		return !n.Name.IsVariable()
	case *parser.BGP, *parser.Filter, *parser.Distinct, *parser.Reduced, *parser.LeftJoin, *parser.Minus: // of the last two the left side, whose rows come as they are
		return true
	case *parser.Project:
		return slices.Contains(n.Variables, f.variable)
	case *parser.Extend:
		return f.variable != n.Variable
	}
	return false
}

// endsOf are the first rows that a group needs, of which all that is asked is the least and the greatest value of one variable:
//
//	SELECT (MIN(?n) AS ?from) (MAX(?n) AS ?to) { … }
func endsOf(n *parser.Group) (f firstRows) {
	if len(n.Keys) > 0 {
		return f
	}
	least, greatest := false, false
	for _, a := range n.Aggregates {
		v, ok := a.Argument.(*parser.Var)
		if !ok || a.Function != "MIN" && a.Function != "MAX" || f.variable != "" && v.Name != f.variable {
			return firstRows{}
		}
		f.variable, f.rows = v.Name, 1
		least, greatest = least || a.Function == "MIN", greatest || a.Function == "MAX"
	}
	f.descending, f.both = !least, least && greatest
	return f
}

// ends puts what leaves rows out below such a group, where the match begins with the values.
func (p *planner) ends(in Node, n *parser.Group) Node {
	f := endsOf(n)
	if f.variable == "" || aheadBelow(in, f.variable) == nil {
		return in
	}
	return &Ends{unary: unary{*in.Props(), in}, Variable: f.variable, Least: f.both || !f.descending, Greatest: f.both || f.descending}
}

// aheadBelow is the match that a node's rows come from, if it begins with the values of a variable that are needed first; nil where it does not.
func aheadBelow(n Node, variable string) *Match {
	switch n := n.(type) {
	case *Match:
		if n.Plan.Ahead != nil && n.Plan.Slots[0].Variable == variable {
			return n
		}
	case *Join:
		return aheadBelow(n.Left, variable)
	case *Project:
		return aheadBelow(n.Input, variable)
	case *Filter:
		return aheadBelow(n.Input, variable)
	case *Bind:
		if n.Variable != variable {
			return aheadBelow(n.Input, variable)
		}
	}
	return nil
}
