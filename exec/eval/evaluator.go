package eval

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/sideways"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Evaluator computes an expression over batches. What EXISTS says is computed first, for the whole batch, as a
// column of booleans that the rest of the expression reads; the nodes of BNODE with a label likewise.
type Evaluator struct {
	Program *expr.Program
	Exists  []*sideways.Existence
	Blanks  []*Blank
	Width   int
}

// Predicate is an expression whose effective boolean value matters.
type Predicate struct{ Evaluator }

// Plain reports whether the expression needs nothing computed before it.
func (ev *Evaluator) Plain() bool { return len(ev.Exists)+len(ev.Blanks) == 0 }

// Asks reports whether patterns are run for the expression.
func (ev *Evaluator) Asks() bool { return len(ev.Exists) > 0 }

// Shared reports whether several goroutines may use the evaluator at the same time.
func (ev *Evaluator) Shared() bool {
	return len(ev.Blanks) == 0 && !slices.ContainsFunc(ev.Exists, func(e *sideways.Existence) bool { return e.Side.Another == nil })
}

// inputs returns the columns that the program reads: the batch's and the EXISTS columns.
func (ev *Evaluator) inputs(x *operator.Execution, b *vector.Batch) ([][]dictionary.ID, error) {
	if ev.Plain() {
		return b.Cols, nil
	}
	cols := slices.Clone(b.Cols[:ev.Width])
	yes, no := x.Terms.ID(rdf.NewTyped("true", rdf.XSDBoolean)), x.Terms.ID(rdf.NewTyped("false", rdf.XSDBoolean))
	for _, e := range ev.Exists {
		found, err := e.Evaluate(x, b)
		if err != nil {
			return nil, err
		}
		col := make([]dictionary.ID, b.N)
		for r := range col {
			col[r] = no
			if found[r] != e.Not {
				col[r] = yes
			}
		}
		cols = append(cols, col)
	}
	for _, l := range ev.Blanks {
		col, err := l.column(x, b)
		if err != nil {
			return nil, err
		}
		cols = append(cols, col)
	}
	return cols, nil
}

// Filter appends the rows of b for which the expression is true to keep.
func (p *Predicate) Filter(x *operator.Execution, b *vector.Batch, keep []uint32) ([]uint32, error) {
	cols, err := p.inputs(x, b)
	if err != nil {
		return nil, err
	}
	keep = p.Program.Filter(cols, b.N, keep)
	if x.Env.Stopped() {
		return nil, x.Ended()
	}
	return keep, nil
}

// Values appends the expression's value in every row of b to out, dictionary.None where it is an error.
func (ev *Evaluator) Values(x *operator.Execution, b *vector.Batch, out []dictionary.ID) ([]dictionary.ID, error) {
	cols, err := ev.inputs(x, b)
	if err != nil {
		return nil, err
	}
	n := len(out)
	out = slices.Grow(out, b.N)[:n+b.N]
	ev.Program.IDs(cols, b.N, out[n:])
	if x.Env.Stopped() {
		return nil, x.Ended()
	}
	return out, nil
}

// IsOrderedAsNumber reports whether the values are best ordered by NumberKeys.
func (ev *Evaluator) IsOrderedAsNumber() bool { return ev.Program.IsOrderedAsNumber() }

// NumberKeys writes what the expression's values are ordered by in every row of b, without making terms of numbers, to cols, of which there are expr.NumberKeyColumns.
func (ev *Evaluator) NumberKeys(x *operator.Execution, b *vector.Batch, cols [][]dictionary.ID) error {
	in, err := ev.inputs(x, b)
	if err != nil {
		return err
	}
	for i, col := range cols {
		cols[i] = slices.Grow(col[:0], b.N)[:b.N]
	}
	ev.Program.NumberKeys(in, b.N, cols)
	if x.Env.Stopped() {
		return x.Ended()
	}
	return nil
}
