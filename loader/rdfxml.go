package loader

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const (
	rdfNS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xmlNS = "http://www.w3.org/XML/1998/namespace"
)

// xmlParser reads RDF/XML (RDF 1.1 XML Syntax, section 7) by recursive descent over the tokens of encoding/xml. It
// resolves namespaces itself, since XML literals need the prefixes that were written.
type xmlParser struct {
	d      *xml.Decoder
	scope  string
	emit   func(Quad) error
	made   int
	ids    map[string]bool // rdf:ID, resolved
	depth  int
	bodies []string // names of open elements, as written
}

func readXML(r io.Reader, base, scope string, emit func(Quad) error) error {
	p := &xmlParser{d: xml.NewDecoder(r), scope: scope, emit: emit, ids: map[string]bool{}}
	p.d.CharsetReader = charsetReader
	err := p.document(xmlContext{base: base, namespaces: map[string]string{"xml": xmlNS}})
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return p.fail("expected well-formed XML: %s", syntax.Msg)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return p.fail("expected an end tag, found the end of the document")
	}
	return err
}

func (p *xmlParser) fail(format string, arguments ...any) error {
	line, column := p.d.InputPos()
	return &SyntaxError{Line: int64(line), Column: column, Message: fmt.Sprintf(format, arguments...)}
}

// iri resolves an IRI reference.
func (p *xmlParser) iri(in xmlContext, ref string) (string, error) {
	if i := badIRIByte(ref); i >= 0 {
		return "", p.fail("expected an IRI, found %q in %q", ref[i], ref)
	}
	if schemeEnd(ref) > 0 {
		return ref, nil
	}
	if in.base == "" {
		return "", p.fail("%s, found %q", errNoBase, ref)
	}
	return rdf.ResolveIRI(in.base, ref), nil
}

