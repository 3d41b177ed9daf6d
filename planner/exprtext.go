package planner

import (
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
)

// infix are the functions that the query writes between their arguments.
var infix = map[string]bool{
	"||": true, "&&": true, "=": true, "!=": true, "<": true, ">": true, "<=": true, ">=": true, "+": true, "-": true, "*": true, "/": true,
}

// exprText is an expression in the query's words.
func exprText(e parser.Expr) string {
	var b strings.Builder
	writeExpr(&b, e)
	return b.String()
}

func writeExpr(b *strings.Builder, e parser.Expr) {
	switch e := e.(type) {
	case *parser.Var:
		b.WriteString(variableText(e.Name))
	case *parser.Const:
		b.WriteString(e.Term.String())
	case *parser.Exists:
		if e.Not {
			b.WriteString("NOT ")
		}
		b.WriteString("EXISTS {…}")
	case *parser.FunctionCall:
		b.WriteString("<" + e.IRI + ">")
		writeArgs(b, e.Args, ", ")
	case *parser.Call:
		switch {
		case infix[e.Function] && len(e.Args) == 2:
			writeArgs(b, e.Args, " "+e.Function+" ")
		case strings.HasSuffix(e.Function, "IN") && len(e.Args) > 0:
			b.WriteByte('(')
			writeExpr(b, e.Args[0])
			b.WriteString(" " + e.Function + " ")
			writeArgs(b, e.Args[1:], ", ")
			b.WriteByte(')')
		default:
			b.WriteString(e.Function)
			writeArgs(b, e.Args, ", ")
		}
	default:
		b.WriteByte('?')
	}
}

// writeArgs writes expressions in brackets.
func writeArgs(b *strings.Builder, args []parser.Expr, separator string) {
	b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			b.WriteString(separator)
		}
		writeExpr(b, a)
	}
	b.WriteByte(')')
}
