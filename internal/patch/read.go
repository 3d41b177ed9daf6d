package patch

import (
	"io"
	"iter"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// Read gives the rows of a patch. A fault in it is a *loader.SyntaxError with line and column; it, or an error of r,
// ends the reading. Rows of a transaction are given as they come: whoever applies them waits for its Commit. A transaction
// that does not end, or ends without having begun, is a fault.
func Read(r io.Reader) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		p := &reader{}
		for line, err := range loader.Lines(r) {
			var row Row
			if err == nil {
				row, err = p.row(line)
			}
			if err != nil {
				yield(Row{}, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
		if p.inside {
			yield(Row{}, &loader.SyntaxError{Line: p.begun, Message: "the transaction that begins here does not end: expected TC or TA"})
		}
	}
}

// reader is what a reading remembers.
type reader struct {
	inside bool  // a transaction
	begun  int64 // the line of its beginning
}

func (p *reader) row(line *loader.Line) (row Row, err error) {
	code := line.Word()
	row.Operation = Operation(max(0, slices.Index(codes[:], code)))
	switch row.Operation {
	case Insert, Delete:
		q, err := line.Quad()
		row.Subject, row.Predicate, row.Object, row.Graph = q.Subject, q.Predicate, q.Object, q.Graph
		return row, err
	case Begin, Commit, Abort:
		if p.inside == (row.Operation == Begin) {
			return row, line.Expected(map[bool]string{true: "TC or TA before another TX", false: "TX before this row"}[p.inside])
		}
		p.inside, p.begun = !p.inside, line.Number()
	case Header, InsertPrefix, DeletePrefix:
		if err := p.named(line, &row); err != nil {
			return row, err
		}
	default:
		return row, line.Expected("one of H, TX, TC, TA, PA, PD, A and D at the start of a row")
	}
	return row, line.End()
}

// named reads a name and its value.
func (p *reader) named(line *loader.Line, row *Row) (err error) {
	if row.Name, err = p.name(line); err != nil {
		return err
	}
	if row.Operation == DeletePrefix && line.End() == nil {
		return nil
	}
	if row.Value, err = line.Term(); err != nil {
		return err
	}
	if row.Operation != Header && row.Value.Kind == rdf.Literal { // a prefix may stand for an IRI in quotes
		row.Value = rdf.NewIRI(row.Value.Value)
	}
	return nil
}

// name reads a word, or a string in quotes.
func (p *reader) name(line *loader.Line) (string, error) {
	if word := line.Word(); word != "" {
		return word, nil
	}
	t, err := line.Term()
	if err != nil || t.Kind != rdf.Literal {
		return "", line.Expected("a name (a word or \"text\")")
	}
	return t.Value, nil
}
