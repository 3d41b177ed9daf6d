package document

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const (
	rdfNamespace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xmlHead      = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<rdf:RDF xmlns:rdf="` + rdfNamespace + `">` + "\n"
)

// notProperties are the names of RDF/XML's own that no property element may have (RDF 1.1 XML Syntax, section 6.1.4).
var notProperties = map[string]bool{
	"Description": true, "RDF": true, "ID": true, "about": true, "parseType": true, "resource": true, "nodeID": true, "datatype": true,
	"li": true, "aboutEach": true, "aboutEachPrefix": true, "bagID": true,
}

// writeXML writes a property element, in the description of its subject.
func (w *Writer) writeXML(q rdf.Quad) error {
	namespace, local := splitPredicate(q.Predicate.Value)
	if local == "" || namespace == rdfNamespace && notProperties[local] {
		return fmt.Errorf("document: %w: RDF/XML has no way to write the predicate %s", ErrCannot, q.Predicate)
	}
	var b bytes.Buffer
	if q.Subject != w.last.Subject {
		w.endDescription()
		fmt.Fprintf(&b, "  <rdf:Description %s>\n", node("about", q.Subject))
	}
	fmt.Fprintf(&b, `    <p:%s xmlns:p="%s"`, local, escaped(namespace))
	switch o := q.Object; {
	case o.Kind != rdf.Literal:
		fmt.Fprintf(&b, " %s/>\n", node("resource", o))
	case !isXML(o.Value):
		return fmt.Errorf("document: %w: XML has not all characters of %s", ErrCannot, o)
	default:
		switch {
		case o.Language != "":
			fmt.Fprintf(&b, ` xml:lang="%s"`, o.Language)
		case o.Datatype != "":
			fmt.Fprintf(&b, ` rdf:datatype="%s"`, escaped(o.Datatype))
		}
		fmt.Fprintf(&b, ">%s</p:%s>\n", escaped(o.Value), local)
	}
	w.last = q
	_, err := w.out.Write(b.Bytes())
	return err
}

func (w *Writer) endDescription() {
	if !w.last.Subject.IsZero() {
		w.out.WriteString("  </rdf:Description>\n")
	}
}

func (w *Writer) endXML() {
	w.endDescription()
	w.out.WriteString("</rdf:RDF>\n")
}

// node is the attribute that names a resource. Labels of blank nodes get an underscore in front, so that none begins with a digit.
func node(attribute string, t rdf.Term) string {
	if t.Kind == rdf.BlankNode {
		return `rdf:nodeID="_` + t.Value + `"`
	}
	return "rdf:" + attribute + `="` + escaped(t.Value) + `"`
}

// splitPredicate cuts an IRI before the longest XML name of ASCII characters that it ends in.
func splitPredicate(iri string) (namespace, local string) {
	start := len(iri)
	for i := len(iri) - 1; i >= 0; i-- {
		c := iri[i]
		if isLetter(c) || c == '_' {
			start = i
		} else if (c < '0' || c > '9') && c != '-' && c != '.' {
			break
		}
	}
	return iri[:start], iri[start:]
}

// isXML reports whether XML 1.0 has all characters of a text (section 2.2).
func isXML(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	})
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
