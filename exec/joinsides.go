package exec

import (
	"context"
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/planner"
)

// seededSide is the right side of a join as a pattern matched for given rows. Where a left row leaves a seed
// variable unbound, another variant of the pattern is run, without that input.
type seededSide struct {
	// vars are the variables passed sideways, from their left columns.
	vars []string
	from []int
	// variants are by the variables that are bound; make makes one that is not there yet.
	variants map[uint64]*seedVariant
	make     func(ctx context.Context, mask uint64) (*seedVariant, error)
	// fixed: every row binds every variable.
	fixed bool
}

type seedVariant struct {
	op   operator
	cols []int
	spec mergeSpec
}

// variant returns the right side for rows that bind the variables in mask.
func (s *seededSide) variant(x *execution, mask uint64) (*seedVariant, error) {
	v, ok := s.variants[mask]
	if !ok {
		var err error
		if v, err = s.make(x.ctx, mask); err != nil {
			return nil, err
		}
		s.variants[mask] = v
	}
	return v, nil
}

// all is the mask of rows that bind every variable.
func (s *seededSide) all() uint64 { return 1<<uint(len(s.vars)) - 1 }

// run matches the right side for the rows of b. Origin of the batches handed to emit indexes b.
func (s *seededSide) run(x *execution, b *Batch, emit func(*Batch, *mergeSpec) error) error {
	if s.fixed {
		return s.runMask(x, b, s.all(), nil, emit)
	}
	rows := map[uint64][]uint32{}
	for r := range b.N {
		mask := boundMask(b.Cols, s.from, r)
		rows[mask] = append(rows[mask], uint32(r))
	}
	for mask, some := range rows {
		if len(rows) == 1 {
			some = nil
		}
		if err := s.runMask(x, b, mask, some, emit); err != nil {
			return err
		}
	}
	return nil
}

// runMask runs one variant for some rows of b (nil: all).
func (s *seededSide) runMask(x *execution, b *Batch, mask uint64, rows []uint32, emit func(*Batch, *mergeSpec) error) error {
	v, err := s.variant(x, mask)
	if err != nil {
		return err
	}
	seed := &Batch{N: b.N}
	for _, c := range v.cols {
		seed.Cols = append(seed.Cols, b.Cols[c])
	}
	if rows != nil {
		seed = selectRows(&Batch{}, seed, rows)
		seed.N = len(rows)
	}
	if len(v.cols) == 0 {
		return crossRows(x, v.op, seed.N, rows, func(out *Batch) error { return emit(out, &v.spec) })
	}
	if rows == nil {
		return measured(v.op, x, seed, func(out *Batch) error { return emit(out, &v.spec) })
	}
	var origin []uint32
	return measured(v.op, x, seed, func(out *Batch) error {
		origin = gather(origin[:0], rows, out.Origin)
		mapped := Batch{Cols: out.Cols, N: out.N, Origin: origin}
		return emit(&mapped, &v.spec)
	})
}

// crossRows runs an operator without inputs and emits its solutions once for each of n rows (or those named).
func crossRows(x *execution, op operator, n int, rows []uint32, emit func(*Batch) error) error {
	var origin []uint32
	return measured(op, x, nil, func(b *Batch) error {
		for i := range n {
			row := uint32(i)
			if rows != nil {
				row = rows[i]
			}
			origin = origin[:0]
			for range b.N {
				origin = append(origin, row)
			}
			out := Batch{Cols: b.Cols, N: b.N, Origin: origin}
			if err := emit(&out); err != nil {
				return err
			}
		}
		return nil
	})
}

// hashedSide is the right side of a join as a table: run once, kept for every later run of the join.
type hashedSide struct {
	// make makes the operator of the pattern, where it was not made with the others.
	make func(ctx context.Context) error
	spec mergeSpec
	// shared names the variables both sides have; leftShared are their columns on the left.
	shared     []string
	leftShared []int
	// key are the positions in shared that every row of both sides binds: rows can be split over files by them.
	key []int
	// varies: the table holds only for the parameters' values that frame numbers.
	varies bool
	frame  uint64

	node  planner.Node
	op    operator
	table *joinTable
	parts *partitions
	held  *account
}

// prepare makes the operator of the pattern.
func (h *hashedSide) prepare(x *execution) error {
	if h.op != nil {
		return nil
	}
	return h.make(x.ctx)
}

// built reports whether there is a table, which must be of the values that the parameters have now.
func (h *hashedSide) built(x *execution) bool {
	if h.varies && h.frame != x.frame {
		h.forget()
		h.frame = x.frame
	}
	return h.table != nil || h.parts != nil
}

// forget drops the table.
func (h *hashedSide) forget() {
	if h.parts != nil {
		h.parts.close()
	}
	if h.held != nil {
		h.held.close()
	}
	h.table, h.parts, h.held = nil, nil, nil
}

// cheaper reports whether running the right side by itself costs less than seeding it with so many rows.
func (h *hashedSide) cheaper(x *execution, rows int) (bool, error) {
	if h.built(x) {
		return true, nil
	}
	if err := h.prepare(x); err != nil {
		return false, err
	}
	return planner.TableIsCheaper(h.node, rows), nil
}

// rightKey are the key's columns in the right side's batches.
func (h *hashedSide) rightKey() []int {
	shared := indexes(h.op.columns(), h.shared)
	key := make([]int, len(h.key))
	for i, k := range h.key {
		key[i] = shared[k]
	}
	return key
}

func (h *hashedSide) leftKey() []int {
	key := make([]int, len(h.key))
	for i, k := range h.key {
		key[i] = h.leftShared[k]
	}
	return key
}

