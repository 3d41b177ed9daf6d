package source

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Product is a basic graph pattern of several parts without a common variable: each part is matched once and the
// rows are combined. A vertex join would match the second part again for each row of the first.
//
// All parts but the largest are kept in memory. Where they do not fit, or only some rows are wanted, the pattern is
// matched as a whole.
type Product struct {
	operator.Base
	Whole *Match
	Parts []operator.Operator // the largest first
	// From is where the columns come from.
	From []ProductColumn
}

// ProductColumn is a column of a part.
type ProductColumn struct{ Part, Column int }

// asWhole has the pattern matched as a whole.
func (o *Product) asWhole() *Match {
	o.Measured.Whole = true
	return o.Whole
}

// Count returns the number of solutions without writing them.
func (o *Product) Count(x *operator.Execution) (uint64, error) { return o.asWhole().Count(x) }

func (o *Product) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	held := x.Memory.Open("product")
	defer held.Close()
	kept, fits, err := o.keep(x, held)
	if err != nil {
		return err
	}
	if !fits {
		return operator.Run(o.asWhole(), x, seed, emit)
	}
	for _, k := range kept[1:] {
		if k.N == 0 {
			return nil
		}
	}
	r := newProductRun(o, kept, emit)
	if err := operator.Run(o.Parts[0], x, nil, r.add); err != nil {
		return err
	}
	return r.flush()
}

// keep matches all parts but the first; fits is false where they need too much memory, or the pattern is matched as a whole already.
func (o *Product) keep(x *operator.Execution, held *limits.Account) (kept []*vector.Rows, fits bool, err error) {
	if o.Measured.Whole {
		return nil, false, nil
	}
	kept = make([]*vector.Rows, len(o.Parts))
	bytes := int64(0)
	for i, part := range o.Parts[1:] {
		rows := vector.NewRows(len(part.Columns()))
		kept[i+1] = rows
		err := operator.Run(part, x, nil, func(b *vector.Batch) error {
			if err := rows.AppendBatch(b, x.Ended); err != nil {
				return err
			}
			if !held.Hold(bytes + rows.Bytes()) {
				return limits.ErrMemory
			}
			return nil
		})
		if err == limits.ErrMemory {
			held.Hold(0)
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		bytes += rows.Bytes()
	}
	return kept, true, nil
}

// productRun combines the rows of the first part, as they come, with those kept of the others.
type productRun struct {
	*Product
	rows []*vector.Rows // of each part, the first one's being a view of a batch
	// order is the parts by which rows are combined, the one that is copied in runs last; at is the row of each part.
	order []int
	at    []int
	first vector.Rows
	out   *vector.Rows
	view  vector.Batch
	emit  func(*vector.Batch) error
}

func newProductRun(o *Product, kept []*vector.Rows, emit func(*vector.Batch) error) *productRun {
	r := &productRun{Product: o, rows: kept, at: make([]int, len(kept)), out: vector.NewRows(len(o.From)), emit: emit}
	kept[0] = &r.first
	for i := range kept {
		r.order = append(r.order, i)
	}
	slices.SortStableFunc(r.order[1:], func(a, b int) int { return cmp.Compare(kept[a].N, kept[b].N) })
	return r
}

func (r *productRun) add(b *vector.Batch) error {
	r.first.Cols, r.first.N = b.Cols, b.N
	return r.combine(0)
}

// combine goes through the rows of the parts from a place in the order on.
func (r *productRun) combine(place int) error {
	part := r.order[place]
	if place == len(r.order)-1 {
		return r.copy(part)
	}
	for row := range r.rows[part].N {
		r.at[part] = row
		if err := r.combine(place + 1); err != nil {
			return err
		}
	}
	return nil
}

// copy combines the rows that the other parts are at with all of the last one's.
func (r *productRun) copy(last int) error {
	for from := 0; from < r.rows[last].N; {
		n := min(r.rows[last].N-from, vector.BatchRows-r.out.N)
		for c, f := range r.From {
			col := r.rows[f.Part].Cols[f.Column]
			if f.Part == last {
				r.out.Cols[c] = append(r.out.Cols[c], col[from:from+n]...)
			} else {
				r.out.Cols[c] = vector.Repeated(r.out.Cols[c], col[r.at[f.Part]], n)
			}
		}
		from += n
		if r.out.N += n; r.out.N == vector.BatchRows {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *productRun) flush() error {
	if r.out.N == 0 {
		return nil
	}
	err := r.emit(r.out.Batch(0, r.out.N, &r.view))
	r.out.Reset()
	return err
}
