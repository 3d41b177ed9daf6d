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
	if !beginsDeclaration(lex.Peek()) {
		return participle.NextMatch
	}
	return d.read(lex)
}

func beginsDeclaration(t *lexer.Token) bool {
	return t.Type == tokenKeyword && (t.Value == "BASE" || t.Value == "PREFIX")
}

func (d *declaration) read(lex tokens) error {
	if d.base = accept(lex, "BASE"); !d.base {
		lex.Next()
		t := lex.Peek()
		if t.Type != tokenPNameNS {
			return unexpected(t, `a prefix such as "ex:"`)
		}
		d.prefix = lex.Next().Value
	}
	return d.iri.read(lex)
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