// build runs the right side into the table, or into files when it does not fit.
func (h *hashedSide) build(x *execution) error {
	if h.built(x) {
		return nil
	}
	if err := h.prepare(x); err != nil {
		return err
	}
	h.held = x.memory.open("hash join")
	rows := newColumns(len(h.op.columns()))
	key := h.rightKey()
	var hashes []uint64
	err := measured(h.op, x, nil, func(b *Batch) error {
		if h.parts != nil {
			hashes = hashRows(hashes, b.Cols, key, b.N)
			return h.parts.writeRows(b, hashes)
		}
		rows.appendBatch(b)
		if h.held.hold(rows.bytes() + int64(rows.n)*tableOverhead) {
			return nil
		}
		if len(key) == 0 {
			return h.held.need(h.held.held)
		}
		return h.spillRows(x, rows, key)
	})
	if err != nil {
		return err
	}
	if h.parts == nil {
		h.table, err = newJoinTable(x.ended, rows, indexes(h.op.columns(), h.shared))
	}
	return err
}

// tableOverhead is what a joinTable takes for a row beside its columns.
const tableOverhead = 24

// spillRows moves the rows collected so far to files.
func (h *hashedSide) spillRows(x *execution, rows *columns, key []int) (err error) {
	if h.parts, err = x.disk.partition(len(rows.cols), 0); err != nil {
		return err
	}
	x.cleanup = append(x.cleanup, h.parts.close)
	var hashes []uint64
	err = rows.emit(x.checked(func(b *Batch) error {
		hashes = hashRows(hashes, b.Cols, key, b.N)
		return h.parts.writeRows(b, hashes)
	}))
	*rows = *newColumns(len(rows.cols))
	h.held.hold(0)
	return err
}

// spill puts left rows into files beside those of the right side.
func (r *joinRun) spill(b *Batch) (err error) {
	width := len(r.joinOp.left.columns()) + 1
	if r.spilled == nil {
		if r.spilled, err = r.x.disk.partition(width, 0); err != nil {
			return err
		}
	}
	origin := b.Origin
	if origin == nil {
		origin = make([]uint32, b.N)
	}
	cols := append(append(make([][]dictionary.ID, 0, width), b.Cols...), origin)
	hashes := hashRows(nil, b.Cols, r.hashed.leftKey(), b.N)
	return r.spilled.writeRows(&Batch{Cols: cols, N: b.N}, hashes)
}

func (r *joinRun) joinPartitions() error {
	for i, left := range r.spilled.files {
		if err := r.joinFiles(r.hashed.parts.files[i], left, 0); err != nil {
			return err
		}
	}
	return nil
}

// joinFiles joins two files whose rows have met in one partition.
func (r *joinRun) joinFiles(right, left *spillFile, level int) error {
	r.measured.Spilled += 4 * (right.rows*int64(right.width) + left.rows*int64(left.width))
	if left.rows == 0 || right.rows == 0 && r.kind == planner.Inner {
		return nil
	}
	bytes := right.rows * (int64(right.width)*4 + tableOverhead)
	held := r.x.memory.open("hash join")
	defer held.close()
	if !held.hold(bytes) {
		if level < maxSpillLevel {
			held.close()
			return r.splitFiles(right, left, level+1)
		}
		if err := held.need(bytes); err != nil {
			return err
		}
	}
	rows := newColumns(right.width)
	if err := right.read(r.x.checked(func(b *Batch) error { rows.appendBatch(b); return nil })); err != nil {
		return err
	}
	table, err := newJoinTable(r.x.ended, rows, indexes(r.hashed.op.columns(), r.hashed.shared))
	if err != nil {
		return err
	}
	return left.read(r.x.checked(func(b *Batch) error {
		last := len(b.Cols) - 1
		view := Batch{Cols: b.Cols[:last], N: b.N}
		if r.seeded {
			view.Origin = b.Cols[last]
		}
		return r.probeTable(&view, table)
	}))
}

// splitFiles partitions two files once more.
func (r *joinRun) splitFiles(right, left *spillFile, level int) error {
	rightParts, err := splitFile(r.x, right, r.hashed.rightKey(), level)
	if err != nil {
		return err
	}
	defer rightParts.close()
	leftParts, err := splitFile(r.x, left, r.hashed.leftKey(), level)
	if err != nil {
		return err
	}
	defer leftParts.close()
	for i := range leftParts.files {
		if err := r.joinFiles(rightParts.files[i], leftParts.files[i], level); err != nil {
			return err
		}
	}
	return nil
}

func splitFile(x *execution, f *spillFile, key []int, level int) (*partitions, error) {
	p, err := x.disk.partition(f.width, level)
	if err != nil {
		return nil, err
	}
	var hashes []uint64
	err = f.read(x.checked(func(b *Batch) error {
		hashes = hashRows(hashes, b.Cols, key, b.N)
		return p.writeRows(b, hashes)
	}))
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// newMergeSpec lines up the columns of a join: all wants names, agreed are shared variables known to agree.
func newMergeSpec(left, right, all []string, agreed []string) mergeSpec {
	var s mergeSpec
	fromLeft, fromRight := indexes(left, all), indexes(right, all)
	s.merge = make([]columnPair, len(all))
	for i := range all {
		s.merge[i] = columnPair{int32(fromLeft[i]), int32(fromRight[i])}
	}
	known := indexes(agreed, left)
	for i, k := range indexes(right, left) {
		if k >= 0 && known[i] < 0 {
			s.checks = append(s.checks, columnPair{int32(i), int32(k)})
		}
	}
	return s
}
