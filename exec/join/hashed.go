package join

import (
	"context"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/sideways"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Hashed is the right side of a join as a table: run once, kept for every later run of the join.
type Hashed struct {
	// Make makes the operator of the pattern, where it was not made with the others.
	Make func(ctx context.Context) error
	Spec sideways.Merge
	// Shared names the variables both sides have; LeftShared are their columns on the left.
	Shared     []string
	LeftShared []int
	// Key are the positions in Shared that every row of both sides binds: rows can be split over files by them.
	Key []int
	// First: the table is made before there are left rows.
	First bool
	// Varies: the table holds only for the parameters' values that frame numbers.
	Varies bool
	frame  uint64

	Node  planner.Node
	Op    operator.Operator
	table *vector.Table
	parts *vector.Partitions
	held  *limits.Account
}

// prepare makes the operator of the pattern.
func (h *Hashed) prepare(x *operator.Execution) error {
	if h.Op != nil {
		return nil
	}
	return h.Make(x.Ctx)
}

// built reports whether there is a table, which must be of the values that the parameters have now.
func (h *Hashed) built(x *operator.Execution) bool {
	if h.Varies && h.frame != x.Frame {
		h.forget()
		h.frame = x.Frame
	}
	return h.table != nil || h.parts != nil
}

// forget drops the table.
func (h *Hashed) forget() {
	if h.parts != nil {
		h.parts.Close()
	}
	if h.held != nil {
		h.held.Close()
	}
	if h.table != nil {
		h.table.Release()
	}
	h.table, h.parts, h.held = nil, nil, nil
}

// cheaper reports whether running the right side by itself costs less than seeding it with so many rows.
func (h *Hashed) cheaper(x *operator.Execution, rows int) (bool, error) {
	if h.built(x) {
		return true, nil
	}
	if err := h.prepare(x); err != nil {
		return false, err
	}
	return planner.TableIsCheaper(h.Node, rows), nil
}

// rightKey are the key's columns in the right side's batches.
func (h *Hashed) rightKey() []int {
	shared := operator.Indexes(h.Op.Columns(), h.Shared)
	key := make([]int, len(h.Key))
	for i, k := range h.Key {
		key[i] = shared[k]
	}
	return key
}

func (h *Hashed) leftKey() []int {
	key := make([]int, len(h.Key))
	for i, k := range h.Key {
		key[i] = h.LeftShared[k]
	}
	return key
}

// build runs the right side into the table, or into files when it does not fit.
func (h *Hashed) build(x *operator.Execution) error {
	if h.built(x) {
		return nil
	}
	if err := h.prepare(x); err != nil {
		return err
	}
	h.held = x.Memory.Open("hash join")
	x.AtEnd(h.forget)
	rows := vector.NewRows(len(h.Op.Columns()))
	key := h.rightKey()
	hold := func() error {
		if h.held.Hold(rows.Bytes() + int64(rows.N)*tableOverhead) {
			return nil
		}
		if len(key) == 0 {
			return h.held.Need(h.held.Held)
		}
		return h.spillRows(x, rows, key)
	}
	var hashes []uint64
	add := func(b *vector.Batch) error {
		if h.parts != nil {
			hashes = vector.HashRows(hashes, b.Cols, key, b.N)
			return h.parts.WriteRows(b, hashes)
		}
		if err := rows.AppendBatch(b, x.Ended); err != nil {
			return err
		}
		return hold()
	}
	found := operator.NewGather(x, len(rows.Cols), "hash join")
	defer found.Close()
	err := operator.RunAside(h.Op, x, nil, add, found.Take)
	if err != nil {
		return err
	}
	to := rows
	if h.parts != nil {
		to = nil
	}
	if err := found.MoveTo(to, add); err != nil {
		return err
	}
	if h.parts == nil {
		err = hold()
	}
	if err == nil && h.parts == nil {
		h.table, err = h.newTable(x, rows)
	}
	return err
}

// newTable makes a table of rows of the right side.
func (h *Hashed) newTable(x *operator.Execution, rows *vector.Rows) (*vector.Table, error) {
	each := x.Each
	if x.Alone() {
		each = nil
	}
	return vector.NewTable(x.Ended, rows, operator.Indexes(h.Op.Columns(), h.Shared), each)
}

// tableOverhead is what a vector.Table takes for a row beside its columns.
const tableOverhead = 28

// spillRows moves the rows collected so far to files.
func (h *Hashed) spillRows(x *operator.Execution, rows *vector.Rows, key []int) (err error) {
	if h.parts, err = x.Disk.Partition(len(rows.Cols), 0); err != nil {
		return err
	}
	x.AtEnd(h.parts.Close)
	var hashes []uint64
	err = rows.Emit(x.Checked(func(b *vector.Batch) error {
		hashes = vector.HashRows(hashes, b.Cols, key, b.N)
		return h.parts.WriteRows(b, hashes)
	}))
	*rows = *vector.NewRows(len(rows.Cols))
	h.held.Hold(0)
	return err
}

// spill puts left rows into files beside those of the right side.
func (r *run) spill(b *vector.Batch) (err error) {
	width := len(r.Join.Left.Columns()) + 1
	if r.spilled == nil {
		if r.spilled, err = r.x.Disk.Partition(width, 0); err != nil {
			return err
		}
	}
	origin := b.Origin
	if origin == nil {
		origin = make([]uint32, b.N)
	}
	cols := append(append(make([][]dictionary.ID, 0, width), b.Cols...), origin)
	hashes := vector.HashRows(nil, b.Cols, r.Hashed.leftKey(), b.N)
	return r.spilled.WriteRows(&vector.Batch{Cols: cols, N: b.N}, hashes)
}

func (r *run) joinPartitions() error {
	for i, left := range r.spilled.Files {
		if err := r.joinFiles(r.Hashed.parts.Files[i], left, 0); err != nil {
			return err
		}
	}
	return nil
}

// joinFiles joins two files whose rows have met in one partition.
func (r *run) joinFiles(right, left *vector.File, level int) error {
	r.Measured.Spilled += 4 * (right.Rows*int64(right.Width) + left.Rows*int64(left.Width))
	if left.Rows == 0 || right.Rows == 0 && r.Kind == planner.Inner {
		return nil
	}
	bytes := right.Rows * (int64(right.Width)*4 + tableOverhead)
	held := r.x.Memory.Open("hash join")
	defer held.Close()
	if !held.Hold(bytes) {
		if level < vector.MaxLevel {
			held.Close()
			return r.splitFiles(right, left, level+1)
		}
		if err := held.Need(bytes); err != nil {
			return err
		}
	}
	rows := vector.NewRows(right.Width)
	if err := right.Read(r.x.Checked(func(b *vector.Batch) error { return rows.AppendBatch(b, r.x.Ended) })); err != nil {
		return err
	}
	table, err := r.Hashed.newTable(r.x, rows)
	if err != nil {
		return err
	}
	defer table.Release()
	return left.Read(r.x.Checked(func(b *vector.Batch) error {
		last := len(b.Cols) - 1
		view := vector.Batch{Cols: b.Cols[:last], N: b.N}
		if r.Seeded {
			view.Origin = b.Cols[last]
		}
		return r.probeTable(&view, table)
	}))
}

// splitFiles partitions two files once more.
func (r *run) splitFiles(right, left *vector.File, level int) error {
	rightParts, err := splitFile(r.x, right, r.Hashed.rightKey(), level)
	if err != nil {
		return err
	}
	defer rightParts.Close()
	leftParts, err := splitFile(r.x, left, r.Hashed.leftKey(), level)
	if err != nil {
		return err
	}
	defer leftParts.Close()
	for i := range leftParts.Files {
		if err := r.joinFiles(rightParts.Files[i], leftParts.Files[i], level); err != nil {
			return err
		}
	}
	return nil
}

func splitFile(x *operator.Execution, f *vector.File, key []int, level int) (*vector.Partitions, error) {
	p, err := x.Disk.Partition(f.Width, level)
	if err != nil {
		return nil, err
	}
	var hashes []uint64
	err = f.Read(x.Checked(func(b *vector.Batch) error {
		hashes = vector.HashRows(hashes, b.Cols, key, b.N)
		return p.WriteRows(b, hashes)
	}))
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}
