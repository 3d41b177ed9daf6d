package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
)

// aggregates: Group(Extend(A, ?v, e), SUM(?v), MAX(?v)) → Group(A, SUM(e), MAX(e)) where nothing else reads ?v, so that what is computed is added up or compared
// as a number and never becomes a term.
var aggregates = Rule{
	Name: "aggregates",
	at: func(n parser.Node) bool {
		g, ok := n.(*parser.Group)
		return ok && is[*parser.Extend](g.Input)
	},
	apply: func(r *Rewriter, n parser.Node) parser.Node {
		group := n.(*parser.Group)
		for {
			extend, ok := group.Input.(*parser.Extend)
			if !ok {
				return group
			}
			list := r.computed(group, extend)
			if list == nil {
				return group
			}
			group = &parser.Group{Input: extend.Input, Keys: group.Keys, Aggregates: list}
		}
	},
}

// computed are the aggregates of a group with what is computed in the place of its variable; nil where something else reads that, or one would be no
// better for it.
func (r *Rewriter) computed(n *parser.Group, of *parser.Extend) []parser.Aggregation {
	reads := func(e parser.Expr) bool { return readsVariable(e, of.Variable) }
	if slices.ContainsFunc(n.Keys, func(k parser.GroupKey) bool { return reads(k.Expr) }) {
		return nil
	}
	list := slices.Clone(n.Aggregates)
	for i := range list {
		a := &list[i]
		switch {
		case a.Argument == nil && a.Distinct:
			return nil
		case a.Argument == nil || !reads(a.Argument):
			continue
		}
		if a.Argument = inline(a.Argument, of); a.Argument == nil || !a.OfNumbers() {
			return nil
		}
	}
	return list
}