func (p *xmlParser) document(in xmlContext) error {
	root := false
	for {
		t, err := p.next()
		if err == io.EOF {
			if !root {
				return p.fail("expected an element, rdf:RDF or a description, found the end of the document")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if text, ok := t.(xml.CharData); ok {
			if strings.Trim(string(text), " \t\r\n\ufeff") != "" {
				return p.fail("expected an element, found text")
			}
			continue
		}
		start, ok := t.(xml.StartElement)
		if !ok || root {
			return p.fail("expected one root element, found a second one")
		}
		root = true
		e, err := p.element(in, start)
		if err != nil {
			return err
		}
		if e.rdf("RDF") {
			err = p.nodes(e.xmlContext, func(rdf.Term) error { return nil })
		} else {
			_, err = p.node(e)
		}
		if err != nil {
			return err
		}
	}
}

// nodes reads node elements up to the end tag around them.
func (p *xmlParser) nodes(in xmlContext, each func(rdf.Term) error) error {
	for {
		e, err := p.nextElement(in)
		if e == nil || err != nil {
			return err
		}
		t, err := p.node(e)
		if err != nil {
			return err
		}
		if err := each(t); err != nil {
			return err
		}
	}
}

func (p *xmlParser) triple(s rdf.Term, predicate string, o rdf.Term) error {
	return p.emit(Quad{Subject: s, Predicate: rdf.NewIRI(predicate), Object: o})
}

func (p *xmlParser) anonymous() rdf.Term {
	p.made++
	return rdf.NewBlank(p.scope + anonymousLabel(p.made))
}

// absolute checks the IRI that the name of an element or attribute stands for.
func (p *xmlParser) absolute(iri string) error {
	if badIRIByte(iri) >= 0 || schemeEnd(iri) == 0 {
		return p.fail("expected a name that stands for an absolute IRI, found one for %q", iri)
	}
	return nil
}

// Names that must not be used as node elements, property elements or property attributes (section 6.2.2 to 6.2.4).
const (
	coreNames = " RDF ID about parseType resource nodeID datatype "
	oldNames  = " aboutEach aboutEachPrefix bagID "
)

func (n xmlName) among(names string) bool {
	return n.space == rdfNS && strings.Contains(names, " "+n.local+" ")
}

// node reads a node element (section 7.2.11) whose start tag has been read, through its end tag.
func (p *xmlParser) node(e *element) (subject rdf.Term, err error) {
	if p.depth++; p.depth > maxNesting {
		return subject, p.fail("elements are nested deeper than %d", maxNesting)
	}
	defer func() { p.depth-- }()
	if e.among(coreNames+oldNames+" li ") || e.space == "" {
		return subject, p.fail("expected a node element, found <%s>", written(e.start.Name))
	}
	var properties []xmlAttribute
	for _, a := range e.attributes {
		var t rdf.Term
		switch {
		case a.rdf("about"):
			t, err = p.resource(e.xmlContext, a.value)
		case a.rdf("ID"):
			t, err = p.identifier(e.xmlContext, a.value)
		case a.rdf("nodeID"):
			t, err = p.nodeID(a.value)
		default:
			properties = append(properties, a)
			continue
		}
		if err == nil && !subject.IsZero() {
			err = p.fail("expected only one of rdf:about, rdf:ID and rdf:nodeID")
		}
		if err != nil {
			return subject, err
		}
		subject = t
	}
	if subject.IsZero() {
		subject = p.anonymous()
	}
	if !e.rdf("Description") {
		if err := p.absolute(e.iri()); err != nil {
			return subject, err
		}
		if err := p.triple(subject, rdf.RDFType, rdf.NewIRI(e.iri())); err != nil {
			return subject, err
		}
	}
	if err := p.propertyAttributes(e.xmlContext, subject, properties); err != nil {
		return subject, err
	}
	return subject, p.properties(e.xmlContext, subject)
}

func (p *xmlParser) resource(in xmlContext, ref string) (rdf.Term, error) {
	iri, err := p.iri(in, ref)
	return rdf.NewIRI(iri), err
}

// identifier is the IRI that an rdf:ID stands for; each may be used once.
func (p *xmlParser) identifier(in xmlContext, id string) (rdf.Term, error) {
	if !isNCName(id) {
		return rdf.Term{}, p.fail("expected a name without colon as rdf:ID, found %q", id)
	}
	t, err := p.resource(in, "#"+id)
	if err == nil && p.ids[t.Value] {
		err = p.fail("the rdf:ID %q is there twice", id)
	}
	p.ids[t.Value] = true
	return t, err
}

func (p *xmlParser) nodeID(id string) (rdf.Term, error) {
	if !isNCName(id) {
		return rdf.Term{}, p.fail("expected a name without colon as rdf:nodeID, found %q", id)
	}
	return rdf.NewBlank(string(appendLabel(nil, p.scope, ownLabel(id)))), nil
}

// isNCName reports whether s is an XML name without a colon; the classes of characters are those of Turtle's names,
// which come from there.
func isNCName(s string) bool {
	for i, r := range s {
		if i == 0 && !isNameU(r) || r != '.' && !isName(r) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, ".")
}

// propertyAttributes makes triples of the attributes that stand for properties (section 7.2.11).
func (p *xmlParser) propertyAttributes(in xmlContext, subject rdf.Term, attributes []xmlAttribute) error {
	for _, a := range attributes {
		object := rdf.NewLangString(a.value, in.language)
		switch {
		case a.rdf("type"):
			var err error
			if object, err = p.resource(in, a.value); err != nil {
				return err
			}
		case a.among(coreNames + oldNames + " Description li "):
			return p.fail("the attribute rdf:%s does not belong here", a.local)
		}
		if err := p.absolute(a.iri()); err != nil {
			return err
		}
		if err := p.triple(subject, a.iri(), object); err != nil {
			return err
		}
	}
	return nil
}

// properties reads property elements up to the end tag of the node.
func (p *xmlParser) properties(in xmlContext, subject rdf.Term) error {
	members := 0
	for {
		e, err := p.nextElement(in)
		if e == nil || err != nil {
			return err
		}
		if e.among(coreNames+oldNames+" Description ") || e.space == "" {
			return p.fail("expected a property element, found <%s>", written(e.start.Name))
		}
		predicate := e.iri()
		if e.rdf("li") {
			members++
			predicate = rdfNS + "_" + strconv.Itoa(members)
		}
		if err := p.absolute(predicate); err != nil {
			return err
		}
		if err := p.property(e, subject, predicate); err != nil {
			return err
		}
	}
}

// propertyForm is what the attributes of a property element say.
type propertyForm struct {
	id, parseType, datatype string
	typed, parsed           bool
	object                  rdf.Term // of rdf:resource or rdf:nodeID
	properties              []xmlAttribute
}

func (p *xmlParser) propertyForm(e *element) (f propertyForm, err error) {
	for _, a := range e.attributes {
		var t rdf.Term
		switch {
		case a.rdf("ID"):
			t, err = p.identifier(e.xmlContext, a.value)
			f.id, t = t.Value, rdf.Term{}
		case a.rdf("parseType"):
			f.parseType, f.parsed = a.value, true
		case a.rdf("datatype"):
			f.datatype, err = p.iri(e.xmlContext, a.value)
			f.typed = true
		case a.rdf("resource"):
			t, err = p.resource(e.xmlContext, a.value)
		case a.rdf("nodeID"):
			t, err = p.nodeID(a.value)
		default:
			f.properties = append(f.properties, a)
		}
		if err == nil && !t.IsZero() && !f.object.IsZero() {
			err = p.fail("expected only one of rdf:resource and rdf:nodeID")
		}
		if err != nil {
			return f, err
		}
		if !t.IsZero() {
			f.object = t
		}
	}
	if f.parsed && (f.typed || !f.object.IsZero() || len(f.properties) > 0) {
		return f, p.fail("expected no other attributes beside rdf:parseType")
	}
	if f.typed && (!f.object.IsZero() || len(f.properties) > 0) {
		return f, p.fail("expected no other attributes beside rdf:datatype")
	}
	if f.datatype == rdf.RDFLangString {
		return f, p.fail("expected a language tag: a literal of type rdf:langString must have one")
	}
	return f, nil
}

// property reads a property element (sections 7.2.14 to 7.2.21) through its end tag.
func (p *xmlParser) property(e *element, subject rdf.Term, predicate string) error {
	f, err := p.propertyForm(e)
	if err != nil {
		return err
	}
	var object rdf.Term
	switch {
	case f.parseType == "Resource":
		object = p.anonymous()
		if err := p.statement(subject, predicate, object, f.id); err != nil {
			return err
		}
		return p.properties(e.xmlContext, object)
	case f.parseType == "Collection":
		object, err = p.collection(e.xmlContext)
	case f.parsed:
		var text string
		text, err = p.literalXML(e.xmlContext)
		object = rdf.NewTyped(text, rdfNS+"XMLLiteral")
	case !f.object.IsZero() || len(f.properties) > 0:
		if object = f.object; object.IsZero() {
			object = p.anonymous()
		}
		if err := p.propertyAttributes(e.xmlContext, object, f.properties); err != nil {
			return err
		}
		var inside *element
		if inside, err = p.nextElement(e.xmlContext); inside != nil {
			err = p.fail("expected an empty element, found <%s>", written(inside.start.Name))
		}
	default:
		object, err = p.content(e, f)
	}
	if err != nil {
		return err
	}
	return p.statement(subject, predicate, object, f.id)
}

// statement emits a triple and, where it has an rdf:ID, its reification (section 7.3).
func (p *xmlParser) statement(s rdf.Term, predicate string, o rdf.Term, id string) error {
	if err := p.triple(s, predicate, o); err != nil || id == "" {
		return err
	}
	name := rdf.NewIRI(id)
	for _, part := range []struct {
		predicate string
		object    rdf.Term
	}{
		{rdf.RDFType, rdf.NewIRI(rdfNS + "Statement")},
		{rdfNS + "subject", s},
		{rdfNS + "predicate", rdf.NewIRI(predicate)},
		{rdfNS + "object", o},
	} {
		if err := p.triple(name, part.predicate, part.object); err != nil {
			return err
		}
	}
	return nil
}

// content reads the text or the one node element inside a property element.
func (p *xmlParser) content(e *element, f propertyForm) (object rdf.Term, err error) {
	var text strings.Builder
	for {
		t, err := p.next()
		if err != nil {
			return object, err
		}
		switch t := t.(type) {
		case xml.CharData:
			text.Write(t)
		case xml.StartElement:
			if !object.IsZero() || f.typed {
				return object, p.fail("expected the end of the property, found <%s>", written(t.Name))
			}
			inside, err := p.element(e.xmlContext, t)
			if err != nil {
				return object, err
			}
			if object, err = p.node(inside); err != nil {
				return object, err
			}
		case xml.EndElement:
			switch {
			case object.IsZero() && f.typed:
				return rdf.NewTyped(text.String(), f.datatype), nil
			case object.IsZero():
				return rdf.NewLangString(text.String(), e.language), nil
			case strings.Trim(text.String(), " \t\r\n") != "":
				return object, p.fail("expected either text or an element in the property, found both")
			}
			return object, nil
		}
	}
}

// collection reads the node elements of a list (section 7.2.19).
func (p *xmlParser) collection(in xmlContext) (head rdf.Term, err error) {
	var last rdf.Term
	err = p.nodes(in, func(t rdf.Term) error {
		cell := p.anonymous()
		if head.IsZero() {
			head = cell
		} else if err := p.triple(last, rdf.RDFRest, cell); err != nil {
			return err
		}
		last = cell
		return p.triple(cell, rdf.RDFFirst, t)
	})
	if err != nil {
		return head, err
	}
	if head.IsZero() {
		return rdf.NewIRI(rdf.RDFNil), nil
	}
	return head, p.triple(last, rdf.RDFRest, rdf.NewIRI(rdf.RDFNil))
}
