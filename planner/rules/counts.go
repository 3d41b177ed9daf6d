package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
)

// counts: COUNT(?v) → COUNT(*) where every solution binds ?v.
var counts = Rule{
	Name: "counts",
	at:   is[*parser.Group],
	apply: func(r *Rewriter, n parser.Node) parser.Node {
		group := n.(*parser.Group)
		must, list := r.Scopes.Of(group.Input).Must, slices.Clone(group.Aggregates)
		for i, a := range list {
			if v, ok := a.Argument.(*parser.Var); ok && a.Function == "COUNT" && !a.Distinct && must.Has(r.Scopes.Number(v.Name)) {
				list[i].Argument = nil
			}
		}
		if slices.Equal(list, group.Aggregates) {
			return n
		}
		return &parser.Group{Input: group.Input, Keys: group.Keys, Aggregates: list}
	},
}
