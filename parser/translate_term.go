package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// wellKnown are namespaces that queries often use without declaring them.
var wellKnown = map[string]string{
	"foaf": "http://xmlns.com/foaf/0.1/", "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
	"rdfs": "http://www.w3.org/2000/01/rdf-schema#", "xsd": rdf.XSD, "owl": "http://www.w3.org/2002/07/owl#",
	"skos": "http://www.w3.org/2004/02/skos/core#", "schema": "http://schema.org/",
	"dc": "http://purl.org/dc/elements/1.1/", "dcterms": "http://purl.org/dc/terms/",
	"dbo": "http://dbpedia.org/ontology/", "dbr": "http://dbpedia.org/resource/",
	"wd": "http://www.wikidata.org/entity/", "wdt": "http://www.wikidata.org/prop/direct/",
	"geo": "http://www.w3.org/2003/01/geo/wgs84_pos#", "void": "http://rdfs.org/ns/void#",
}

// iri resolves an IRI or prefixed name.
func (t *translator) iri(i iriSyntax) (string, error) {
	if i.kind == tokenIRI {
		return rdf.ResolveIRI(t.base, i.text[1:len(i.text)-1]), nil
	}
	colon := strings.IndexByte(i.text, ':')
	prefix, local := i.text[:colon], i.text[colon+1:]
	space, ok := t.prefixes[prefix]
	if !ok {
		f := faultf(i.offset, "the prefix %q is not declared", prefix+":")
		if iri, known := wellKnown[prefix]; known {
			f.hint = "add PREFIX " + prefix + ": <" + iri + ">"
		}
		return "", f
	}
	if strings.IndexByte(local, '\\') >= 0 {
		local = strings.ReplaceAll(local, `\`, "")
	}
	return space + local, nil
}

// term returns the variable or RDF term that stands in a pattern. A blank node becomes a variable whose name begins
// with BlankPrefix.
func (t *translator) term(w term) (PatternTerm, error) {
	switch w.kind {
	case termVar:
		return PatternTerm{Variable: w.text[1:]}, nil
	case termBlank, termFresh:
		return PatternTerm{Variable: BlankPrefix + blankLabel(w)}, nil
	}
	c, err := t.constant(w)
	return PatternTerm{Term: c}, err
}

// blankLabel is the label of a blank node: no written one is that of one without a label.
func blankLabel(w term) string {
	if w.kind == termBlank {
		return "u" + w.text[2:]
	}
	return w.text
}

// storedBlank is the label of <_:label>: the blank node that has it in the data, not a variable. It is no IRI, since a scheme begins
// with a letter.
func storedBlank(i iriSyntax) (label string, stored bool) {
	if i.kind != tokenIRI || !strings.HasPrefix(i.text, "<"+BlankPrefix) {
		return "", false
	}
	return i.text[len("<"+BlankPrefix) : len(i.text)-1], true
}

// refuseStored refuses <_:label> where a term is written and not looked for.
func refuseStored(w term) error {
	if _, stored := storedBlank(w.iri); w.kind != termIRI || !stored {
		return nil
	}
	f := faultf(w.offset, "unexpected %s", w.iri.text)
	f.hint = "a blank node of the data is named in patterns, VALUES and expressions; bind it to a variable there"
	return f
}

// constant returns the RDF term that w stands for.
func (t *translator) constant(w term) (rdf.Term, error) {
	switch w.kind {
	case termIRI:
		if label, stored := storedBlank(w.iri); stored {
			return rdf.NewBlank(label), nil
		}
		iri, err := t.iri(w.iri)
		return rdf.NewIRI(iri), err
	case termA:
		return rdf.NewIRI(rdf.RDFType), nil
	case termNil:
		return rdf.NewIRI(rdf.RDFNil), nil
	case termNumber:
		return rdf.NewTyped(w.text, numberTypes[w.number]), nil
	case termBool:
		return rdf.NewTyped(strings.ToLower(w.text), rdf.XSDBoolean), nil
	case termString:
		return t.literal(w)
	case termUndef:
		return rdf.Term{}, nil
	}
	return rdf.Term{}, faultf(w.offset, "unexpected %q, a constant is needed here", w.text)
}

var numberTypes = map[lexer.TokenType]string{
	tokenInteger: rdf.XSDInteger, tokenDecimal: rdf.XSDDecimal, tokenDouble: rdf.XSDDouble,
}

func (t *translator) literal(w term) (rdf.Term, error) {
	value := unquote(w.text)
	switch {
	case w.lang != "":
		return rdf.NewLangString(value, w.lang), nil
	case w.iri.kind != 0:
		datatype, err := t.iri(w.iri)
		return rdf.NewTyped(value, datatype), err
	}
	return rdf.NewString(value), nil
}

// variableOrIRI translates the name of a graph, a service or a resource to describe.
func (t *translator) variableOrIRI(w term) (PatternTerm, error) {
	if w.kind != termVar && w.kind != termIRI {
		f := faultf(w.offset, "unexpected %s", w.describe())
		f.expected = []string{"a variable", "an IRI"}
		return PatternTerm{}, f
	}
	return t.term(w)
}

// template translates CONSTRUCT's triples: no paths, and blank nodes stay blank nodes.
func (t *translator) template(list []triple) ([]TriplePattern, error) {
	out := make([]TriplePattern, 0, len(list))
	for _, w := range list {
		if w.path.kind != pathTerm && w.path.kind != pathFixed {
			return nil, faultf(w.path.offset, "a property path cannot stand in a template")
		}
		for _, end := range [...]term{w.subject, w.object} {
			if err := refuseStored(end); err != nil {
				return nil, err
			}
		}
		p, err := t.triple(w)
		if err != nil {
			return nil, err
		}
		for _, term := range [...]*PatternTerm{&p.Subject, &p.Object} {
			if label, blank := strings.CutPrefix(term.Variable, BlankPrefix); blank {
				*term = PatternTerm{Term: rdf.NewBlank(label)}
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// triple translates a triple whose path is a single predicate.
func (t *translator) triple(w triple) (p TriplePattern, err error) {
	if p.Subject, err = t.term(w.subject); err != nil {
		return p, err
	}
	if p.Predicate, err = t.predicate(w.path); err != nil {
		return p, err
	}
	p.Object, err = t.term(w.object)
	return p, err
}

func (t *translator) predicate(p *pathSyntax) (PatternTerm, error) {
	if p.kind == pathFixed {
		return PatternTerm{Term: rdf.NewIRI(p.iri)}, nil
	}
	return t.term(p.term)
}
