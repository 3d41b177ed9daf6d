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
	return p.emit(Quad{subject, predicate, object, p.graph})
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

func (p *turtleParser) iriTerm() (rdf.Term, error) {
	iri, err := p.iri()
	return rdf.NewIRI(iri), err
}

// iri reads <…> and resolves it.
func (p *turtleParser) iri() (string, error) {
	ref, err := p.iriRef()
	if err != nil || schemeEnd(ref) > 0 {
		return ref, err
	}
	if p.base == "" {
		return "", p.fail(-len(ref)-2, "%s, found <%s>", errNoBase, ref)
	}
	return Resolve(p.base, ref), nil
}

func (p *turtleParser) prefixedName() (rdf.Term, error) {
	n := p.wordEnd()
	if p.at(n) != ':' {
		return rdf.Term{}, p.fail(0, "expected a prefixed name, found the word %q", p.bytes(0, n))
	}
	namespace, ok := p.prefixes[string(p.bytes(0, n))]
	if !ok {
		return rdf.Term{}, p.fail(0, "the prefix %q is not declared", string(p.bytes(0, n+1)))
	}
	end, escaped, err := p.localEnd(n + 1)
	if err != nil {
		return rdf.Term{}, err
	}
	local := p.bytes(n+1, end)
	if escaped {
		p.text = appendLocal(p.text[:0], local)
		local = p.text
	}
	p.pos += end
	return rdf.NewIRI(namespace + string(local)), nil
}

// appendLocal appends a local name without the backslashes of its escapes.
func appendLocal(dst, local []byte) []byte {
	for i := 0; i < len(local); i++ {
		if local[i] == '\\' {
			i++
		}
		dst = append(dst, local[i])
	}
	return dst
}

func (p *turtleParser) blankNode() (rdf.Term, error) {
	if p.at(1) != ':' {
		return rdf.Term{}, p.expected(1, "':' after '_'")
	}
	n, more := 0, true
	for p.at(2); more; {
		n, more = labelEnd(p.buf[p.pos+2:])
		more = more && p.fill()
	}
	if n == 0 {
		return rdf.Term{}, p.expected(2, "a blank node label")
	}
	label := ownLabel(string(p.bytes(2, 2+n)))
	p.pos += 2 + n
	return rdf.NewBlank(string(appendLabel(nil, p.scope, label))), nil
}

func (p *turtleParser) anonymous() rdf.Term {
	p.made++
	return rdf.NewBlank(p.scope + anonymousLabel(p.made))
}

func (p *turtleParser) enter() error {
	if p.depth++; p.depth > maxNesting {
		return p.fail(0, "brackets are nested deeper than %d", maxNesting)
	}
	return nil
}

// bracket reads [] or a bracketed property list; full tells the latter.
func (p *turtleParser) bracket() (t rdf.Term, full bool, err error) {
	if err := p.enter(); err != nil {
		return t, false, err
	}
	defer func() { p.depth-- }()
	p.pos++
	if err := p.skip(); err != nil {
		return t, false, err
	}
	t = p.anonymous()
	if p.at(0) != ']' {
		full = true
		if err := p.predicateObjectList(t); err != nil {
			return t, full, err
		}
	}
	return t, full, p.punctuation(']')
}

// collection reads ( objects ) as a list of rdf:first and rdf:rest.
func (p *turtleParser) collection() (head rdf.Term, err error) {
	if err := p.enter(); err != nil {
		return head, err
	}
	defer func() { p.depth-- }()
	p.pos++
	var last rdf.Term
	for {
		if err := p.skip(); err != nil {
			return head, err
		}
		if p.at(0) == ')' {
			break
		}
		object, err := p.object()
		if err != nil {
			return head, err
		}
		cell := p.anonymous()
		if head.IsZero() {
			head = cell
		} else if err := p.triple(last, rdf.NewIRI(rdf.RDFRest), cell); err != nil {
			return head, err
		}
		if err := p.triple(cell, rdf.NewIRI(rdf.RDFFirst), object); err != nil {
			return head, err
		}
		last = cell
	}
	p.pos++
	if head.IsZero() {
		return rdf.NewIRI(rdf.RDFNil), nil
	}
	return head, p.triple(last, rdf.NewIRI(rdf.RDFRest), rdf.NewIRI(rdf.RDFNil))
}

func (p *turtleParser) literal() (rdf.Term, error) {
	lexical, err := p.quoted()
	if err != nil {
		return rdf.Term{}, err
	}
	if err := p.skip(); err != nil {
		return rdf.Term{}, err
	}
	switch p.at(0) {
	case '@':
		return p.langString(lexical)
	case '^':
		return p.typedLiteral(lexical)
	}
	return rdf.NewString(lexical), nil
}

func (p *turtleParser) langString(lexical string) (rdf.Term, error) {
	i := 1
	for c := p.at(i); c != eof && (c == '-' || ascii[c]&(charAlpha|charDigit) != 0); c = p.at(i) {
		i++
	}
	n := languageEnd(p.bytes(1, i))
	if n == 0 {
		return rdf.Term{}, p.expected(1, "a language tag")
	}
	tag := string(p.bytes(1, 1+n))
	p.pos += 1 + n
	return rdf.NewLangString(lexical, tag), nil
}

func (p *turtleParser) typedLiteral(lexical string) (rdf.Term, error) {
	if p.at(1) != '^' {
		return rdf.Term{}, p.expected(1, "'^^'")
	}
	p.pos += 2
	if err := p.skip(); err != nil {
		return rdf.Term{}, err
	}
	var t rdf.Term
	var err error
	switch {
	case p.at(0) == '<':
		t, err = p.iriTerm()
	case p.nameAhead():
		t, err = p.prefixedName()
	default:
		err = p.expected(0, "a datatype (IRI)")
	}
	if err == nil && t.Value == rdf.RDFLangString {
		err = p.fail(0, "expected a language tag: a literal of type rdf:langString must have one")
	}
	return rdf.NewTyped(lexical, t.Value), err
}

// number reads an integer, a decimal or a double, as written.
func (p *turtleParser) number() (rdf.Term, error) {
	i := 0
	if c := p.at(0); c == '+' || c == '-' {
		i++
	}
	end, datatype := p.digits(i), rdf.XSDInteger
	whole := end > i
	if p.at(end) == '.' {
		fraction := p.digits(end + 1)
		switch exponent := p.exponentEnd(fraction); {
		case exponent > fraction && (whole || fraction > end+1):
			end, datatype = exponent, rdf.XSDDouble
		case fraction > end+1:
			end, datatype = fraction, rdf.XSDDecimal
		case !whole:
			return rdf.Term{}, p.expected(0, "an object (IRI, blank node, collection or literal)")
		}
	} else if exponent := p.exponentEnd(end); whole && exponent > end {
		end, datatype = exponent, rdf.XSDDouble
	} else if !whole {
		return rdf.Term{}, p.expected(i, "a digit")
	}
	lexical := string(p.bytes(0, end))
	p.pos += end
	return rdf.NewTyped(lexical, datatype), nil
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
