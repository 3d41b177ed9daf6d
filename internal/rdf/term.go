// Package rdf holds the RDF term, the one value that every room shares.
//
// Nouns: [Term] (an IRI, a blank node or a literal) and its [Kind]; [Quad] (a triple in a graph).
// It knows nothing of IDs, files or queries, and never reads outside bytes.
package rdf

// Kind tells the three sorts of RDF term apart. The zero Kind is no term at all (an unbound variable).
type Kind uint8

const (
	// IRI is a term named by an absolute IRI, without the angle brackets.
	IRI Kind = iota + 1
	// BlankNode is a term with a label that is local to its store, without the leading "_:".
	BlankNode
	// Literal is a lexical form with a datatype or a language tag.
	Literal
)

// Term is an RDF 1.1 term in one normal form, so that == is RDF term equality (sameTerm).
//
// Value is the IRI, the blank node label or the lexical form (unescaped UTF-8).
// Datatype is "" for xsd:string and for language-tagged literals; Language is "" for all other terms.
type Term struct {
	Kind     Kind
	Value    string
	Datatype string
	Language string
}

// NewIRI returns the IRI term for an absolute IRI.
func NewIRI(iri string) Term { return Term{Kind: IRI, Value: iri} }

// NewBlank returns the blank node with the given label.
func NewBlank(label string) Term { return Term{Kind: BlankNode, Value: label} }

// NewString returns the plain literal (xsd:string) with the given lexical form.
func NewString(lexical string) Term { return Term{Kind: Literal, Value: lexical} }

// NewLangString returns the literal with a language tag; an empty tag gives a plain literal.
func NewLangString(lexical, language string) Term {
	return Term{Kind: Literal, Value: lexical, Language: language}
}

// NewTyped returns the literal with the given datatype IRI, in normal form.
func NewTyped(lexical, datatype string) Term {
	if datatype == XSDString {
		datatype = ""
	}
	return Term{Kind: Literal, Value: lexical, Datatype: datatype}
}

// What Sort returns for terms that are no literals.
const (
	SortIRI   = "iri"
	SortBlank = "bnode"
)

// Sort returns what tells terms of the same Value apart: SortIRI, SortBlank, of a literal "@" and its language or else its datatype
// in full; "" for the zero Term.
func (t Term) Sort() string {
	switch {
	case t.Kind == IRI:
		return SortIRI
	case t.Kind == BlankNode:
		return SortBlank
	case t.Language != "":
		return "@" + t.Language
	}
	return t.DatatypeIRI()
}

// DatatypeIRI returns the datatype of a literal in full (xsd:string and rdf:langString included), "" for other terms.
func (t Term) DatatypeIRI() string {
	switch {
	case t.Kind != Literal:
		return ""
	case t.Language != "":
		return RDFLangString
	case t.Datatype == "":
		return XSDString
	}
	return t.Datatype
}

// IsZero reports whether t is no term (an unbound variable).
func (t Term) IsZero() bool { return t.Kind == 0 }

// String returns t in N-Triples syntax; "" for the zero Term.
func (t Term) String() string { return string(AppendNTriples(nil, t)) }
