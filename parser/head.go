package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// declaration is BASE or, with a prefix ("ex:"), PREFIX.
type declaration struct {
	prefix string
	base   bool
	iri    iriSyntax
}

// Parse reads BaseDecl or PrefixDecl (rules 5 and 6).
func (d *declaration) Parse(lex *lexer.PeekingLexer) error {
	switch {
	case accept(lex, "BASE"):
		d.base = true
	case accept(lex, "PREFIX"):
		t := lex.Peek()
		if t.Type != tokenPNameNS {
			return unexpected(t, `a prefix such as "ex:"`)
		}
		d.prefix = lex.Next().Value
	default:
		return participle.NextMatch
	}
	return d.iri.Parse(lex)
}

// selectItem is a variable, or an expression and the variable that it is assigned to.
type selectItem struct {
	offset   int
	variable string
	expr     *exprSyntax
}

// Parse reads one item of SelectClause (rule 9).
func (i *selectItem) Parse(lex *lexer.PeekingLexer) (err error) {
	t := lex.Peek()
	i.offset = t.Pos.Offset
	switch {
	case t.Type == tokenVar:
		i.variable = lex.Next().Value
		return nil
	case !accept(lex, "("):
		return participle.NextMatch
	}
	if i.expr, err = readExpression(lex); err != nil {
		return err
	}
	if err := expect(lex, "AS", "an operator"); err != nil {
		return err
	}
	if t = lex.Peek(); t.Type != tokenVar {
		return unexpected(t, "a variable")
	}
	i.variable = lex.Next().Value
	return expect(lex, ")")
}
