package exec

import "github.com/rdfgpu/rdfgpu/exec/vector"

// emptyOp has no solutions.
type emptyOp struct{ base }

func (e *emptyOp) run(*execution, *vector.Batch, func(*vector.Batch) error) error { return nil }

// unitOp emits one solution that binds nothing.
type unitOp struct{ base }

func (u *unitOp) run(_ *execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	return emit(&vector.Batch{N: 1})
}

// seedOp emits the rows it is seeded with.
type seedOp struct {
	base
	origin []uint32
}

func (s *seedOp) run(_ *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	for len(s.origin) < seed.N {
		s.origin = append(s.origin, uint32(len(s.origin)))
	}
	return emit(&vector.Batch{Cols: seed.Cols, N: seed.N, Origin: s.origin[:seed.N]})
}
