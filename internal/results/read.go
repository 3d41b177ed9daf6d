package results

import (
	"errors"
	"fmt"
	"io"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Table is an answer that was read: solutions, or a boolean.
type Table struct {
	Variables []string
	// Rows has one term per variable, the zero Term where it is unbound.
	Rows [][]rdf.Term
	// IsBoolean says that the answer is Boolean and there are no rows.
	IsBoolean, Boolean bool
}

// ErrSyntax reports an answer that does not follow its format.
var ErrSyntax = errors.New("results: malformed answer")

// Read reads an answer in JSON, XML, TSV or CSV. CSV carries no kinds of term: what begins with "_:" is read as a
// blank node, the rest as plain literals, and an empty field as unbound.
func Read(in io.Reader, format Format) (*Table, error) {
	switch format {
	case JSON:
		return readJSON(in)
	case XML:
		return readXML(in)
	case TSV:
		return readTSV(in)
	case CSV:
		return readCSV(in)
	}
	return nil, fmt.Errorf("%w: reading %q", ErrFormat, format)
}

// index maps the variables to their columns.
func (t *Table) index() map[string]int {
	columns := make(map[string]int, len(t.Variables))
	for i, v := range t.Variables {
		columns[v] = i
	}
	return columns
}
