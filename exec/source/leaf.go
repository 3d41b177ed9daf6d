package source

import (
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Empty has no solutions.
type Empty struct{ operator.Base }

func (e *Empty) Run(*operator.Execution, *vector.Batch, func(*vector.Batch) error) error { return nil }

// Unit emits one solution that binds nothing.
type Unit struct{ operator.Base }

func (u *Unit) Run(_ *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	return emit(&vector.Batch{N: 1})
}

// Seed emits the rows it is seeded with.
type Seed struct {
	operator.Base
	origin []uint32
}

func (s *Seed) Run(_ *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	for len(s.origin) < seed.N {
		s.origin = append(s.origin, uint32(len(s.origin)))
	}
	return emit(&vector.Batch{Cols: seed.Cols, N: seed.N, Origin: s.origin[:seed.N]})
}
