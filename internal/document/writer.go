package document

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Format is a syntax for RDF, by the names that loader knows.
type Format string

// The formats that can be written.
const (
	NTriples Format = "ntriples"
	NQuads   Format = "nquads"
	Turtle   Format = "turtle"
	TriG     Format = "trig"
	RDFXML   Format = "rdfxml"
)

// ErrCannot says that a quad cannot be written in the format.
var ErrCannot = errors.New("the format cannot carry it")

// Options are the settings of a Writer.
type Options struct {
	// Prefixes shorten IRIs in Turtle and TriG, by name without the colon.
	Prefixes map[string]string
	// DropGraphs leaves the names of graphs out; else a format without graphs refuses them.
	DropGraphs bool
}

// Writer writes one document. Not for concurrent use.
type Writer struct {
	out     *bufio.Writer
	options Options
	graphs  bool // the format has names of graphs
	write   func(*Writer, rdf.Quad) error
	end     func(*Writer)

	line  []byte
	names prefixes
	last  rdf.Quad // the zero Quad before the first
}

// NewWriter begins a document. Close ends it.
func NewWriter(out io.Writer, format Format, options Options) (*Writer, error) {
	w := &Writer{out: bufio.NewWriterSize(out, 1<<16), options: options}
	switch format {
	case NTriples, NQuads:
		w.graphs, w.write, w.end = format == NQuads, (*Writer).writeLine, func(*Writer) {}
	case Turtle, TriG:
		w.graphs, w.write, w.end = format == TriG, (*Writer).writeTurtle, (*Writer).endTurtle
		return w, w.declare()
	case RDFXML:
		w.write, w.end = (*Writer).writeXML, (*Writer).endXML
		w.out.WriteString(xmlHead)
	default:
		return nil, fmt.Errorf("document: unknown format %q: expected ntriples, nquads, turtle, trig or rdfxml", format)
	}
	return w, nil
}

// declare writes the prefixes of Turtle and TriG.
func (w *Writer) declare() error {
	for _, name := range slices.Sorted(maps.Keys(w.options.Prefixes)) {
		if !isPrefix(name) {
			return fmt.Errorf("document: %q is no name of a prefix: expected letters and digits", name)
		}
		namespace := w.options.Prefixes[name]
		w.line = append(rdf.AppendIRI(append(append(append(w.line[:0], "@prefix "...), name...), ": <"...), namespace), "> .\n"...)
		w.out.Write(w.line)
		w.names = append(w.names, prefix{name, namespace})
	}
	w.names.order()
	return nil
}

// Write writes a quad; the error of the output may come later, at the latest from Close.
func (w *Writer) Write(q rdf.Quad) error {
	if w.options.DropGraphs {
		q.Graph = rdf.Term{}
	}
	if !w.graphs && !q.Graph.IsZero() {
		return fmt.Errorf("document: %w: a triple of the graph %s, where the format has no graphs", ErrCannot, q.Graph)
	}
	return w.write(w, q)
}

// Close ends the document. It does not close the output.
func (w *Writer) Close() error {
	w.end(w)
	return w.out.Flush()
}

// writeLine writes N-Triples and N-Quads.
func (w *Writer) writeLine(q rdf.Quad) error {
	w.line = w.line[:0]
	for _, t := range [4]rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
		if !t.IsZero() {
			w.line = append(rdf.AppendNTriples(w.line, t), ' ')
		}
	}
	_, err := w.out.Write(append(w.line, ".\n"...))
	return err
}
