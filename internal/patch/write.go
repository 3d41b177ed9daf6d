package patch

import (
	"bufio"
	"io"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Writer writes rows. The first error of the output is kept, and nothing is written after it.
type Writer struct {
	out  *bufio.Writer
	line []byte
}

// NewWriter writes to w, through a buffer that Flush empties.
func NewWriter(w io.Writer) *Writer { return &Writer{out: bufio.NewWriter(w)} }

// Write writes a row; the error is that of the output.
func (w *Writer) Write(r Row) error {
	b := append(w.line[:0], r.Operation.String()...)
	switch r.Operation {
	case Header, InsertPrefix, DeletePrefix:
		b = append(b, ' ', '"')
		b = rdf.AppendEscaped(b, r.Name)
		b = append(b, '"')
		b = appendTerms(b, r.Value)
	case Insert, Delete:
		b = appendTerms(b, r.Subject, r.Predicate, r.Object, r.Graph)
	}
	w.line = append(b, " .\n"...)
	_, err := w.out.Write(w.line)
	return err
}

// appendTerms appends terms, each after a blank; the zero Term is left out.
func appendTerms(b []byte, terms ...rdf.Term) []byte {
	for _, t := range terms {
		if !t.IsZero() {
			b = rdf.AppendNTriples(append(b, ' '), t)
		}
	}
	return b
}

// Flush writes what is in the buffer.
func (w *Writer) Flush() error { return w.out.Flush() }
