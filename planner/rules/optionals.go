package rules

import (
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// optionals: LeftJoin(L, R, c && d) → LeftJoin(L, Filter(c, R), d) where c reads the same values in R alone.
var optionals = Rule{
	Name: "optionals",
	at: func(n parser.Node) bool {
		left, ok := n.(*parser.LeftJoin)
		return ok && left.Condition != nil
	},
	apply: func(r *Rewriter, n parser.Node) parser.Node {
		join := n.(*parser.LeftJoin)
		right := join.Right
		var rest parser.Expr
		for _, c := range parser.Conjuncts(nil, join.Condition) {
			if !parser.HasExists(c) && !parser.IsVolatile(c) && r.readsOnly(c, right, join.Left) {
				right = &parser.Filter{Condition: c, Input: right}
			} else {
				rest = conjunction(rest, c)
			}
		}
		return &parser.LeftJoin{Left: join.Left, Right: right, Condition: rest}
	},
}

func conjunction(a, b parser.Expr) parser.Expr {
	if a == nil {
		return b
	}
	return &parser.Call{Function: "&&", Args: []parser.Expr{a, b}}
}

// readsOnly reports whether every variable of an expression has, in the join of side and other, the value it has
// in side: side always binds it, or other never does.
func (r *Rewriter) readsOnly(e parser.Expr, side, other parser.Node) bool {
	return !r.Scopes.Reads(e).Without(r.Scopes.Of(side).Must).Meets(r.Scopes.Of(other).May)
}

// OnlyRepeats reports whether OPTIONAL can do no more than repeat solutions of its left side, for who reads some variables
// and drops repeats: then the left side is enough.
func OnlyRepeats(s *scope.Scopes, n *parser.LeftJoin, read scope.Set) bool {
	return !s.Of(n.Right).May.Without(s.Of(n.Left).Must).Meets(read)
}
