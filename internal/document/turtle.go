package document

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// writeTurtle writes Turtle and TriG: what the quad has in common with the one before is not written again.
func (w *Writer) writeTurtle(q rdf.Quad) error {
	began := !w.last.Subject.IsZero()
	w.line = w.line[:0]
	switch {
	case began && q.Graph != w.last.Graph:
		w.endTurtle()
		w.openGraph(q.Graph)
		w.subject(q)
	case !began:
		w.openGraph(q.Graph)
		w.subject(q)
	case q.Subject != w.last.Subject:
		w.line = append(w.line, " .\n"...)
		w.subject(q)
	case q.Predicate != w.last.Predicate:
		w.line = append(w.line, " ;\n    "...)
		w.predicate(q)
	default:
		w.line = append(w.line, ", "...)
	}
	w.line = w.term(w.line, q.Object)
	w.last = q
	_, err := w.out.Write(w.line)
	return err
}

func (w *Writer) openGraph(name rdf.Term) {
	if !name.IsZero() {
		w.line = append(w.term(w.line, name), " {\n"...)
	}
}

func (w *Writer) subject(q rdf.Quad) {
	w.line = append(w.term(w.line, q.Subject), ' ')
	w.predicate(q)
}

func (w *Writer) predicate(q rdf.Quad) {
	if q.Predicate.Value == rdf.RDFType {
		w.line = append(w.line, "a "...)
		return
	}
	w.line = append(w.term(w.line, q.Predicate), ' ')
}

// endTurtle ends the triples of a subject, and the graph where they are in one.
func (w *Writer) endTurtle() {
	switch {
	case w.last.Subject.IsZero():
	case w.last.Graph.IsZero():
		w.out.WriteString(" .\n")
	default:
		w.out.WriteString(" .\n}\n")
	}
}

// term appends a term, its IRI or datatype shortened where a prefix fits.
func (w *Writer) term(dst []byte, t rdf.Term) []byte {
	switch {
	case t.Kind == rdf.IRI:
		return w.names.append(dst, t.Value)
	case t.Kind == rdf.Literal && t.Language == "" && t.Datatype != "":
		plain := t
		plain.Datatype = ""
		return w.names.append(append(rdf.AppendNTriples(dst, plain), "^^"...), t.Datatype)
	}
	return rdf.AppendNTriples(dst, t)
}

// prefix is a name for the beginning of IRIs.
type prefix struct{ name, namespace string }

// prefixes are those of a document, the longest namespace first.
type prefixes []prefix

func (p prefixes) order() {
	slices.SortFunc(p, func(a, b prefix) int {
		return cmp.Or(cmp.Compare(len(b.namespace), len(a.namespace)), cmp.Compare(a.name, b.name))
	})
}

// append appends an IRI, as a prefixed name where that needs no escapes.
func (p prefixes) append(dst []byte, iri string) []byte {
	for _, x := range p {
		if local, ok := strings.CutPrefix(iri, x.namespace); ok && isLocal(local) {
			return append(append(append(dst, x.name...), ':'), local...)
		}
	}
	return append(rdf.AppendIRI(append(dst, '<'), iri), '>')
}

// isPrefix reports a PN_PREFIX of ASCII letters and digits, or none.
func isPrefix(name string) bool { return name == "" || isLetter(name[0]) && isLocal(name) }

// isLocal reports a PN_LOCAL of ASCII letters, digits, hyphens and underscores, or none.
func isLocal(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && (c < '0' || c > '9') && c != '_' && (c != '-' || i == 0) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
