package modifier

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Ends leaves out rows whose value of a column is known to be neither the least nor the greatest one of all, or one equal to it.
type Ends struct {
	operator.Base
	Input operator.Operator
	// Column is the input's.
	Column          int
	Least, Greatest bool
	Comparer        *expr.Comparer
	// Ahead is that of Sort, for a match that begins with the values of the column.
	Ahead func(*match.Bound)
}

// endsRun are the ends of the rows so far, and the IDs between them.
type endsRun struct {
	*Ends
	bound           match.Bound
	least, greatest dictionary.ID
	beaten          []dictionary.Range
}

func (e *Ends) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := &endsRun{Ends: e, least: dictionary.None, greatest: dictionary.None}
	if e.Ahead != nil {
		e.Ahead(&r.bound)
	}
	var keep []uint32
	var out vector.Batch
	return operator.Run(e.Input, x, seed, func(b *vector.Batch) error {
		if b.Folds != nil { // the matcher has found the ends itself
			return emit(b)
		}
		if keep = r.keep(keep[:0], b.Cols[e.Column]); len(keep) == 0 {
			return nil
		}
		return emit(vector.Select(&out, b, keep))
	})
}

// keep appends the rows that are not between the ends of those before.
func (r *endsRun) keep(keep []uint32, values []dictionary.ID) []uint32 {
	moved := false
	for i, id := range values {
		if slices.ContainsFunc(r.beaten, func(b dictionary.Range) bool { return b.Contains(id) }) {
			continue
		}
		keep = append(keep, uint32(i))
		if r.Least && (r.least == dictionary.None || id != r.least && r.Comparer.Compare(id, r.least) < 0) {
			r.least, moved = id, true
		}
		if r.Greatest && (r.greatest == dictionary.None || id != r.greatest && r.Comparer.Compare(id, r.greatest) > 0) {
			r.greatest, moved = id, true
		}
	}
	if moved {
		r.beaten = r.between()
		r.bound.Beat(r.beaten)
	}
	return keep
}

// between are IDs of values that the ends beat.
func (r *endsRun) between() (beaten []dictionary.Range) {
	if r.Least {
		beaten = r.Comparer.Beaten(r.least, -1)
	}
	if !r.Greatest {
		return beaten
	}
	below := r.Comparer.Beaten(r.greatest, 1)
	if !r.Least {
		return below
	}
	return dictionary.Intersect(beaten, below)
}
