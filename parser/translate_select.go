package parser

// queryBody is what lies between a WHERE clause and the projection (sections 18.2.4 and 18.2.5).
type queryBody struct {
	*translator
	node Node
	// scope holds the variables that the pattern or an earlier expression of SELECT gives a value.
	scope nameSet
	// grouping is nil while the query does not group.
	grouping *grouping
}

// selection translates SELECT … WHERE … with its modifiers, of a query or a subquery, and returns what it projects.
func (t *translator) selection(clause *selectClause, where *group, m *modifiers, values *dataBlock) (Node, []string, error) {
	b, err := t.body(clause.Items, where, m, values)
	if err != nil {
		return nil, nil, err
	}
	variables, err := b.projection(clause)
	if err != nil {
		return nil, nil, err
	}
	if err := b.order(m.Order); err != nil {
		return nil, nil, err
	}
	b.node = &Project{Input: b.node, Variables: variables}
	switch clause.Modifier {
	case "DISTINCT":
		b.node = &Distinct{Input: b.node}
	case "REDUCED":
		b.node = &Reduced{Input: b.node}
	}
	node, err := slice(b.node, m.Slices)
	return node, variables, err
}

// solutions translates the pattern and the modifiers of a query without a SELECT clause.
func (t *translator) solutions(where *group, m *modifiers, values *dataBlock) (Node, *nameSet, error) {
	b, err := t.body(nil, where, m, values)
	if err != nil {
		return nil, nil, err
	}
	if err := b.order(m.Order); err != nil {
		return nil, nil, err
	}
	node, err := slice(b.node, m.Slices)
	return node, &b.scope, err
}

// body translates the pattern, GROUP BY, HAVING and the trailing VALUES.
func (t *translator) body(items []selectItem, where *group, m *modifiers, values *dataBlock) (*queryBody, error) {
	node, scope, err := t.group(where)
	if err != nil {
		return nil, err
	}
	b := &queryBody{translator: t, node: node, scope: *scope}
	if len(m.Group) > 0 || usesAggregates(items, m) {
		if err := b.group(m.Group); err != nil {
			return nil, err
		}
	}
	for _, h := range m.Having {
		condition, err := b.expr(h.root, b.grouping.sampling())
		if err != nil {
			return nil, err
		}
		b.node = &Filter{Condition: condition, Input: b.node}
	}
	if values != nil {
		table, err := t.values(values)
		if err != nil {
			return nil, err
		}
		b.node = join(b.node, table)
		b.bind(table.Variables...)
	}
	return b, nil
}

// bind notes variables that have a value from here on.
func (b *queryBody) bind(names ...string) {
	b.scope.addNames(names)
	if b.grouping != nil {
		b.grouping.visible.addNames(names)
	}
}

// group puts a Group above the pattern; its aggregates are added as the clauses above mention them.
func (b *queryBody) group(conditions []groupCondition) error {
	node := &Group{Input: b.node}
	g := &grouping{node: node}
	for _, c := range conditions {
		key, err := b.groupKey(c)
		if err != nil {
			return err
		}
		node.Keys = append(node.Keys, key)
		g.visible.addTerm(PatternTerm{Variable: key.Variable})
		b.scope.add(key.Variable)
	}
	// Above a Group there are its keys only; SELECT may give the name of another variable of the pattern to an expression.
	b.node, b.grouping, b.scope = node, g, nameSet{}
	b.scope.addNames(g.visible.list)
	return nil
}

func (b *queryBody) groupKey(c groupCondition) (GroupKey, error) {
	if c.Var != "" {
		name := c.Var[1:]
		return GroupKey{Variable: name, Expr: &Var{Name: name}}, nil
	}
	root := (*exprSyntax)(nil)
	if c.Call != nil {
		root = c.Call.root
	} else {
		root = c.Expr.root
	}
	e, err := b.expr(root, nil)
	if err != nil {
		return GroupKey{}, err
	}
	switch v, plain := e.(*Var); {
	case c.As != "":
		if b.scope.contains(c.As[1:]) {
			return GroupKey{}, faultf(c.Pos.Offset, "GROUP BY cannot assign %s, which has a value already", c.As)
		}
		return GroupKey{Variable: c.As[1:], Expr: e}, nil
	case plain:
		return GroupKey{Variable: v.Name, Expr: e}, nil
	}
	return GroupKey{Variable: b.invent("g"), Expr: e}, nil
}

// projection extends the solutions by the expressions of SELECT and returns the variables it exposes.
func (b *queryBody) projection(clause *selectClause) ([]string, error) {
	if clause.Star != nil {
		if b.grouping != nil {
			f := faultf(clause.Star.Pos.Offset, "SELECT * cannot be used with GROUP BY or aggregates")
			f.hint = "name the variables"
			return nil, f
		}
		return b.scope.list, nil
	}
	var exposed nameSet
	if b.grouping != nil {
		b.grouping.sample = false
	}
	for _, item := range clause.Items {
		name := item.variable[1:]
		if item.expr == nil {
			if err := b.grouping.check(name, item.offset); err != nil {
				return nil, err
			}
			exposed.add(name)
			continue
		}
		if b.scope.contains(name) || exposed.contains(name) {
			f := faultf(item.offset, "SELECT cannot assign ?%s, which has a value already", name)
			f.hint = "use another variable name"
			return nil, f
		}
		e, err := b.expr(item.expr, b.grouping)
		if err != nil {
			return nil, err
		}
		b.node = &Extend{Input: b.node, Variable: name, Expr: e}
		b.bind(name)
		exposed.add(name)
	}
	return exposed.list, nil
}

// order sorts the solutions.
func (b *queryBody) order(conditions []orderCondition) error {
	if len(conditions) == 0 {
		return nil
	}
	keys := make([]OrderKey, 0, len(conditions))
	for _, c := range conditions {
		root := &exprSyntax{kind: exprTerm, term: term{kind: termVar, text: c.Var}}
		switch {
		case c.Brackets != nil:
			root = c.Brackets.root
		case c.Expr != nil:
			root = c.Expr.root
		}
		e, err := b.expr(root, b.grouping.sampling())
		if err != nil {
			return err
		}
		keys = append(keys, OrderKey{Expr: e, Descending: c.Direction == "DESC"})
	}
	b.node = &OrderBy{Input: b.node, Keys: keys}
	return nil
}
