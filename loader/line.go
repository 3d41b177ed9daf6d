package loader

import (
	"bytes"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// keys are the terms of one statement as keys of the dictionary; graph is empty for the default graph.
// The slices lie in the line or in the scanner's scratch space and are valid until the next line.
type keys struct {
	subject, predicate, object, graph []byte
}

// lineScanner reads statements of N-Triples and N-Quads, one at a time, with every check of the grammars
// (RDF 1.1 N-Triples, section 7; RDF 1.1 N-Quads, section 6).
type lineScanner struct {
	quads   bool   // a fourth term may follow
	scope   string // put before blank node labels
	store   bool   // labels are those of a store: they stay as they are, and <_:label> is one, too
	scratch [5][]byte
	text    []byte // an unescaped literal
	slot    int    // the scratch slot of the next term
}

// lineError is a fault at a byte offset of a line.
type lineError struct {
	offset  int
	message string
}

func fault(offset int, message string) *lineError { return &lineError{offset, message} }

// scan reads one line, without its line end. ok is false for a line without a statement.
func (s *lineScanner) scan(line []byte, k *keys) (ok bool, err *lineError) {
	if !utf8.Valid(line) {
		i := invalidUTF8(line)
		return false, fault(i, "expected UTF-8, found "+found(line[i:]))
	}
	i := skipBlanks(line, 0)
	if i == len(line) || line[i] == '#' {
		return false, nil
	}
	err = s.statement(line, i, k)
	return err == nil, err
}

// statement reads a statement at i, up to the end of the line.
func (s *lineScanner) statement(line []byte, i int, k *keys) (err *lineError) {
	s.slot = 0
	k.graph = nil
	if k.subject, i, err = s.resource(line, i, "a subject (<IRI> or _:label)", true); err != nil {
		return err
	}
	if k.predicate, i, err = s.resource(line, skipBlanks(line, i), "a predicate (<IRI>)", false); err != nil {
		return err
	}
	if k.object, i, err = s.object(line, skipBlanks(line, i)); err != nil {
		return err
	}
	i = skipBlanks(line, i)
	if s.quads && i < len(line) && line[i] != '.' {
		if k.graph, i, err = s.resource(line, i, "a graph (<IRI> or _:label) or '.'", true); err != nil {
			return err
		}
		i = skipBlanks(line, i)
	}
	return lineEnd(line, i)
}

func lineEnd(line []byte, i int) *lineError {
	if i == len(line) || line[i] != '.' {
		return fault(i, "expected '.' after the statement, found "+found(line[i:]))
	}
	i = skipBlanks(line, i+1)
	if i < len(line) && line[i] != '#' {
		return fault(i, "expected the end of the line or a comment, found "+found(line[i:]))
	}
	return nil
}

func skipBlanks(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	return i
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return len(b)
}

// resource reads an IRI or, where allowed, a blank node.
func (s *lineScanner) resource(line []byte, i int, what string, blank bool) ([]byte, int, *lineError) {
	if i < len(line) {
		switch {
		case line[i] == '<' && s.store && blank && bytes.HasPrefix(line[i+1:], []byte("_:")):
			return s.bracketed(line, i)
		case line[i] == '<':
			return s.iri(line, i)
		case line[i] == '_' && blank:
			return s.blankNode(line, i)
		}
	}
	return nil, i, fault(i, "expected "+what+", found "+found(line[i:]))
}

func (s *lineScanner) object(line []byte, i int) ([]byte, int, *lineError) {
	if i < len(line) && line[i] == '"' {
		return s.literal(line, i)
	}
	return s.resource(line, i, "an object (<IRI>, _:label or \"literal\")", true)
}

// take gives the scratch space of one more term, emptied.
func (s *lineScanner) take() *[]byte {
	b := &s.scratch[s.slot]
	s.slot++
	*b = (*b)[:0]
	return b
}

// iri reads <…> at i and checks that it is absolute.
func (s *lineScanner) iri(line []byte, i int) (key []byte, next int, err *lineError) {
	j := i + 1
	for j < len(line) && ascii[line[j]]&charIRI != 0 {
		j++
	}
	key, next = line[i:j], j+1
	switch {
	case j == len(line) || line[j] != '>' && line[j] != '\\':
		return nil, j, fault(j, "expected '>' or a character of an IRI, found "+found(line[j:]))
	case line[j] == '\\':
		b := s.take()
		if *b, next, err = unescapeIRI((*b)[:0], line, i); err != nil {
			return nil, next, err
		}
		key = *b
	}
	if schemeEnd(key[1:]) == 0 {
		return nil, i, fault(i, "expected an absolute IRI, found "+string(key)+">")
	}
	return key, next, nil
}

// unescapeIRI reads <…> at i, with \u and \U escapes, onto dst, as a key.
func unescapeIRI(dst, line []byte, i int) ([]byte, int, *lineError) {
	dst = append(dst, '<')
	for j := i + 1; j < len(line); {
		switch c := line[j]; {
		case c == '>':
			return dst, j + 1, nil
		case c == '\\':
			r, size := numericEscape(line[j:])
			if size == 0 {
				return nil, j, fault(j, "expected \\uXXXX or \\UXXXXXXXX with a code point that is no surrogate")
			}
			if r < utf8.RuneSelf && ascii[r]&charIRI == 0 {
				return nil, j, fault(j, "expected a character that an IRI may have, found an escape for "+found([]byte{byte(r)}))
			}
			dst = utf8.AppendRune(dst, r)
			j += size
		case ascii[c]&charIRI == 0:
			return nil, j, fault(j, "expected '>' or a character of an IRI, found "+found(line[j:]))
		default:
			dst = append(dst, c)
			j++
		}
	}
	return nil, len(line), fault(len(line), "expected '>', found the end of the line")
}

// numericEscape reads \uXXXX or \UXXXXXXXX at the start of b; size is 0 where there is none.
func numericEscape(b []byte) (r rune, size int) {
	if len(b) < 2 {
		return 0, 0
	}
	digits := 0
	switch b[1] {
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return 0, 0
	}
	r, ok := hexRune(b[2:], digits)
	if !ok {
		return 0, 0
	}
	return r, 2 + digits
}

func (s *lineScanner) blankNode(line []byte, i int) ([]byte, int, *lineError) {
	if i+1 >= len(line) || line[i+1] != ':' {
		return nil, i + 1, fault(i+1, "expected ':' after '_', found "+found(line[i+1:]))
	}
	n, _ := labelEnd(line[i+2:])
	if n == 0 {
		return nil, i + 2, fault(i+2, "expected a blank node label, found "+found(line[i+2:]))
	}
	next := i + 2 + n
	if next < len(line) && line[next] == ':' {
		return nil, next, fault(next, "expected the end of the blank node label, found ':'")
	}
	if s.store || s.scope == "" && !scoped(line[i+2:next]) {
		return line[i:next], next, nil
	}
	b := s.take()
	*b = append(*b, "_:"...)
	*b = appendLabel(*b, s.scope, line[i+2:next])
	return *b, next, nil
}

// bracketed reads a blank node as RDF Patch may have it, <_:label>, at i.
func (s *lineScanner) bracketed(line []byte, i int) ([]byte, int, *lineError) {
	label, next, err := s.blankNode(line, i+1)
	if err == nil && (next == len(line) || line[next] != '>') {
		err = fault(next, "expected '>' after the blank node label, found "+found(line[next:]))
	}
	return label, next + 1, err
}

// literal reads "…" with its language tag or datatype at i.
func (s *lineScanner) literal(line []byte, i int) ([]byte, int, *lineError) {
	j := i + 1
	for j < len(line) && line[j] != '"' && line[j] != '\\' {
		j++
	}
	lexical := line[i+1 : j]
	if j < len(line) && line[j] == '\\' {
		var err *lineError
		if s.text, j, err = unescape(s.text[:0], line, i+1); err != nil {
			return nil, j, err
		}
		lexical = s.text
	}
	if j == len(line) {
		return nil, j, fault(j, "expected '\"', found the end of the line")
	}
	k := skipBlanks(line, j+1)
	switch {
	case k < len(line) && line[k] == '@':
		return s.langString(line, k, lexical)
	case k < len(line) && line[k] == '^':
		return s.typedLiteral(line, k, lexical)
	}
	if j == i+1+len(lexical) {
		return line[i:j], j + 1, nil
	}
	return s.literalKey(rdf.Term{Kind: rdf.Literal, Value: text(lexical)}), j + 1, nil
}

func (s *lineScanner) langString(line []byte, i int, lexical []byte) ([]byte, int, *lineError) {
	n := languageEnd(line[i+1:])
	if n == 0 {
		return nil, i + 1, fault(i+1, "expected a language tag, found "+found(line[i+1:]))
	}
	return s.literalKey(rdf.Term{Kind: rdf.Literal, Value: text(lexical), Language: text(line[i+1 : i+1+n])}), i + 1 + n, nil
}

func (s *lineScanner) typedLiteral(line []byte, i int, lexical []byte) ([]byte, int, *lineError) {
	if i+1 == len(line) || line[i+1] != '^' {
		return nil, i + 1, fault(i+1, "expected '^^', found "+found(line[i+1:]))
	}
	i = skipBlanks(line, i+2)
	if i == len(line) || line[i] != '<' {
		return nil, i, fault(i, "expected a datatype (<IRI>), found "+found(line[i:]))
	}
	datatype, next, err := s.iri(line, i)
	if err != nil {
		return nil, next, err
	}
	if text(datatype[1:]) == rdf.RDFLangString {
		return nil, i, fault(i, "expected a language tag: a literal of type rdf:langString must have one")
	}
	return s.literalKey(rdf.Term{Kind: rdf.Literal, Value: text(lexical), Datatype: text(datatype[1:])}), next, nil
}

func (s *lineScanner) literalKey(t rdf.Term) []byte {
	b := s.take()
	*b, _ = dictionary.AppendKey(*b, t) // neither tag nor IRI can hold a NUL here
	return *b
}

// unescape reads a literal's text at i up to its closing quote, whose index it returns, onto dst.
func unescape(dst, line []byte, i int) ([]byte, int, *lineError) {
	for i < len(line) {
		c := line[i]
		if c == '"' {
			return dst, i, nil
		}
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if i+1 < len(line) && escapedChar[line[i+1]] != 0 {
			dst = append(dst, escapedChar[line[i+1]])
			i += 2
			continue
		}
		r, size := numericEscape(line[i:])
		if size == 0 {
			return dst, i, fault(i, `expected \t \b \n \r \f \" \' \\ or \uXXXX or \UXXXXXXXX with a code point that is no surrogate`)
		}
		dst = utf8.AppendRune(dst, r)
		i += size
	}
	return dst, i, fault(i, "expected '\"', found the end of the line")
}
