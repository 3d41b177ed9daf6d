package patch

import (
	"io"
	"iter"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// MediaType is that of RDF Patch as text.
const MediaType = "application/rdf-patch"

// Operation is what a row says.
type Operation uint8

const (
	// Header is H: a name and a value of the patch.
	Header Operation = iota + 1
	// Begin, Commit and Abort are TX, TC and TA: the bounds of a transaction. A patch without them is one transaction.
	Begin
	Commit
	Abort
	// Insert and Delete are A and D: a quad.
	Insert
	Delete
	// InsertPrefix and DeletePrefix are PA and PD: a prefix of the data set, which says nothing about the patch itself.
	InsertPrefix
	DeletePrefix
)

// Row is one row of a patch.
type Row struct {
	Operation Operation
	// Name is that of a header or a prefix, Value its value.
	Name  string
	Value rdf.Term
	// Graph is the zero Term for the default graph. Labels of blank nodes are those of the data set.
	Subject, Predicate, Object, Graph rdf.Term
}

// Read gives the rows of a patch. A fault in it is a *loader.SyntaxError with line and column, and ends the reading.
// Rows inside an aborted transaction are given as they come: whoever applies them waits for its Commit.
func Read(r io.Reader) iter.Seq2[Row, error] { panic("to be built") }

// Writer writes rows. The first error of the output is kept and returned by Flush.
type Writer struct{}

// NewWriter writes to w, through a buffer.
func NewWriter(w io.Writer) *Writer { panic("to be built") }

// Write writes a row.
func (w *Writer) Write(r Row) { panic("to be built") }

// Flush writes what is in the buffer.
func (w *Writer) Flush() error { panic("to be built") }
