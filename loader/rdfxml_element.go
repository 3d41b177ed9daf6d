package loader

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"strings"
)

// xmlContext is what an element inherits.
type xmlContext struct {
	base, language string
	namespaces     map[string]string // never changed once made
}

// xmlName is a name with its namespace resolved.
type xmlName struct{ space, local string }

func (n xmlName) iri() string           { return n.space + n.local }
func (n xmlName) rdf(local string) bool { return n.space == rdfNS && n.local == local }

// element is a start tag: its own name, what holds inside it, and its attributes other than xmlns and xml:….
type element struct {
	xmlContext
	xmlName
	attributes []xmlAttribute
	start      xml.StartElement
}

type xmlAttribute struct {
	xmlName
	value string
}

// charsetReader turns Latin-1 into UTF-8; other encodings are refused.
func charsetReader(charset string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "us-ascii", "ascii":
		return r, nil
	case "iso-8859-1", "latin1":
		return &latin1{r: r}, nil
	}
	return nil, fmt.Errorf("loader: %w: XML in the encoding %q", ErrFormat, charset)
}

type latin1 struct {
	r    io.Reader
	in   [2048]byte
	rest []byte
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		n, err := l.r.Read(l.in[:])
		if n == 0 {
			return 0, err
		}
		l.rest = l.rest[:0]
		for _, c := range l.in[:n] {
			l.rest = append(l.rest, string(rune(c))...)
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next tag or text; comments and instructions are passed over.
func (p *xmlParser) next() (xml.Token, error) {
	for {
		t, err := p.d.RawToken()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			p.bodies = append(p.bodies, written(t.Name))
			return t.Copy(), nil
		case xml.EndElement:
			last := len(p.bodies) - 1
			if last < 0 || p.bodies[last] != written(t.Name) {
				return nil, p.fail("the end tag </%s> has no start tag", written(t.Name))
			}
			p.bodies = p.bodies[:last]
			return t, nil
		case xml.CharData:
			return t.Copy(), nil
		case xml.Directive:
			if err := p.entities(string(t)); err != nil {
				return nil, err
			}
		}
	}
}

func written(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// nextElement skips white space and returns the next start tag; nil at the end tag. Any other text is a fault.
func (p *xmlParser) nextElement(in xmlContext) (*element, error) {
	for {
		t, err := p.next()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			return p.element(in, t)
		case xml.EndElement:
			return nil, nil
		case xml.CharData:
			if strings.Trim(string(t), " \t\r\n") != "" {
				return nil, p.fail("expected an element, found text")
			}
		}
	}
}

// element resolves the names of a start tag.
func (p *xmlParser) element(in xmlContext, start xml.StartElement) (*element, error) {
	e := &element{xmlContext: in, start: start}
	for _, a := range start.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			prefix := a.Name.Local
			if a.Name.Space == "" {
				prefix = ""
			}
			e.namespaces = maps.Clone(e.namespaces)
			e.namespaces[prefix] = a.Value
		}
	}
	var err error
	if e.xmlName, err = p.resolve(e.namespaces, start.Name, true); err != nil {
		return nil, err
	}
	for _, a := range start.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			continue
		}
		name, err := p.resolve(e.namespaces, a.Name, false)
		if err != nil {
			return nil, err
		}
		if err := p.attribute(e, xmlAttribute{name, a.Value}); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (p *xmlParser) resolve(namespaces map[string]string, n xml.Name, isElement bool) (xmlName, error) {
	if n.Space == "" && !isElement {
		return xmlName{"", n.Local}, nil
	}
	space, ok := namespaces[n.Space]
	if !ok && n.Space != "" {
		return xmlName{}, p.fail("the namespace prefix %q is not declared", n.Space)
	}
	return xmlName{space, n.Local}, nil
}

// attribute adds an attribute to an element, or to its context.
func (p *xmlParser) attribute(e *element, a xmlAttribute) error {
	switch {
	case a.space == xmlNS && a.local == "lang":
		if a.value != "" && languageEnd([]byte(a.value)) != len(a.value) {
			return p.fail("expected a language tag, found %q", a.value)
		}
		e.language = a.value
	case a.space == xmlNS && a.local == "base":
		base, err := p.iri(e.xmlContext, a.value)
		if err != nil {
			return err
		}
		e.base = base
	case a.space == xmlNS || a.space == "" && strings.HasPrefix(strings.ToLower(a.local), "xml"):
	case a.space == "" && (a.local == "about" || a.local == "ID" || a.local == "resource" || a.local == "parseType" || a.local == "type"):
		// Old documents write these without the prefix (section 6.1.4).
		e.attributes = append(e.attributes, xmlAttribute{xmlName{rdfNS, a.local}, a.value})
	case a.space == "":
		return p.fail("the attribute %q has no namespace", a.local)
	default:
		for _, other := range e.attributes {
			if other.xmlName == a.xmlName {
				return p.fail("the attribute %q is there twice", a.local)
			}
		}
		e.attributes = append(e.attributes, a)
	}
	return nil
}
