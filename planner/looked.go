package planner

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// looked plans a join as a match whose rows are looked up in a table by the matcher, where one side is a match and nothing is asked of the other but whether it has
// the row's values of one or two variables, or how often:
//
//	{ SELECT DISTINCT ?c { … } } ?a :p ?c      ?a :p ?b . ?b :p ?c MINUS { ?a :q ?d . ?d :q ?c }
//
// It is the join itself where that does not hold, or is not worth it.
func (p *planner) looked(j *Join, s joinSpec) (Node, error) {
	if !p.options.LooksUp || p.options.Unoptimised || p.applied || len(s.inputs) > 0 || j.Condition != nil || j.Hashed == nil || j.Hashed.Varies || s.bound == nil || aheadBelow(s.left, s.first.variable) != nil {
		return j, nil
	}
	key := j.Hashed.Shared
	if n := len(key); n < 1 || n > 2 || len(j.Hashed.Key) != n {
		return j, nil
	}
	probe, table := s.bound, s.right
	if _, ok := p.matches(probe); !ok && j.Kind == Inner {
		probe, table = table, probe
	}
	pattern, ok := p.matches(probe)
	if !ok || !p.scopes.Set(j.Columns...).Within(p.scopes.Of(pattern).May) {
		return j, nil
	}
	if cost, _ := rowsPrice(j); cost <= bgp.GPUCost && !p.options.ShallowBranches {
		return j, nil // a device is not worth it
	}
	kind, ok := lookupKind(j.Kind, &s, p.repeatsNothing(table, p.scopes.Set(key...)))
	if !ok {
		return j, nil
	}
	return p.lookedUp(j, s, probe, table, kind)
}

// matches is the basic graph pattern that a pattern is, maybe with filters.
func (p *planner) matches(n parser.Node) (*parser.BGP, bool) {
	for {
		switch of := n.(type) {
		case *parser.BGP:
			return of, len(of.Patterns) > 0
		case *parser.Filter:
			n = of.Input
		default:
			return nil, false
		}
	}
}

// lookupKind says what becomes of the rows; false where it cannot be said by leaving rows out, or with weights that somebody reads.
func lookupKind(kind JoinKind, s *joinSpec, once bool) (bgp.LookupKind, bool) {
	switch {
	case kind == Minus:
		return bgp.HasNot, true
	case kind == Left:
		return bgp.HasTimesOrOne, s.counted && !s.distinct
	case s.distinct || once:
		return bgp.Has, true
	}
	return bgp.HasTimes, s.counted
}

// repeatsNothing reports whether no two solutions of a pattern are equal in some variables.
func (p *planner) repeatsNothing(n parser.Node, key scope.Set) bool {
	switch n := n.(type) {
	case *parser.Distinct:
		return p.scopes.Of(n).May.Within(key)
	case *parser.Project:
		return p.repeatsNothing(n.Input, key)
	case *parser.Filter:
		return p.repeatsNothing(n.Input, key)
	case *parser.Extend:
		return p.repeatsNothing(n.Input, key)
	case *parser.Group:
		return !slices.ContainsFunc(n.Keys, func(k parser.GroupKey) bool {
			v, _ := k.Expr.(*parser.Var)
			return v == nil || !key.Has(p.scopes.Number(v.Name))
		})
	}
	return false
}

// lookedUp is looked with both sides known.
func (p *planner) lookedUp(j *Join, s joinSpec, probe, table parser.Node, kind bgp.LookupKind) (Node, error) {
	key := p.scopes.Set(j.Hashed.Shared...)
	weighs := kind == bgp.HasTimes || kind == bgp.HasTimesOrOne
	rows, err := p.lower(probe, request{need: p.scopes.Set(j.Columns...).Or(key), counted: s.counted, distinct: s.distinct})
	if err != nil {
		return nil, err
	}
	m, ok := ownMatch(rows).(*Match)
	if !ok || m.Plan.Empty || len(m.Seeds) > 0 || m.Limit > 0 || len(m.Columns) > mostLooked {
		return j, nil
	}
	l := bgp.TableLookup{Kind: kind}
	table, counts := p.frequent(table, key, &l)
	in, err := p.lower(table, request{need: key, counted: weighs || counts, distinct: !weighs && !counts})
	if err != nil {
		return nil, err
	}
	if !slices.Equal(in.Props().Columns, p.scopes.Names(key)) {
		return j, nil
	}
	if in = ownMatch(in); weighs || counts {
		in, _ = weighed(in)
	}
	combines(in)
	cost, _ := rowsPrice(j)
	if m.Cost/bgp.GPUShare > max(cost, bgp.GPUCost) {
		return j, nil
	}
	l.Table, l.Otherwise = tableCost(in), cost-m.Cost
	for _, v := range in.Props().Columns {
		l.Columns = append(l.Columns, slices.Index(m.Columns, v))
	}
	m.Plan.Lookups = []bgp.TableLookup{l}
	out := &Looked{Properties: j.Properties, Probe: m, Table: in, Key: in.Props().Columns, Otherwise: j, Counts: counts, weighs: weighs}
	out.Weighted = false
	return out, nil
}

