package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// iriSyntax is an IRI or a prefixed name as written.
type iriSyntax struct {
	offset int
	kind   lexer.TokenType
	text   string
}

// Parse reads iri (section 19.8, rule 136).
func (i *iriSyntax) Parse(lex *lexer.PeekingLexer) error { return i.read(lex) }

func (i *iriSyntax) read(lex tokens) error {
	if t := lex.Peek(); !isIRIToken(t) {
		return unexpected(t, "an IRI")
	}
	*i = newIRI(lex.Next())
	return nil
}

func newIRI(t *lexer.Token) iriSyntax {
	return iriSyntax{offset: t.Pos.Offset, kind: t.Type, text: t.Value}
}

func isIRIToken(t *lexer.Token) bool {
	return t.Type == tokenIRI || t.Type == tokenPName || t.Type == tokenPNameNS
}

type termKind uint8

const (
	termNone   termKind = iota
	termVar             // text with its sign
	termIRI             // iri
	termA               // the keyword a
	termBlank           // text with "_:"
	termFresh           // a blank node without a label; text is unique in the query
	termString          // text with quotes; lang or iri
	termNumber          // text; kind of number in number
	termBool            // text: TRUE or FALSE
	termNil             // ()
	termUndef           // UNDEF
)

// term is a variable or RDF term as written.
type term struct {
	kind   termKind
	offset int
	text   string
	lang   string
	number lexer.TokenType
	iri    iriSyntax
}

// Parse reads a variable, an IRI, a literal or UNDEF: the terms of GRAPH, SERVICE, DESCRIBE and VALUES, each of which
// checks its kind later.
func (t *term) Parse(lex *lexer.PeekingLexer) error {
	got, ok, err := readTerm(lex)
	if err != nil {
		return err
	}
	if !ok {
		if lex.Peek().Value != "UNDEF" {
			return participle.NextMatch
		}
		got = term{kind: termUndef, offset: lex.Next().Pos.Offset}
	}
	*t = got
	return nil
}

// readTerm reads one variable, IRI, literal or labelled blank node; ok is false when the next token begins none.
func readTerm(lex tokens) (t term, ok bool, err error) {
	next := lex.Peek()
	t = term{offset: next.Pos.Offset, text: next.Value}
	switch next.Type {
	case tokenVar:
		t.kind = termVar
	case tokenIRI, tokenPName, tokenPNameNS:
		t.kind, t.iri = termIRI, newIRI(next)
	case tokenBlank:
		t.kind = termBlank
	case tokenString:
		lex.Next()
		t.kind = termString
		return t, true, t.annotate(lex)
	case tokenInteger, tokenDecimal, tokenDouble, tokenSigned:
		t.kind, t.number = termNumber, numberType(next)
	case tokenKeyword:
		if next.Value != "TRUE" && next.Value != "FALSE" {
			return t, false, nil
		}
		t.kind = termBool
	default:
		return t, false, nil
	}
	lex.Next()
	return t, true, nil
}

// annotate reads the language tag or datatype that may follow a string.
func (t *term) annotate(lex tokens) error {
	switch next := lex.Peek(); {
	case next.Type == tokenLang:
		t.lang = lex.Next().Value[1:]
	case next.Value == "^^":
		lex.Next()
		return t.iri.read(lex)
	}
	return nil
}

// same reports whether t and u are one place in the text.
func (t term) same(u term) bool { return t.offset == u.offset && t.kind == u.kind && t.text == u.text }

// isLiteral reports whether t is a literal.
func (t term) isLiteral() bool {
	return t.kind == termString || t.kind == termNumber || t.kind == termBool
}

// isBlank reports whether t is a blank node.
func (t term) isBlank() bool { return t.kind == termBlank || t.kind == termFresh }

// describe quotes a term for a message.
func (t term) describe() string {
	token := lexer.Token{Value: t.text}
	switch t.kind {
	case termIRI:
		token.Value = t.iri.text
	case termFresh:
		token.Value = "["
		if t.text[0] == 'l' {
			token.Value = "("
		}
	case termNil:
		token.Value = "()"
	case termString:
		token.Type = tokenString
	case termUndef:
		token.Value = "UNDEF"
	}
	return describe(&token)
}

// numberType returns the sort of a number token, signed ones included.
func numberType(t *lexer.Token) lexer.TokenType {
	if t.Type != tokenSigned {
		return t.Type
	}
	kind := tokenInteger
	for i := range len(t.Value) {
		switch t.Value[i] {
		case '.':
			kind = tokenDecimal
		case 'e', 'E':
			return tokenDouble
		}
	}
	return kind
}

// unexpected is the fault of a token that stands where something else was expected.
func unexpected(t *lexer.Token, expected ...string) *fault {
	f := faultf(t.Pos.Offset, "unexpected %s", describe(t))
	f.expected = expected
	return f
}

// describe quotes a token for a message; the value of the end of a text is its name.
func describe(t *lexer.Token) string {
	value := t.Value
	if t.EOF() {
		return value
	}
	shown := 0
	for i := range value {
		if shown++; shown > 40 {
			value = value[:i] + "…"
			break
		}
	}
	if t.Type == tokenString {
		return "string " + value
	}
	return `"` + value + `"`
}

// accept consumes the next token when it is the given keyword or operator.
func accept(lex tokens, value string) bool {
	if t := lex.Peek(); t.Value == value && (t.Type == tokenPunct || t.Type == tokenKeyword) {
		lex.Next()
		return true
	}
	return false
}

// expect consumes the given keyword or operator or fails.
func expect(lex tokens, value string, others ...string) error {
	if accept(lex, value) {
		return nil
	}
	return unexpected(lex.Peek(), append(others, `"`+value+`"`)...)
}

// next reports whether the next token is the given keyword or operator.
func next(lex tokens, value string) bool {
	t := lex.Peek()
	return t.Value == value && (t.Type == tokenPunct || t.Type == tokenKeyword)
}
