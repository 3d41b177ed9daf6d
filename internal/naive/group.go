package naive

import (
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

func (e *Evaluator) group(n *parser.Group) []Solution {
	type member struct {
		key  Solution
		rows []Solution
	}
	groups := map[string]*member{}
	var order []*member
	for _, m := range e.eval(n.Input, nil) {
		key := Solution{}
		for _, k := range n.Keys {
			if t, ok := e.value(k.Expr, m); ok {
				key[k.Variable] = t
			}
		}
		g := groups[key.key()]
		if g == nil {
			g = &member{key: key}
			groups[key.key()] = g
			order = append(order, g)
		}
		g.rows = append(g.rows, m)
	}
	if len(n.Keys) == 0 && len(order) == 0 {
		order = append(order, &member{key: Solution{}})
	}
	var out []Solution
	for _, g := range order {
		m := g.key
		for _, a := range n.Aggregates {
			if t, ok := e.aggregate(a, g.rows); ok {
				m = merge(m, Solution{a.Variable: t})
			}
		}
		out = append(out, m)
	}
	return out
}

func (e *Evaluator) aggregate(a parser.Aggregation, rows []Solution) (rdf.Term, bool) {
	if a.Argument == nil {
		if a.Distinct {
			var named []Solution
			for _, m := range rows {
				kept := Solution{}
				for v, t := range m {
					if !strings.HasPrefix(v, parser.BlankPrefix) {
						kept[v] = t
					}
				}
				named = append(named, kept)
			}
			rows = distinct(named)
		}
		return integer(len(rows)), true
	}
	var list []rdf.Term
	failed := false
	for _, m := range rows {
		t, ok := e.value(a.Argument, m)
		if !ok {
			failed = true
		} else if !a.Distinct || !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	switch a.Function {
	case "MIN", "MAX":
		return extreme(a.Function, list), !failed && len(list) > 0
	case "COUNT":
		return integer(len(list)), true
	case "SAMPLE":
		if len(list) == 0 {
			return rdf.Term{}, false
		}
		return list[0], true
	case "GROUP_CONCAT":
		var texts []string
		for _, t := range list {
			texts = append(texts, t.Value)
			failed = failed || t.Kind == rdf.BlankNode
		}
		return rdf.NewString(strings.Join(texts, a.Separator)), !failed
	case "SUM", "AVG":
		sum, ok := integer(0), true
		for _, t := range list {
			if sum, ok = arithmetic("+", sum, t); !ok {
				failed = true
				break
			}
		}
		if a.Function == "AVG" && len(list) > 0 && !failed {
			return arithmetic("/", sum, integer(len(list)))
		}
		return sum, !failed
	}
	panic("naive: not computed: " + a.Function)
}
