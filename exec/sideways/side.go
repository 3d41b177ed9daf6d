package sideways

import (
	"context"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Side is the right side of a join as a pattern matched for given rows. Where a left row leaves a seed
// variable unbound, another variant of the pattern is run, without that input.
type Side struct {
	// Vars are the variables passed sideways, from their left columns.
	Vars []string
	From []int
	// Variants are by the variables that are bound; Make makes one that is not there yet.
	Variants map[uint64]*Variant
	Make     func(ctx context.Context, mask uint64) (*Variant, error)
	// Fixed: every row binds every variable.
	Fixed bool
	// Another makes the operators of the pattern once more, for a goroutine that runs it beside others; it is safe for concurrent use. nil: one at a time runs it.
	Another func() (*Side, error)
}

// Own is a side for one of several goroutines, which runs it by itself.
type Own struct {
	*Side
	x operator.Execution
}

// Beside makes a Side for a goroutine more.
func (s *Side) Beside() (*Own, error) {
	side, err := s.Another()
	return &Own{Side: side}, err
}

// Run is Side.Run for the goroutine alone.
func (o *Own) Run(x *operator.Execution, b *vector.Batch, emit func(*vector.Batch, *Merge) error) error {
	x.Beside(&o.x, true)
	return o.Side.Run(&o.x, b, emit)
}

// Variant is the right side for rows that bind some of the variables: its operator, seeded with the columns Cols of the rows,
// and how its columns meet theirs.
type Variant struct {
	Op   operator.Operator
	Cols []int
	Spec Merge
}

// variant returns the right side for rows that bind the variables in mask.
func (s *Side) variant(x *operator.Execution, mask uint64) (*Variant, error) {
	v, ok := s.Variants[mask]
	if !ok {
		var err error
		if v, err = s.Make(x.Ctx, mask); err != nil {
			return nil, err
		}
		s.Variants[mask] = v
	}
	return v, nil
}

// all is the mask of rows that bind every variable.
func (s *Side) all() uint64 { return 1<<uint(len(s.Vars)) - 1 }

// Run matches the right side for the rows of b. Origin of the batches handed to emit indexes b.
func (s *Side) Run(x *operator.Execution, b *vector.Batch, emit func(*vector.Batch, *Merge) error) error {
	if s.Fixed {
		return s.runMask(x, b, s.all(), nil, emit)
	}
	rows := map[uint64][]uint32{}
	for r := range b.N {
		mask := vector.BoundMask(b.Cols, s.From, r)
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
func (s *Side) runMask(x *operator.Execution, b *vector.Batch, mask uint64, rows []uint32, emit func(*vector.Batch, *Merge) error) error {
	v, err := s.variant(x, mask)
	if err != nil {
		return err
	}
	seed := &vector.Batch{N: b.N}
	for _, c := range v.Cols {
		seed.Cols = append(seed.Cols, b.Cols[c])
	}
	if rows != nil {
		seed = vector.Select(&vector.Batch{}, seed, rows)
		seed.N = len(rows)
	}
	if len(v.Cols) == 0 {
		return Cross(x, v.Op, seed.N, rows, func(out *vector.Batch) error { return emit(out, &v.Spec) })
	}
	if rows == nil {
		return operator.Run(v.Op, x, seed, func(out *vector.Batch) error { return emit(out, &v.Spec) })
	}
	var origin []uint32
	return operator.Run(v.Op, x, seed, func(out *vector.Batch) error {
		origin = vector.Gather(origin[:0], rows, out.Origin)
		mapped := vector.Batch{Cols: out.Cols, N: out.N, Origin: origin}
		return emit(&mapped, &v.Spec)
	})
}

// Cross runs an operator without inputs and emits its solutions once for each of n rows (or those named).
func Cross(x *operator.Execution, op operator.Operator, n int, rows []uint32, emit func(*vector.Batch) error) error {
	var origin []uint32
	return operator.Run(op, x, nil, func(b *vector.Batch) error {
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
