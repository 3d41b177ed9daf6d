package loader

import (
	"io"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// maxNesting bounds how deep brackets and collections may be nested.
const maxNesting = 10_000

// turtleParser reads Turtle (RDF 1.1 Turtle, section 6.5) and TriG (RDF 1.1 TriG, section 4.5) by recursive descent,
// one method for each production.
type turtleParser struct {
	turtleLexer
	trig     bool
	base     string
	scope    string
	prefixes map[string]string
	graph    rdf.Term
	emit     func(Quad) error
	made     int // anonymous blank nodes so far
	depth    int
}

func readTurtle(r io.Reader, trig bool, base, scope string, emit func(Quad) error) error {
	p := turtleParser{trig: trig, base: base, scope: scope, prefixes: map[string]string{}, emit: emit}
	p.r = r
	if p.at(0) == 0xEF && p.at(1) == 0xBB && p.at(2) == 0xBF {
		p.pos = 3
	}
	for {
		if err := p.skip(); err != nil {
			return err
		}
		if p.at(0) == eof {
			if p.err != nil {
				return p.fail(0, "")
			}
			return nil
		}
		if err := p.statement(); err != nil {
			return err
		}
	}
}

// statement reads a directive, a graph or triples.
func (p *turtleParser) statement() error {
	switch c := p.at(0); {
	case c == '@':
		return p.atDirective()
	case c == '{' && p.trig:
		return p.wrappedGraph(rdf.Term{})
	case ascii[c]&charAlpha != 0:
		if word, ok := p.keyword(); ok {
			return p.keywordStatement(word)
		}
	}
	subject, alone, label, err := p.subject()
	if err != nil {
		return err
	}
	if err := p.skip(); err != nil {
		return err
	}
	if p.trig && label && p.at(0) == '{' {
		return p.wrappedGraph(subject)
	}
	if !alone || p.at(0) != '.' {
		if err := p.predicateObjectList(subject); err != nil {
			return err
		}
	}
	return p.punctuation('.')
}

// keyword looks for a bare word, that is, one that is no prefixed name.
func (p *turtleParser) keyword() (word string, ok bool) {
	n := p.wordEnd()
	if n == 0 || p.at(n) == ':' {
		return "", false
	}
	return string(p.bytes(0, n)), true
}

func (p *turtleParser) keywordStatement(word string) error {
	switch {
	case strings.EqualFold(word, "prefix"):
		p.pos += len(word)
		return p.prefixDirective()
	case strings.EqualFold(word, "base"):
		p.pos += len(word)
		return p.baseDirective()
	case strings.EqualFold(word, "graph") && p.trig:
		p.pos += len(word)
		return p.namedGraph()
	}
	return p.fail(0, "expected a directive or a subject, found the word %q", word)
}

func (p *turtleParser) atDirective() error {
	p.pos++
	word := string(p.bytes(0, p.wordEnd()))
	p.pos += len(word)
	var err error
	switch word {
	case "prefix":
		err = p.prefixDirective()
	case "base":
		err = p.baseDirective()
	default:
		p.pos -= len(word)
		return p.fail(0, "expected @prefix or @base")
	}
	if err != nil {
		return err
	}
	return p.punctuation('.')
}

func (p *turtleParser) prefixDirective() error {
	if err := p.skip(); err != nil {
		return err
	}
	n := p.wordEnd()
	if p.at(n) != ':' || n > 0 && !p.prefixStart() {
		return p.expected(0, "a prefix that ends in ':'")
	}
	prefix := string(p.bytes(0, n))
	p.pos += n + 1
	iri, err := p.directiveIRI()
	if err == nil {
		p.prefixes[prefix] = iri
	}
	return err
}

// prefixStart reports whether the token starts as a prefix must (PN_CHARS_BASE).
func (p *turtleParser) prefixStart() bool {
	r, size := p.runeAt(0)
	return size > 0 && isNameBase(r)
}

func (p *turtleParser) baseDirective() error {
	iri, err := p.directiveIRI()
	if err == nil {
		p.base = iri
	}
	return err
}

func (p *turtleParser) directiveIRI() (string, error) {
	if err := p.skip(); err != nil {
		return "", err
	}
	if p.at(0) != '<' {
		return "", p.expected(0, "<IRI>")
	}
	return p.iri()
}

func (p *turtleParser) namedGraph() error {
	if err := p.skip(); err != nil {
		return err
	}
	name, _, label, err := p.subject()
	if err != nil {
		return err
	}
	if !label {
		return p.fail(0, "expected an IRI or a blank node as the name of the graph")
	}
	if err := p.skip(); err != nil {
		return err
	}
	if p.at(0) != '{' {
		return p.expected(0, "'{' after the name of the graph")
	}
	return p.wrappedGraph(name)
}

// wrappedGraph reads { triples }.
func (p *turtleParser) wrappedGraph(name rdf.Term) error {
	p.pos++
	p.graph = name
	defer func() { p.graph = rdf.Term{} }()
	for {
		if err := p.skip(); err != nil {
			return err
		}
		if p.at(0) == '}' {
			p.pos++
			return nil
		}
		if err := p.graphTriples(); err != nil {
			return err
		}
		switch p.at(0) {
		case '.':
			p.pos++
		case '}':
		default:
			return p.expected(0, "'.' or '}' after the triples of a graph")
		}
	}
}

func (p *turtleParser) graphTriples() error {
	subject, alone, _, err := p.subject()
	if err != nil {
		return err
	}
	if err := p.skip(); err != nil {
		return err
	}
	if c := p.at(0); alone && (c == '.' || c == '}') {
		return nil
	}
	if err := p.predicateObjectList(subject); err != nil {
		return err
	}
	return p.skip()
}

// subject reads a subject. alone says that it may stand without predicates (a bracketed property list), label that it
// may be the name of a graph.
func (p *turtleParser) subject() (t rdf.Term, alone, label bool, err error) {
	switch c := p.at(0); {
	case c == '<':
		t, err = p.iriTerm()
		return t, false, true, err
	case c == '[':
		t, alone, err = p.bracket()
		return t, alone, !alone, err
	case c == '(':
		t, err = p.collection()
		return t, false, false, err
	case c == '_':
		t, err = p.blankNode()
		return t, false, true, err
	case p.nameAhead():
		t, err = p.prefixedName()
		return t, false, true, err
	}
	return t, false, false, p.expected(0, "a subject (IRI, blank node or collection)")
}

// nameAhead reports whether the token starts as a prefixed name may.
func (p *turtleParser) nameAhead() bool { return p.at(0) == ':' || p.prefixStart() }

// predicateObjectList reads the verbs and objects of a subject; white space before it has been skipped.
func (p *turtleParser) predicateObjectList(subject rdf.Term) error {
	for {
		predicate, err := p.verb()
		if err != nil {
			return err
		}
		if err := p.objectList(subject, predicate); err != nil {
			return err
		}
		if p.at(0) != ';' {
			return nil
		}
		for p.at(0) == ';' {
			p.pos++
			if err := p.skip(); err != nil {
				return err
			}
		}
		if c := p.at(0); c == '.' || c == ']' || c == '}' {
			return nil
		}
	}
}

func (p *turtleParser) verb() (rdf.Term, error) {
	if p.at(0) == 'a' && p.wordEnd() == 1 && p.at(1) != ':' {
		p.pos++
		return rdf.NewIRI(rdf.RDFType), nil
	}
	if p.at(0) == '<' {
		return p.iriTerm()
	}
	if p.nameAhead() {
		return p.prefixedName()
	}
	return rdf.Term{}, p.expected(0, "a predicate (IRI or 'a')")
}

// objectList reads objects up to what follows the last one, white space included.
func (p *turtleParser) objectList(subject, predicate rdf.Term) error {
	for {
		if err := p.skip(); err != nil {
			return err
		}
		object, err := p.object()
		if err != nil {
			return err
		}
		if err := p.triple(subject, predicate, object); err != nil {
			return err
		}
		if err := p.skip(); err != nil {
			return err
		}
		if p.at(0) != ',' {
			return nil
		}
		p.pos++
	}
}

func (p *turtleParser) triple(subject, predicate, object rdf.Term) error {
	return p.emit(Quad{Subject: subject, Predicate: predicate, Object: object, Graph: p.graph})
}

func (p *turtleParser) object() (rdf.Term, error) {
	switch c := p.at(0); {
	case c == '<':
		return p.iriTerm()
	case c == '_':
		return p.blankNode()
	case c == '[':
		t, _, err := p.bracket()
		return t, err
	case c == '(':
		return p.collection()
	case c == '"' || c == '\'':
		return p.literal()
	case c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.':
		return p.number()
	case p.nameAhead():
		if word, ok := p.keyword(); ok && (word == "true" || word == "false") {
			p.pos += len(word)
			return rdf.NewTyped(word, rdf.XSDBoolean), nil
		}
		return p.prefixedName()
	}
	return rdf.Term{}, p.expected(0, "an object (IRI, blank node, collection or literal)")
}

// punctuation skips white space and reads one character.
func (p *turtleParser) punctuation(c byte) error {
	if err := p.skip(); err != nil {
		return err
	}
	if p.at(0) != int(c) {
		return p.expected(0, "'"+string(c)+"'")
	}
	p.pos++
	return nil
}
