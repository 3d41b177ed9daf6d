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
	r := tripleReader{lex: lex, verb: readVerb, add: func(t triple) error {
		b.list = append(b.list, t)
		return nil
	}}
	return r.readBlock()
}

// tripleReader reads triples and hands them on one by one.
type tripleReader struct {
	lex   tokens
	verb  func(tokens) (*pathSyntax, error)
	add   func(triple) error
	count int // triples handed on
}

func (r *tripleReader) emit(subject term, path *pathSyntax, object term) error {
	r.count++
	return r.add(triple{subject, path, object})
}

// readBlock reads triples up to and with the last ".".
func (r *tripleReader) readBlock() error {
	for {
		if err := r.readSubject(); err != nil {
			return err
		}
		dot := accept(r.lex, ".")
		if !beginsNode(r.lex.Peek()) {
			return nil
		}
		if !dot {
			f := unexpected(r.lex.Peek(), `"."`, `";"`, `","`)
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
func (r *tripleReader) readSubject() error {
	optional := next(r.lex, "[") || next(r.lex, "(")
	before := r.count
	subject, err := r.readNode()
	if err != nil {
		return err
	}
	// [] and () stand alone only when they hold something.
	optional = optional && r.count > before
	if optional && !beginsVerb(r.lex.Peek()) {
		return nil
	}
	return r.readProperties(subject)
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
func (r *tripleReader) readProperties(subject term) error {
	for {
		path, err := r.verb(r.lex)
		if err != nil {
			return err
		}
		for {
			object, err := r.readNode()
			if err != nil {
				return err
			}
			if err := r.emit(subject, path, object); err != nil {
				return err
			}
			if !accept(r.lex, ",") {
				break
			}
		}
		if !accept(r.lex, ";") {
			return nil
		}
		for accept(r.lex, ";") {
		}
		if !beginsVerb(r.lex.Peek()) {
			return nil
		}
	}
}

// readNode reads a GraphNodePath: a term, a collection or a blank node property list. The triples inside are handed on
// before those that use it.
func (r *tripleReader) readNode() (term, error) {
	if t, ok, err := readTerm(r.lex); ok || err != nil {
		return t, err
	}
	switch offset := r.lex.Peek().Pos.Offset; {
	case accept(r.lex, "["):
		node := freshBlank("a", offset)
		if accept(r.lex, "]") {
			return node, nil
		}
		if err := r.readProperties(node); err != nil {
			return node, err
		}
		return node, expect(r.lex, "]", `";"`, `","`)
	case accept(r.lex, "("):
		return r.readCollection(offset)
	}
	return term{}, unexpected(r.lex.Peek(), "a variable", "an IRI", "a literal", "a blank node")
}

// freshBlank names a blank node after its place, so that names are unique in the query.
func freshBlank(sort string, offset int) term {
	return term{kind: termFresh, offset: offset, text: sort + strconv.Itoa(offset)}
}

// readCollection reads the items of a collection whose "(" is consumed.
func (r *tripleReader) readCollection(offset int) (term, error) {
	if accept(r.lex, ")") {
		return term{kind: termNil, offset: offset}, nil
	}
	head := freshBlank("l", r.lex.Peek().Pos.Offset)
	head.offset = offset
	for cell := head; ; {
		item, err := r.readNode()
		if err != nil {
			return head, err
		}
		if err := r.emit(cell, pathFirst, item); err != nil {
			return head, err
		}
		if accept(r.lex, ")") {
			return head, r.emit(cell, pathRest, term{kind: termNil, offset: offset})
		}
		rest := freshBlank("l", r.lex.Peek().Pos.Offset)
		if err := r.emit(cell, pathRest, rest); err != nil {
			return head, err
		}
		cell = rest
	}
}
