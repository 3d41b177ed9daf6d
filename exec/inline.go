package exec

import "github.com/rdfgpu/rdfgpu/parser"

// maxInlined bounds the nodes of an expression made by inlining: chains of BIND that double grow fast.
const maxInlined = 64

// inline writes a condition with the expression of an Extend in place of its variable, so that rows are dropped before
// the values they would have had become terms; nil where that would mean something else, or be large.
func inline(c parser.Expr, n *parser.Extend) parser.Expr {
	if parser.HasExists(c) || parser.HasExists(n.Expr) || parser.IsVolatile(n.Expr) {
		return nil
	}
	out, ok := inlineExpr(c, n)
	if !ok || exprSize(out) > maxInlined {
		return nil
	}
	return out
}

// inlineExpr is false where an expression asks whether the variable is bound: that is no question about its value.
func inlineExpr(e parser.Expr, n *parser.Extend) (parser.Expr, bool) {
	switch e := e.(type) {
	case *parser.Var:
		if e.Name == n.Variable {
			return n.Expr, true
		}
	case *parser.Call:
		if e.Function == "BOUND" {
			v, ok := e.Args[0].(*parser.Var)
			return e, ok && v.Name != n.Variable
		}
		args, ok := inlineArgs(e.Args, n)
		return &parser.Call{Function: e.Function, Args: args}, ok
	case *parser.FunctionCall:
		args, ok := inlineArgs(e.Args, n)
		return &parser.FunctionCall{IRI: e.IRI, Distinct: e.Distinct, Args: args}, ok
	}
	return e, true
}

func inlineArgs(args []parser.Expr, n *parser.Extend) (out []parser.Expr, ok bool) {
	out = make([]parser.Expr, len(args))
	for i, a := range args {
		if out[i], ok = inlineExpr(a, n); !ok {
			return nil, false
		}
	}
	return out, true
}

// exprSize is the number of nodes of an expression, or more than maxInlined.
func exprSize(e parser.Expr) int {
	size := 1
	for _, a := range parser.Arguments(e) {
		if size += exprSize(a); size > maxInlined {
			break
		}
	}
	return size
}
