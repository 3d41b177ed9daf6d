package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// readCall reads a builtin call, an aggregate or EXISTS; nil when the next token is none of these.
func readCall(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	t := lex.Peek()
	if t.Type != tokenKeyword {
		return nil, nil
	}
	bounds, builtin := builtins[t.Value]
	switch {
	case builtin:
		lex.Next()
		return readBuiltin(lex, t, bounds)
	case aggregates[t.Value]:
		lex.Next()
		return readAggregate(lex, t)
	case t.Value == "EXISTS" || t.Value == "NOT":
		return readExists(lex)
	}
	return nil, nil
}

func readBuiltin(lex *lexer.PeekingLexer, t *lexer.Token, bounds arity) (*exprSyntax, error) {
	args, err := readList(lex)
	if err != nil {
		return nil, err
	}
	if n := len(args); n < bounds.min || bounds.max >= 0 && n > bounds.max {
		return nil, faultf(t.Pos.Offset, "%s takes %s, not %d", t.Value, bounds, n)
	}
	if t.Value == "BOUND" && (args[0].kind != exprTerm || args[0].term.kind != termVar) {
		return nil, faultf(args[0].offset, "BOUND takes a variable")
	}
	name := t.Value
	if s, ok := synonyms[name]; ok {
		name = s
	}
	return call(t.Pos.Offset, name, args...), nil
}

// readAggregate reads an aggregate behind its name.
func readAggregate(lex *lexer.PeekingLexer, t *lexer.Token) (*exprSyntax, error) {
	e := &exprSyntax{kind: exprAggregate, offset: t.Pos.Offset, op: t.Value, separator: " "}
	if err := expect(lex, "("); err != nil {
		return nil, err
	}
	e.distinct = accept(lex, "DISTINCT")
	if e.op == "COUNT" && accept(lex, "*") {
		return e, expect(lex, ")")
	}
	arg, err := readExpression(lex)
	if err != nil {
		return nil, err
	}
	e.args = []*exprSyntax{arg}
	if e.op == "GROUP_CONCAT" && accept(lex, ";") {
		if e.separator, err = readSeparator(lex); err != nil {
			return nil, err
		}
	}
	return e, expect(lex, ")")
}

func readSeparator(lex *lexer.PeekingLexer) (string, error) {
	if err := expect(lex, "SEPARATOR"); err != nil {
		return "", err
	}
	if err := expect(lex, "="); err != nil {
		return "", err
	}
	t := lex.Peek()
	if t.Type != tokenString {
		return "", unexpected(t, "a string")
	}
	return unquote(lex.Next().Value), nil
}

// readExists reads EXISTS or NOT EXISTS and hands the group to the grammar.
func readExists(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	e := &exprSyntax{kind: exprExists, offset: lex.Peek().Pos.Offset, op: "EXISTS"}
	if accept(lex, "NOT") {
		e.op = "NOT EXISTS"
	}
	if err := expect(lex, "EXISTS"); err != nil {
		return nil, err
	}
	if !next(lex, "{") {
		return nil, unexpected(lex.Peek(), `"{"`)
	}
	g, err := grammar().group.ParseFromLexer(lex, participle.AllowTrailing(true))
	e.group = g
	return e, err
}
