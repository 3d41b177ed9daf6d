package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
)

// exists: the pattern of an EXISTS is rewritten by all rules.
var exists = Rule{
	Name: "exists", always: true,
	at:    func(n parser.Node) bool { return slices.ContainsFunc(parser.Expressions(n), parser.HasExists) },
	apply: func(r *Rewriter, n parser.Node) parser.Node { return parser.MapExpressions(n, r.existsIn) },
}

func (r *Rewriter) existsIn(e parser.Expr) parser.Expr {
	x, ok := e.(*parser.Exists)
	if !ok {
		return parser.MapArguments(e, r.existsIn)
	}
	if out := r.Rewrite(x.Pattern); out != x.Pattern {
		return &parser.Exists{Pattern: out, Not: x.Not}
	}
	return e
}
