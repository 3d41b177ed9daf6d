package planner

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// group plans GROUP BY and aggregates.
func (p *planner) group(n *parser.Group, r request) (Node, error) {
	out := p.outputColumns(n, r)
	if node, err := p.counted(n, out); node != nil || err != nil {
		return node, err
	}
	if node := p.degrees(n, out); node != nil {
		return node, nil
	}
	if node, err := p.countedApart(n, r); node != nil || err != nil {
		return node, err
	}
	need, counted := p.scopes.Reads(parser.Expressions(n)...), countsOnly(n)
	for _, a := range n.Aggregates {
		if a.Argument == nil && a.Distinct {
			need = need.Or(p.scopes.Readable(p.scopes.Of(n.Input).May))
		}
	}
	in, err := p.lower(n.Input, request{need: need, compared: p.comparedByGroup(n, &r), distinct: !repeatsMatter(n), counted: counted && repeatsMatter(n), first: endsOf(n)})
	if err != nil {
		return nil, err
	}
	weighted := false
	if repeatsMatter(n) && counted && !p.options.Unoptimised {
		if _, in, err = p.distributed(n.Input, request{need: need, counted: true}, in); err != nil {
			return nil, err
		}
		in, weighted = weighed(in)
	}
	in = p.recall(in, parser.Expressions(n)...)
	combined(in, (counted || !repeatsMatter(n)) && !p.options.Unoptimised)
	tallied(in, n)
	whole(in, n)
	if !p.options.Unoptimised {
		in = folded(in, n)
	}
	in = p.ends(in, n)
	g := &Group{unary: unary{p.above(in, out), in}, text: p.groupText(n), Exposed: parser.Binds(n)}
	g.Seeds, g.Weighted = nil, weighted
	if len(n.Keys) == 0 {
		g.Rows = 1
	}
	return g, p.groupParts(g, n, &r)
}

// groupParts plans the keys and the aggregates' arguments.
func (p *planner) groupParts(g *Group, n *parser.Group, r *request) error {
	columns := g.Input.Props().Columns
	for _, k := range n.Keys {
		e, err := p.expression(k.Expr, columns, n.Input)
		if err != nil {
			return err
		}
		e.Identity = p.keyIdentity(&k, r)
		g.Keys = append(g.Keys, e)
	}
	for _, a := range n.Aggregates {
		agg := Aggregate{Aggregation: a, Identity: p.aggregateIdentity(&a, r)}
		if a.Argument != nil {
			var err error
			if agg.Argument, err = p.expression(a.Argument, columns, n.Input); err != nil {
				return err
			}
			agg.Argument.Identity = argumentIdentity(&a)
		}
		g.Aggregates = append(g.Aggregates, agg)
	}
	return nil
}

// repeatsMatter reports whether an aggregate tells how often a value comes, or equal rows may be of several groups.
func repeatsMatter(n *parser.Group) bool {
	return hasVolatileKey(n) || slices.ContainsFunc(n.Aggregates, func(a parser.Aggregation) bool { return countsRepeats(&a) })
}

func hasVolatileKey(n *parser.Group) bool {
	return slices.ContainsFunc(n.Keys, func(k parser.GroupKey) bool { return parser.IsVolatile(k.Expr) })
}

func countsRepeats(a *parser.Aggregation) bool {
	return a.Argument != nil && parser.IsVolatile(a.Argument) || !a.Distinct && a.Function != "MIN" && a.Function != "MAX" && a.Function != "SAMPLE"
}

// tallied lets a match count its different rows by the value that one of their two variables has, where a group needs nothing else of them.
func tallied(n Node, g *parser.Group) {
	m, ok := n.(*Match)
	if !ok || !m.Plan.Combine || !m.Plan.Once || len(m.Columns) != 2 || len(g.Keys) != 1 {
		return
	}
	key, ok := g.Keys[0].Expr.(*parser.Var)
	if !ok || !slices.Contains(m.Columns, key.Name) {
		return
	}
	column := slices.Index(m.Columns, key.Name)
	other := func(a parser.Aggregation) bool {
		v, ok := a.Argument.(*parser.Var)
		return !ok || a.Function != "COUNT" || !a.Distinct || v.Name != m.Columns[1-column]
	}
	if !slices.ContainsFunc(g.Aggregates, other) {
		m.Plan.Tally = column + 1
	}
}

// whole tells a match that its different rows are a group each: they have no columns but the keys.
func whole(n Node, g *parser.Group) {
	m, ok := n.(*Match)
	if !ok {
		return
	}
	keys := 0
	for _, name := range m.Columns {
		if slices.ContainsFunc(g.Keys, func(k parser.GroupKey) bool { v, ok := k.Expr.(*parser.Var); return ok && v.Name == name }) {
			keys++
		}
	}
	m.Plan.Whole = keys == len(m.Columns) && len(g.Keys) == keys
}