// tableCost is what making a table of a node's rows costs, where a GPU matches what it can.
func tableCost(n Node) float64 {
	in := n
	if d, ok := in.(*Distinct); ok {
		in = d.Input
	}
	copied := n.Props().Cost + bgp.CopiedTableCost(n.Props().Rows, len(n.Props().Columns))
	if m, ok := in.(*Match); ok {
		return min(copied, m.Plan.TableCost())
	}
	return copied
}

// combines lets the match that a table's rows are make equal ones one, whether or not there are some: so they stay with the matcher.
func combines(n Node) {
	if d, ok := n.(*Distinct); ok {
		n = d.Input
	}
	if m, ok := n.(*Match); ok && len(m.Seeds) == 0 && m.Limit == 0 {
		m.Plan.Combine = true
	}
}

// frequent is the pattern of which the rows of a table are the groups that come often enough, or seldom enough, by its key, and how often; the table's own pattern, and
// false, where it is something else:
//
//	{ SELECT ?b { … } GROUP BY ?b HAVING(COUNT(*) > 100) }
func (p *planner) frequent(table parser.Node, key scope.Set, l *bgp.TableLookup) (in parser.Node, counts bool) {
	var conditions []parser.Expr
	for n := table; ; {
		switch of := n.(type) {
		case *parser.Project:
			n = of.Input
		case *parser.Filter:
			conditions = parser.Conjuncts(conditions, of.Condition)
			n = of.Input
		case *parser.Group:
			if l.Kind > bgp.HasNot || len(conditions) == 0 || !p.groupsBy(of, key) {
				return table, false
			}
			for _, c := range conditions {
				if !p.countBound(of, c, l) {
					l.Least, l.Most = 0, 0
					return table, false
				}
			}
			return of.Input, true
		default:
			return table, false
		}
	}
}

// groupsBy reports whether the keys of a group are some variables, which its pattern always binds.
func (p *planner) groupsBy(g *parser.Group, key scope.Set) bool {
	var names []string
	for _, k := range g.Keys {
		v, ok := k.Expr.(*parser.Var)
		if !ok || k.Variable != "" && k.Variable != v.Name {
			return false
		}
		names = append(names, v.Name)
	}
	keys := p.scopes.Set(names...)
	return keys.Within(key) && key.Within(keys) && key.Within(p.scopes.Of(g.Input).Must)
}

// countBound adds a condition on the number of a group's rows to a lookup.
func (p *planner) countBound(g *parser.Group, condition parser.Expr, l *bgp.TableLookup) bool {
	call, ok := condition.(*parser.Call)
	if !ok || len(call.Args) != 2 {
		return false
	}
	v, ok := call.Args[0].(*parser.Var)
	c, constant := call.Args[1].(*parser.Const)
	if !ok || !constant {
		return false
	}
	k := constantNumber(c)
	if k == nil || k.Scale > 0 || k.Int < 1 {
		return false
	}
	i := slices.IndexFunc(g.Aggregates, func(a parser.Aggregation) bool { return a.Variable == v.Name })
	if i < 0 || g.Aggregates[i].Function != "COUNT" || g.Aggregates[i].Distinct || g.Aggregates[i].Argument != nil {
		return false
	}
	switch n := uint64(k.Int); call.Function {
	case ">":
		l.Least = max(l.Least, n+1)
	case ">=":
		l.Least = max(l.Least, n)
	case "<=":
		l.Most = min(cmp.Or(l.Most, n), n)
	case "=":
		l.Least, l.Most = max(l.Least, n), min(cmp.Or(l.Most, n), n)
	default:
		return false
	}
	return true
}

// mostLooked is how many columns rows may have that are looked up.
const mostLooked = 14
