package loader

import (
	"errors"
	"fmt"
	"io"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Quad is one triple in its graph.
type Quad = rdf.Quad

// ErrFormat says that a format is unknown or cannot be told from a file's name.
var ErrFormat = errors.New("unknown RDF format")

// Read reads one document and calls emit for each of its triples, in the document's order, duplicates included.
//
// base resolves relative IRIs until the document sets its own; with "" they are refused. Blank nodes keep the labels
// of the document, as far as these cannot be confused with those made up for anonymous ones, so graphs of different
// documents must be kept apart by the caller. A fault in the document is a [*SyntaxError] without a file name, and may
// come after quads that were emitted already. An error of emit ends the reading and is returned as it is.
func Read(r io.Reader, format Format, base string, emit func(Quad) error) error {
	switch format {
	case NTriples, NQuads:
		return readLines(r, format == NQuads, emit)
	case Turtle, TriG:
		return readTurtle(r, format == TriG, base, "", emit)
	case RDFXML:
		return readXML(r, base, "", emit)
	}
	return fmt.Errorf("loader: %w: %q", ErrFormat, format)
}

func readLines(r io.Reader, quads bool, emit func(Quad) error) error {
	blocks := newBlockReader(r)
	s := lineScanner{quads: quads}
	var buf []byte
	for {
		b, err := blocks.next(buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("loader: %w", err)
		}
		if err := s.readBlock(b, emit); err != nil {
			return err
		}
		buf = b.text
	}
}

func (s *lineScanner) readBlock(b block, emit func(Quad) error) error {
	number := b.line
	for text := b.text; len(text) > 0; number++ {
		line, size := nextLine(text)
		var k keys
		ok, err := s.scan(line, &k)
		if err != nil {
			return &SyntaxError{Line: number, Column: column(line, err.offset), Message: err.message}
		}
		if ok {
			q := Quad{Subject: termOf(k.subject), Predicate: termOf(k.predicate), Object: termOf(k.object), Graph: termOf(k.graph)}
			if err := emit(q); err != nil {
				return err
			}
		}
		text = text[size:]
	}
	return nil
}

// termOf turns a key into its term; the empty key into the zero Term.
func termOf(key []byte) rdf.Term {
	t, _ := dictionary.ParseKey(key) // a key of ours
	return t
}
