package parser

import (
	"strconv"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// triple is one triple pattern as written; blank node property lists and collections are already spread out.
type triple struct {
	subject term
	path    *pathSyntax
	object  term
}

// triples is a TriplesBlock: triple patterns that follow each other, with property paths as predicates.
type triples struct {
	list []triple
}

// Parse reads a TriplesBlock up to and with its last ".".
func (b *triples) Parse(lex *lexer.PeekingLexer) error {
	if !beginsNode(lex.Peek()) {
		return participle.NextMatch
	}
	b.list = make([]triple, 0, 8)
	for {
		if err := b.readSubject(lex); err != nil {
			return err
		}
		dot := accept(lex, ".")
		if !beginsNode(lex.Peek()) {
			return nil
		}
		if !dot {
			f := unexpected(lex.Peek(), `"."`, `";"`, `","`)
			f.hint = "triple patterns are separated by a full stop"
			return f
		}
	}
}

// beginsNode reports whether t begins a subject.
func beginsNode(t *lexer.Token) bool {
	switch t.Type {
	case tokenPunct:
		return t.Value == "(" || t.Value == "["
	case tokenKeyword:
		return t.Value == "TRUE" || t.Value == "FALSE"
	}
	return t.Type != tokenEOF && t.Type != tokenWord && t.Type != tokenLang
}

// readSubject reads TriplesSameSubjectPath.
func (b *triples) readSubject(lex *lexer.PeekingLexer) error {
	optional := next(lex, "[") || next(lex, "(")
	start := lex.Cursor()
	subject, err := b.readNode(lex)
	if err != nil {
		return err
	}
	// [] and () stand alone only when they hold something.
	optional = optional && lex.Cursor() > start+2
	if optional && !beginsVerb(lex.Peek()) {
		return nil
	}
	return b.readProperties(lex, subject)
}

func beginsVerb(t *lexer.Token) bool {
	switch t.Type {
	case tokenVar, tokenIRI, tokenPName, tokenPNameNS:
		return true
	case tokenKeyword:
		return t.Value == "a"
	case tokenPunct:
		return t.Value == "^" || t.Value == "!" || t.Value == "("
	}
	return false
}

// readProperties reads PropertyListPathNotEmpty for subject.
func (b *triples) readProperties(lex *lexer.PeekingLexer, subject term) error {
	for {
		path, err := readVerb(lex)
		if err != nil {
			return err
		}
		for {
			object, err := b.readNode(lex)
			if err != nil {
				return err
			}
			b.list = append(b.list, triple{subject, path, object})
			if !accept(lex, ",") {
				break
			}
		}
		if !accept(lex, ";") {
			return nil
		}
		for accept(lex, ";") {
		}
		if !beginsVerb(lex.Peek()) {
			return nil
		}
	}
}

// readNode reads a GraphNodePath: a term, a collection or a blank node property list. It appends the triples inside
// after those that use it.
func (b *triples) readNode(lex *lexer.PeekingLexer) (term, error) {
	if t, ok, err := readTerm(lex); ok || err != nil {
		return t, err
	}
	switch offset := lex.Peek().Pos.Offset; {
	case accept(lex, "["):
		node := freshBlank("a", offset)
		if accept(lex, "]") {
			return node, nil
		}
		if err := b.readProperties(lex, node); err != nil {
			return node, err
		}
		return node, expect(lex, "]", `";"`, `","`)
	case accept(lex, "("):
		return b.readCollection(lex, offset)
	}
	return term{}, unexpected(lex.Peek(), "a variable", "an IRI", "a literal", "a blank node")
}

// freshBlank names a blank node after its place, so that names are unique in the query.
func freshBlank(sort string, offset int) term {
	return term{kind: termFresh, offset: offset, text: sort + strconv.Itoa(offset)}
}

// readCollection reads the items of a collection whose "(" is consumed.
func (b *triples) readCollection(lex *lexer.PeekingLexer, offset int) (term, error) {
	if accept(lex, ")") {
		return term{kind: termNil, offset: offset}, nil
	}
	head := freshBlank("l", lex.Peek().Pos.Offset)
	for cell := head; ; {
		item, err := b.readNode(lex)
		if err != nil {
			return head, err
		}
		b.list = append(b.list, triple{cell, pathFirst, item})
		if accept(lex, ")") {
			b.list = append(b.list, triple{cell, pathRest, term{kind: termNil, offset: offset}})
			return head, nil
		}
		rest := freshBlank("l", lex.Peek().Pos.Offset)
		b.list = append(b.list, triple{cell, pathRest, rest})
		cell = rest
	}
}
