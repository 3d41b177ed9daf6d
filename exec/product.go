package exec

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// productOp is a basic graph pattern of several parts without a common variable: each part is matched once and the
// rows are combined. A vertex join would match the second part again for each row of the first.
//
// All parts but the largest are kept in memory. Where they do not fit, or only some rows are wanted, the pattern is
// matched as a whole.
type productOp struct {
	base
	whole *matchOp
	parts []operator // the largest first
	// from is where the columns come from.
	from []productColumn
}

// productColumn is a column of a part.
type productColumn struct{ part, column int }

// asWhole has the pattern matched as a whole.
func (o *productOp) asWhole() *matchOp {
	o.measured.whole = true
	return o.whole
}

// count returns the number of solutions without writing them.
func (o *productOp) count(x *execution) (uint64, error) { return o.asWhole().count(x) }

func (o *productOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	held := x.memory.open("product")
	defer held.close()
	kept, fits, err := o.keep(x, held)
	if err != nil {
		return err
	}
	if !fits {
		return measured(o.asWhole(), x, seed, emit)
	}
	for _, k := range kept[1:] {
		if k.n == 0 {
			return nil
		}
	}
	r := newProductRun(o, kept, emit)
	if err := measured(o.parts[0], x, nil, r.add); err != nil {
		return err
	}
	return r.flush()
}

// keep matches all parts but the first; fits is false where they need too much memory, or the pattern is matched as a whole already.
func (o *productOp) keep(x *execution, held *account) (kept []*columns, fits bool, err error) {
	if o.measured.whole {
		return nil, false, nil
	}
	kept = make([]*columns, len(o.parts))
	bytes := int64(0)
	for i, part := range o.parts[1:] {
		rows := newColumns(len(part.columns()))
		kept[i+1] = rows
		err := measured(part, x, nil, func(b *Batch) error {
			rows.appendBatch(b)
			if !held.hold(bytes + rows.bytes()) {
				return ErrMemoryLimit
			}
			return nil
		})
		if err == ErrMemoryLimit {
			held.hold(0)
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		bytes += rows.bytes()
	}
	return kept, true, nil
}

// productRun combines the rows of the first part, as they come, with those kept of the others.
type productRun struct {
	*productOp
	rows []*columns // of each part, the first one's being a view of a batch
	// order is the parts by which rows are combined, the one that is copied in runs last; at is the row of each part.
	order []int
	at    []int
	first columns
	out   *columns
	view  Batch
	emit  func(*Batch) error
}

func newProductRun(o *productOp, kept []*columns, emit func(*Batch) error) *productRun {
	r := &productRun{productOp: o, rows: kept, at: make([]int, len(kept)), out: newColumns(len(o.from)), emit: emit}
	kept[0] = &r.first
	for i := range kept {
		r.order = append(r.order, i)
	}
	slices.SortStableFunc(r.order[1:], func(a, b int) int { return cmp.Compare(kept[a].n, kept[b].n) })
	return r
}

func (r *productRun) add(b *Batch) error {
	r.first.cols, r.first.n = b.Cols, b.N
	return r.combine(0)
}

// combine goes through the rows of the parts from a place in the order on.
func (r *productRun) combine(place int) error {
	part := r.order[place]
	if place == len(r.order)-1 {
		return r.copy(part)
	}
	for row := range r.rows[part].n {
		r.at[part] = row
		if err := r.combine(place + 1); err != nil {
			return err
		}
	}
	return nil
}

// copy combines the rows that the other parts are at with all of the last one's.
func (r *productRun) copy(last int) error {
	for from := 0; from < r.rows[last].n; {
		n := min(r.rows[last].n-from, BatchRows-r.out.n)
		for c, f := range r.from {
			col := r.rows[f.part].cols[f.column]
			if f.part == last {
				r.out.cols[c] = append(r.out.cols[c], col[from:from+n]...)
			} else {
				r.out.cols[c] = appendRepeated(r.out.cols[c], col[r.at[f.part]], n)
			}
		}
		from += n
		if r.out.n += n; r.out.n == BatchRows {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendRepeated appends an ID n times.
func appendRepeated(col []dictionary.ID, id dictionary.ID, n int) []dictionary.ID {
	for range n {
		col = append(col, id)
	}
	return col
}

func (r *productRun) flush() error {
	if r.out.n == 0 {
		return nil
	}
	err := r.emit(r.out.batch(0, r.out.n, &r.view))
	r.out.reset()
	return err
}