// countsOnly reports whether equal rows may come as one with a weight: of what asks how often values come, COUNT, SUM and AVG
// can tell from it, and equal rows have equal values.
func countsOnly(n *parser.Group) bool {
	if hasVolatileKey(n) {
		return false
	}
	return !slices.ContainsFunc(n.Aggregates, func(a parser.Aggregation) bool {
		return countsRepeats(&a) && (a.Function != "COUNT" && a.Function != "SUM" && a.Function != "AVG" || a.Argument != nil && parser.IsVolatile(a.Argument))
	})
}

// counted plans SELECT (COUNT(*) AS ?n) over basic graph patterns: the matcher counts without writing rows. It returns
// nil where the group is something else.
func (p *planner) counted(n *parser.Group, out scope.Set) (Node, error) {
	other := func(a parser.Aggregation) bool { return a.Function != "COUNT" || a.Distinct || a.Argument != nil }
	if len(n.Keys) != 0 || len(n.Aggregates) == 0 || p.options.Unoptimised || slices.ContainsFunc(n.Aggregates, other) {
		return nil, nil
	}
	r := request{counted: true}
	in, err := p.lower(n.Input, r)
	if err != nil {
		return nil, err
	}
	c := &Count{Properties: p.above(in, out)}
	if c.Terms, err = p.terms(n.Input, in); err == nil && c.Terms == nil {
		c.Terms, err = p.distributedTerms(n.Input, r, in)
	}
	if err != nil || c.Terms == nil {
		return nil, err
	}
	c.Rows, c.Cost = 1, 0
	for _, t := range c.Terms {
		c.Cost += t.Match.Cost
	}
	return c, nil
}

// degrees plans GROUP BY over one triple pattern with counts as the lengths of the graph's lists:
//
//	SELECT ?o (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?o   – the degrees of the rows of :p, in
//	SELECT ?s (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s   – the degrees of the rows of :p, out
//	SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p   – the edges of each label
//
// It returns nil where the group is something else.
func (p *planner) degrees(n *parser.Group, out scope.Set) Node {
	pattern, ok := n.Input.(*parser.BGP)
	if !ok || len(pattern.Patterns) != 1 || len(n.Keys) != 1 || p.options.Unoptimised || p.options.Semantics.Injective() {
		return nil
	}
	key, ok := n.Keys[0].Expr.(*parser.Var)
	if !ok || !p.countsTriples(n, key.Name, p.scopes.Of(pattern).May) {
		return nil
	}
	d := &Degrees{leaf: leaf{p.made(out, nil)}, Graph: p.graph, text: patternText(pattern) + " " + p.groupText(n)}
	t := pattern.Patterns[0]
	s, o := t.Subject.Variable, t.Object.Variable
	switch {
	case s == "" || o == "" || s == o || s == t.Predicate.Variable || o == t.Predicate.Variable:
		return nil
	case t.Predicate.IsVariable():
		if key.Name != t.Predicate.Variable {
			return nil
		}
		d.Rows = float64(len(p.graph.UsedLabels()))
	default:
		label, known := p.label(t.Predicate.Term)
		if !known {
			return nil
		}
		dir := pcsr.Out
		if key.Name == o {
			dir = pcsr.In
		}
		d.Partition = p.graph.Partition(label, dir)
		d.Rows = float64(d.Partition.Rows())
	}
	d.Cost = d.Rows
	for _, v := range d.Columns {
		d.Counted = append(d.Counted, slices.ContainsFunc(n.Aggregates, func(a parser.Aggregation) bool { return a.Variable == v }))
	}
	return d
}

// countsTriples reports whether every aggregate of a group counts the triples of one pattern: COUNT(*), COUNT of a
// variable, and COUNT(DISTINCT ?x) where ?x is the only variable beside the key.
func (p *planner) countsTriples(n *parser.Group, key string, vars scope.Set) bool {
	has := func(v string) bool { return vars.Has(p.scopes.Number(v)) }
	if !has(key) {
		return false
	}
	for _, a := range n.Aggregates {
		if a.Function != "COUNT" {
			return false
		}
		if a.Argument == nil {
			if a.Distinct && p.scopes.Readable(vars).Len() != vars.Len() {
				return false
			}
			continue
		}
		v, ok := a.Argument.(*parser.Var)
		if !ok || !has(v.Name) || a.Distinct && (v.Name == key || vars.Len() != 2) {
			return false
		}
	}
	return true
}
