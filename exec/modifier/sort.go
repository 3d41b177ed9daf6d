package modifier

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/eval"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Sort sorts solutions by the order of SPARQL 1.1, section 15.1; equal ones keep the order they came in.
//
// With a limit it keeps only the best rows. Past the memory limit sorted runs go to files, which are merged.
type Sort struct {
	operator.Base
	Input      operator.Operator
	Keys       []eval.Evaluator
	Descending []bool
	Limit      uint64
	Comparer   *expr.Comparer
}

// sortRun is one run of a sort. Its rows are the keys' values and then the output columns.
type sortRun struct {
	*Sort
	x    *operator.Execution
	rows *vector.Rows
	held *limits.Account
	runs []*vector.File
	// worst compares with the first key of the worst row worth keeping, once there are as many rows as are read.
	worst func(dictionary.ID) int
	keep  []uint32
}

func (s *Sort) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := &sortRun{Sort: s, x: x, rows: vector.NewRows(len(s.Keys) + len(s.Out)), held: x.Memory.Open("sort")}
	defer r.close()
	from := operator.Indexes(s.Input.Columns(), s.Out)
	if err := operator.Run(s.Input, x, seed, func(b *vector.Batch) error { return r.add(b, from) }); err != nil {
		return err
	}
	if len(r.runs) == 0 {
		return r.emitSorted(emit)
	}
	if err := r.spill(); err != nil {
		return err
	}
	return r.merge(emit)
}

func (r *sortRun) close() {
	r.held.Close()
	for _, f := range r.runs {
		f.Close()
	}
}

// topFactor is how many times the wanted rows are collected before the rest is dropped.
const topFactor = 4

func (r *sortRun) add(b *vector.Batch, from []int) error {
	k, before := len(r.Keys), r.rows.N
	for i := range r.Keys {
		var err error
		if r.rows.Cols[i], err = r.Keys[i].Values(r.x, b, r.rows.Cols[i]); err != nil {
			return err
		}
	}
	if r.worst != nil {
		b = r.promising(b, before)
	}
	for i, c := range from {
		if c < 0 {
			r.rows.Cols[k+i] = append(r.rows.Cols[k+i], vector.Unbound(b.N)...)
		} else {
			r.rows.Cols[k+i] = append(r.rows.Cols[k+i], b.Cols[c]...)
		}
	}
	r.rows.N += b.N
	if r.Limit > 0 && uint64(r.rows.N) > topFactor*(r.Limit+vector.BatchRows) {
		if err := r.cut(); err != nil {
			return err
		}
	}
	// Sorting takes a row number and ranks for each key beside the rows.
	if !r.held.Hold(r.rows.Bytes() + int64(r.rows.N)*int64(8+16*k)) {
		return r.spill()
	}
	return nil
}

// promising drops the rows of a new batch, whose keys were added after row before, that cannot be among the best.
func (r *sortRun) promising(b *vector.Batch, before int) *vector.Batch {
	r.keep = r.keep[:0]
	last := dictionary.None
	good := false
	for i, id := range r.rows.Cols[0][before:] {
		if id != last || i == 0 {
			order := r.worst(id)
			good, last = order == 0 || order < 0 != r.Descending[0], id
		}
		if good {
			r.keep = append(r.keep, uint32(i))
		}
	}
	if len(r.keep) == b.N {
		return b
	}
	for i := range r.Keys {
		col := r.rows.Cols[i]
		for to, row := range r.keep {
			col[before+to] = col[before+int(row)]
		}
		r.rows.Cols[i] = col[:before+len(r.keep)]
	}
	return vector.Select(&vector.Batch{}, b, r.keep)
}

// cut keeps the best rows only.
func (r *sortRun) cut() error {
	order, err := r.order()
	if err != nil {
		return err
	}
	order = order[:min(uint64(len(order)), r.Limit)]
	for c, col := range r.rows.Cols {
		if r.rows.Cols[c], err = r.gathered(col, order); err != nil {
			return err
		}
	}
	r.rows.N = len(order)
	if uint64(len(order)) == r.Limit && len(r.Keys) > 0 {
		r.worst = r.Comparer.Against(r.rows.Cols[0][len(order)-1])
	}
	return nil
}

func (r *sortRun) emitSorted(emit func(*vector.Batch) error) error {
	order, err := r.order()
	if err != nil {
		return err
	}
	if r.Limit > 0 {
		order = order[:min(uint64(len(order)), r.Limit)]
	}
	view := &vector.Batch{Cols: r.rows.Cols[len(r.Keys):], N: r.rows.N}
	var out vector.Batch
	for at := 0; at < len(order); at += vector.BatchRows {
		if err := emit(vector.Select(&out, view, order[at:min(at+vector.BatchRows, len(order))])); err != nil {
			return err
		}
	}
	return nil
}
