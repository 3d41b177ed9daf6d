package readback

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/knakk/rdf"
	own "github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

var syntaxes = map[results.Format]rdf.Format{results.NTriples: rdf.NTriples, results.Turtle: rdf.Turtle}

// Reads reports whether documents in a format can be read back.
func Reads(format results.Format) bool { _, ok := syntaxes[format]; return ok }

// Read reads a document that internal/results has written. An error wraps ErrDiffers where it breaks its syntax, or
// results.ErrFormat where the format is neither N-Triples nor Turtle.
func Read(document []byte, format results.Format) (Graph, error) {
	syntax, ok := syntaxes[format]
	if !ok {
		return nil, fmt.Errorf("%w: %q cannot be read back, only ntriples and turtle", results.ErrFormat, format)
	}
	if !utf8.Valid(document) {
		return nil, fmt.Errorf("%w: invalid UTF-8", ErrDiffers)
	}
	decoder := rdf.NewTripleDecoder(bytes.NewReader(document), syntax)
	g := Graph{}
	err := g.decode(decoder)
	if err != nil {
		drain(decoder, len(document))
	}
	return g, err
}

// decode adds all triples that are left in a document.
func (g Graph) decode(decoder rdf.TripleDecoder) error {
	for {
		triple, err := next(decoder)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDiffers, err)
		}
		var t Triple
		for i, term := range []rdf.Term{triple.Subj, triple.Pred, triple.Obj} {
			if t[i], err = convert(term); err != nil {
				return err
			}
		}
		g[t] = struct{}{}
	}
}

// next is the next triple; the library panics on some faults.
func next(decoder rdf.TripleDecoder) (t rdf.Triple, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the reader panicked: %v", r)
		}
	}()
	return decoder.Decode()
}

// drain reads the rest of a document, so that the library's goroutine ends. Every step takes a token at least.
func drain(decoder rdf.TripleDecoder, tokens int) {
	for range tokens + 2 {
		if _, err := next(decoder); err == io.EOF {
			return
		}
	}
}

func convert(t rdf.Term) (own.Term, error) {
	switch t := t.(type) {
	case rdf.IRI:
		return own.NewIRI(t.String()), absolute(t.String())
	case rdf.Blank:
		return blank(t.String())
	case rdf.Literal:
		if t.Lang() != "" {
			return own.NewLangString(t.String(), t.Lang()), nil
		}
		return own.NewTyped(t.String(), t.DataType.String()), absolute(t.DataType.String())
	}
	return own.Term{}, fmt.Errorf("%w: a triple lacks a term", ErrDiffers)
}

// absolute is an error for an IRI without a scheme: the library leaves those as they are that have no base.
func absolute(iri string) error {
	if colon := strings.IndexByte(iri, ':'); colon <= 0 || strings.ContainsAny(iri[:colon], "/?#") {
		return fmt.Errorf("%w: <%s> is no absolute IRI", ErrDiffers, iri)
	}
	return nil
}

func blank(label string) (own.Term, error) {
	if !labelled(label) {
		return own.Term{}, fmt.Errorf("%w: %q is no label of a blank node", ErrDiffers, label)
	}
	return own.NewBlank(label), nil
}
