package loader

import (
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

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
	return rdf.ResolveIRI(p.base, ref), nil
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
