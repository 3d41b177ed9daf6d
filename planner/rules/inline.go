package rules

import "github.com/rdfgpu/rdfgpu/parser"

// maxInlined bounds the nodes of an expression made by inlining: chains of BIND that double grow fast.
const maxInlined = 64

// inline writes a condition with the expression of an Extend in place of its variable, so that rows are dropped before
// the values they would have had become terms; nil where that would mean something else, or be large.
func inline(c parser.Expr, n *parser.Extend) parser.Expr {
	if parser.HasExists(c) || parser.HasExists(n.Expr) || parser.IsVolatile(n.Expr) || asksBound(c, n.Variable) {
		return nil
	}
	var write func(e parser.Expr) parser.Expr
	write = func(e parser.Expr) parser.Expr {
		if v, ok := e.(*parser.Var); ok && v.Name == n.Variable {
			return n.Expr
		}
		return parser.MapArguments(e, write)
	}
	if out := write(c); sizeOf(out) <= maxInlined {
		return out
	}
	return nil
}

// asksBound reports whether an expression asks whether the variable is bound: that is no question about its value.
func asksBound(c parser.Expr, variable string) bool {
	return parser.AnyExpr(c, func(e parser.Expr) bool {
		call, ok := e.(*parser.Call)
		if !ok || call.Function != "BOUND" {
			return false
		}
		v, ok := boundOf(call)
		return !ok || v == variable
	})
}

// sizeOf is the number of nodes of an expression, or more than maxInlined.
func sizeOf(e parser.Expr) int {
	size := 1
	for _, a := range parser.Arguments(e) {
		if size += sizeOf(a); size > maxInlined {
			break
		}
	}
	return size
}
