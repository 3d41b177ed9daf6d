package parser

// grouping is the state of a query that groups: what its expressions may see, and the aggregates they ask for.
type grouping struct {
	node    *Group
	visible nameSet
	// sample makes other variables SAMPLE(variable).
	sample bool
	// names maps each aggregate, printed, to its variable.
	names map[string]string
}

// sampling returns g for HAVING and ORDER BY, where a variable that is no key means one of its values
// (section 18.2.4.1).
func (g *grouping) sampling() *grouping {
	if g == nil {
		return nil
	}
	g.sample = true
	return g
}

// check refuses a variable that SELECT may not see because the query groups.
func (g *grouping) check(name string, offset int) error {
	if g == nil || g.visible.contains(name) {
		return nil
	}
	f := faultf(offset, "?%s is neither grouped by nor inside an aggregate", name)
	f.hint = "add ?" + name + " to GROUP BY or write SAMPLE(?" + name + ")"
	return f
}

// variable translates a variable outside the aggregates of a query that groups.
func (g *grouping) variable(t *translator, name string, offset int) (Expr, error) {
	if !g.visible.contains(name) && g.sample {
		return g.aggregate(t, Aggregation{Function: "SAMPLE", Argument: &Var{Name: name}}), nil
	}
	return &Var{Name: name}, g.check(name, offset)
}

// aggregate returns the variable of an aggregate, adding it to the group when it is new.
func (g *grouping) aggregate(t *translator, a Aggregation) Expr {
	var p printer
	p.aggregation(a)
	name, known := g.names[p.String()]
	if !known {
		name = t.invent("s")
		if g.names == nil {
			g.names = map[string]string{}
		}
		g.names[p.String()] = name
		a.Variable = name
		g.node.Aggregates = append(g.node.Aggregates, a)
	}
	return &Var{Name: name}
}

// usesAggregates reports whether SELECT, HAVING or ORDER BY holds an aggregate.
func usesAggregates(items []selectItem, m *modifiers) bool {
	for _, i := range items {
		if i.expr != nil && i.expr.aggregated() {
			return true
		}
	}
	for _, h := range m.Having {
		if h.root.aggregated() {
			return true
		}
	}
	for _, o := range m.Order {
		if o.Brackets != nil && o.Brackets.root.aggregated() || o.Expr != nil && o.Expr.root.aggregated() {
			return true
		}
	}
	return false
}

func (e *exprSyntax) aggregated() bool {
	if e.kind == exprAggregate {
		return true
	}
	for _, arg := range e.args {
		if arg.aggregated() {
			return true
		}
	}
	return false
}

// expr translates an expression; g is nil where aggregates may not stand.
func (t *translator) expr(e *exprSyntax, g *grouping) (Expr, error) {
	switch e.kind {
	case exprTerm:
		if e.term.kind == termVar {
			if g != nil {
				return g.variable(t, e.term.text[1:], e.offset)
			}
			return &Var{Name: e.term.text[1:]}, nil
		}
		c, err := t.constant(e.term)
		return &Const{Term: c}, err
	case exprAggregate:
		return t.aggregate(e, g)
	case exprExists:
		pattern, _, err := t.group(e.group)
		return &Exists{Pattern: pattern, Not: e.op != "EXISTS"}, err
	}
	args, err := t.exprs(e.args, g)
	if err != nil {
		return nil, err
	}
	if e.kind == exprFunction {
		iri, err := t.iri(e.term.iri)
		return &FunctionCall{IRI: iri, Distinct: e.distinct, Args: args}, err
	}
	return &Call{Function: e.op, Args: args}, nil
}

func (t *translator) exprs(list []*exprSyntax, g *grouping) ([]Expr, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]Expr, len(list))
	for i, e := range list {
		x, err := t.expr(e, g)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

func (t *translator) aggregate(e *exprSyntax, g *grouping) (Expr, error) {
	if g == nil {
		f := faultf(e.offset, "the aggregate %s cannot stand here", e.op)
		f.hint = "aggregates belong in SELECT, HAVING and ORDER BY, and not inside each other"
		return nil, f
	}
	a := Aggregation{Function: e.op, Distinct: e.distinct}
	if e.op == "GROUP_CONCAT" {
		a.Separator = e.separator
	}
	if len(e.args) > 0 {
		arg, err := t.expr(e.args[0], nil)
		if err != nil {
			return nil, err
		}
		a.Argument = arg
	}
	return g.aggregate(t, a), nil
}
