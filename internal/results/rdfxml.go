package results

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const rdfxmlHead = `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
`

// rdfxmlRows writes one rdf:Description for each run of triples with the same subject.
func rdfxmlRows(f *formatter, dst []byte, cols [][]ID, n int, _ bool) []byte {
	for i, r := range f.bySubject(cols[0][:n]) {
		if i == 0 || cols[0][r] != cols[0][f.order[i-1]] {
			if i > 0 {
				dst = append(dst, "</rdf:Description>\n"...)
			}
			dst = append(dst, "<rdf:Description"...)
			subject := f.term(cols[0][r])
			dst = append(appendNode(dst, subject, "about"), ">\n"...)
		}
		var local []byte
		dst, local = f.openProperty(dst, cols[1][r])
		if dst = appendObject(dst, f.term(cols[2][r]), local); len(dst) > longText {
			dst = f.spill(dst)
		}
		if f.failed != nil {
			return dst
		}
	}
	if n > 0 {
		dst = append(dst, "</rdf:Description>\n"...)
	}
	return dst
}

// term decodes an ID; the cell is valid until the next call.
func (f *formatter) term(id ID) (c cell) {
	f.nt = f.decoder.AppendNTriples(f.nt[:0], id)
	c, f.scratch = parse(f.nt, f.scratch)
	return c
}

// openProperty begins the element of a predicate and returns its name.
func (f *formatter) openProperty(dst []byte, id ID) (begun, local []byte) {
	iri := f.term(id).value
	at := localStart(iri)
	if at == len(iri) {
		err := fmt.Errorf("%w: RDF/XML has no name for the predicate <%s>", ErrFormat, iri)
		f.shape.failed.CompareAndSwap(nil, &err)
		at = 0
	}
	local = bytes.Clone(iri[at:])
	dst = append(append(dst, "  <p:"...), local...)
	return append(appendXMLText(append(dst, ` xmlns:p="`...), iri[:at]), '"'), local
}

// localStart is where the longest XML name at the end of an IRI begins; len(iri) when there is none.
func localStart(iri []byte) int {
	start := len(iri)
	for i := len(iri); i > 0; {
		r, n := utf8.DecodeLastRune(iri[:i])
		letter := r == '_' || unicode.IsLetter(r)
		if !letter && r != '-' && r != '.' && !unicode.IsDigit(r) {
			break
		}
		i -= n
		if letter {
			start = i
		}
	}
	return start
}

// appendNode names a node in an attribute: rdf:about or rdf:resource for an IRI, rdf:nodeID for a blank node.
func appendNode(dst []byte, c cell, attribute string) []byte {
	dst = append(dst, " rdf:"...)
	if c.kind == rdf.BlankNode {
		dst = append(dst, `nodeID="n`...)
	} else {
		dst = append(append(dst, attribute...), `="`...)
	}
	return append(appendXMLText(dst, c.value), '"')
}

func appendObject(dst []byte, c cell, local []byte) []byte {
	if c.kind != rdf.Literal {
		return append(appendNode(dst, c, "resource"), "/>\n"...)
	}
	switch {
	case c.language != nil:
		dst = append(append(append(dst, ` xml:lang="`...), c.language...), '"')
	case c.datatype != nil:
		dst = append(appendXMLText(append(dst, ` rdf:datatype="`...), c.datatype), '"')
	}
	dst = appendXMLText(append(dst, '>'), c.value)
	return append(append(append(dst, "</p:"...), local...), ">\n"...)
}
