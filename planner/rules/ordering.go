package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
)

// ordering: OrderBy(Extend(A, ?v, e), ?v) → Extend(OrderBy(A, e), ?v, e) where e makes numbers, so that these are sorted as such, and become terms only in the rows that
// are left, if something reads ?v there.
var ordering = Rule{
	Name: "ordering",
	at: func(n parser.Node) bool {
		o, ok := n.(*parser.OrderBy)
		return ok && is[*parser.Extend](o.Input)
	},
	apply: func(_ *Rewriter, n parser.Node) parser.Node { return ordered(n.(*parser.OrderBy)) },
}

// ordered moves a sort below what is computed for it, and below what stands between that it does not read.
func ordered(n *parser.OrderBy) parser.Node {
	extend, ok := n.Input.(*parser.Extend)
	if !ok || parser.IsVolatile(extend.Expr) || parser.HasExists(extend.Expr) {
		return n
	}
	keys, reads := numberKeys(n.Keys, extend)
	if keys == nil {
		return n
	}
	below := &parser.OrderBy{Input: extend.Input, Keys: keys}
	moved := ordered(below)
	if !reads && moved == below {
		return n
	}
	return &parser.Extend{Input: moved, Variable: extend.Variable, Expr: extend.Expr}
}

// numberKeys are the conditions of ORDER BY with what is computed in the place of its variable, and whether one reads that; nil where one would be no better for it.
func numberKeys(keys []parser.OrderKey, of *parser.Extend) (list []parser.OrderKey, reads bool) {
	list = slices.Clone(keys)
	for i := range list {
		k := &list[i]
		if !readsVariable(k.Expr, of.Variable) {
			continue
		}
		if reads = true; !makesNumbers(of.Expr) || !parser.IsVariable(k.Expr) && !makesNumbers(k.Expr) {
			return nil, false
		}
		if k.Expr = inline(k.Expr, of); k.Expr == nil {
			return nil, false
		}
	}
	return list, reads
}

// makesNumbers reports whether the results of an expression are numbers of its own.
func makesNumbers(e parser.Expr) bool {
	call, ok := e.(*parser.Call)
	return ok && parser.MakesNumbers(call.Function)
}

// readsVariable reports whether a variable is in an expression.
func readsVariable(e parser.Expr, name string) bool {
	return parser.AnyExpr(e, func(x parser.Expr) bool { v, ok := x.(*parser.Var); return ok && v.Name == name })
}
