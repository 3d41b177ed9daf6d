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
func (p *planner) exprText(e parser.Expr) string {
	w := exprWriter{known: p.options.Known}
	w.expr(e)
	return w.String()
}

// exprWriter writes expressions; known reports whether a function exists.
type exprWriter struct {
	strings.Builder
	known func(*parser.FunctionCall) bool
}

func (b *exprWriter) expr(e parser.Expr) {
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
		b.args(e.Args, ", ")
		if b.known != nil && !b.known(e) {
			b.WriteString(" [no such function: an error]")
		}
	case *parser.Call:
		switch {
		case infix[e.Function] && len(e.Args) == 2:
			b.args(e.Args, " "+e.Function+" ")
		case strings.HasSuffix(e.Function, "IN") && len(e.Args) > 0:
			b.WriteByte('(')
			b.expr(e.Args[0])
			b.WriteString(" " + e.Function + " ")
			b.args(e.Args[1:], ", ")
			b.WriteByte(')')
		default:
			b.WriteString(e.Function)
			b.args(e.Args, ", ")
		}
	default:
		b.WriteByte('?')
	}
}

// args writes expressions in brackets.
func (b *exprWriter) args(args []parser.Expr, separator string) {
	b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			b.WriteString(separator)
		}
		b.expr(a)
	}
	b.WriteByte(')')
}
