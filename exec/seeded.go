package exec

import (
	"context"

	"github.com/rdfgpu/rdfgpu/exec/vector"
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
func (s *seededSide) run(x *execution, b *vector.Batch, emit func(*vector.Batch, *mergeSpec) error) error {
	if s.fixed {
		return s.runMask(x, b, s.all(), nil, emit)
	}
	rows := map[uint64][]uint32{}
	for r := range b.N {
		mask := vector.BoundMask(b.Cols, s.from, r)
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
func (s *seededSide) runMask(x *execution, b *vector.Batch, mask uint64, rows []uint32, emit func(*vector.Batch, *mergeSpec) error) error {
	v, err := s.variant(x, mask)
	if err != nil {
		return err
	}
	seed := &vector.Batch{N: b.N}
	for _, c := range v.cols {
		seed.Cols = append(seed.Cols, b.Cols[c])
	}
	if rows != nil {
		seed = vector.Select(&vector.Batch{}, seed, rows)
		seed.N = len(rows)
	}
	if len(v.cols) == 0 {
		return crossRows(x, v.op, seed.N, rows, func(out *vector.Batch) error { return emit(out, &v.spec) })
	}
	if rows == nil {
		return measured(v.op, x, seed, func(out *vector.Batch) error { return emit(out, &v.spec) })
	}
	var origin []uint32
	return measured(v.op, x, seed, func(out *vector.Batch) error {
		origin = vector.Gather(origin[:0], rows, out.Origin)
		mapped := vector.Batch{Cols: out.Cols, N: out.N, Origin: origin}
		return emit(&mapped, &v.spec)
	})
}

// crossRows runs an operator without inputs and emits its solutions once for each of n rows (or those named).
func crossRows(x *execution, op operator, n int, rows []uint32, emit func(*vector.Batch) error) error {
	var origin []uint32
	return measured(op, x, nil, func(b *vector.Batch) error {
		for i := range n {
			row := uint32(i)
			if rows != nil {
				row = rows[i]
			}
			origin = origin[:0]
			for range b.N {
				origin = append(origin, row)
			}
			out := vector.Batch{Cols: b.Cols, N: b.N, Origin: origin}
			if err := emit(&out); err != nil {
				return err
			}
		}
		return nil
	})
}
