package patch

import "github.com/rdfgpu/rdfgpu/internal/rdf"

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
	// InsertPrefix and DeletePrefix are PA and PD: a prefix of the data set and its IRI. A deleted one may have no IRI.
	InsertPrefix
	DeletePrefix
)

// codes are the operations as text.
var codes = [...]string{Header: "H", Begin: "TX", Commit: "TC", Abort: "TA", Insert: "A", Delete: "D", InsertPrefix: "PA", DeletePrefix: "PD"}

// String is the operation as text.
func (o Operation) String() string {
	if int(o) < len(codes) {
		return codes[o]
	}
	return ""
}

// Row is one row of a patch.
type Row struct {
	Operation Operation
	// Name is that of a header or a prefix, Value its value.
	Name  string
	Value rdf.Term
	// Graph is the zero Term for the default graph. Labels of blank nodes are those of the data set.
	Subject, Predicate, Object, Graph rdf.Term
}
