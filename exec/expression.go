package exec

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// evaluator computes an expression over batches. What EXISTS says is computed first, for the whole batch, as a
// column of booleans that the rest of the expression reads; the nodes of BNODE with a label likewise.
type evaluator struct {
	program *expr.Program
	exists  []*existence
	blanks  []*labelledBlank
	width   int
	work    [][]dictionary.ID
}

// predicate is an expression whose effective boolean value matters.
type predicate struct{ evaluator }

// plain reports whether the expression needs nothing computed before it: then goroutines may share the evaluator.
func (ev *evaluator) plain() bool { return len(ev.exists)+len(ev.blanks) == 0 }

// inputs returns the columns that the program reads: the batch's and the EXISTS columns.
func (ev *evaluator) inputs(x *execution, b *vector.Batch) ([][]dictionary.ID, error) {
	if ev.plain() {
		return b.Cols, nil
	}
	ev.work = append(ev.work[:0], b.Cols[:ev.width]...)
	yes, no := x.terms.ID(rdf.NewTyped("true", rdf.XSDBoolean)), x.terms.ID(rdf.NewTyped("false", rdf.XSDBoolean))
	for _, e := range ev.exists {
		found, err := e.evaluate(x, b)
		if err != nil {
			return nil, err
		}
		col := make([]dictionary.ID, b.N)
		for r := range col {
			col[r] = no
			if found[r] != e.not {
				col[r] = yes
			}
		}
		ev.work = append(ev.work, col)
	}
	for _, l := range ev.blanks {
		col, err := l.column(x, b)
		if err != nil {
			return nil, err
		}
		ev.work = append(ev.work, col)
	}
	return ev.work, nil
}

// filter appends the rows of b for which the expression is true to keep.
func (p *predicate) filter(x *execution, b *vector.Batch, keep []uint32) ([]uint32, error) {
	cols, err := p.inputs(x, b)
	if err != nil {
		return nil, err
	}
	keep = p.program.Filter(cols, b.N, keep)
	if x.env.Stopped() {
		return nil, x.ended()
	}
	return keep, nil
}

// values appends the expression's value in every row of b to out, dictionary.None where it is an error.
func (ev *evaluator) values(x *execution, b *vector.Batch, out []dictionary.ID) ([]dictionary.ID, error) {
	cols, err := ev.inputs(x, b)
	if err != nil {
		return nil, err
	}
	n := len(out)
	out = slices.Grow(out, b.N)[:n+b.N]
	ev.program.IDs(cols, b.N, out[n:])
	if x.env.Stopped() {
		return nil, x.ended()
	}
	return out, nil
}
