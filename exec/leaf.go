package exec

// emptyOp has no solutions.
type emptyOp struct{ base }

func (e *emptyOp) run(*execution, *Batch, func(*Batch) error) error { return nil }

// unitOp emits one solution that binds nothing.
type unitOp struct{ base }

func (u *unitOp) run(_ *execution, _ *Batch, emit func(*Batch) error) error {
	return emit(&Batch{N: 1})
}

// seedOp emits the rows it is seeded with.
type seedOp struct {
	base
	origin []uint32
}

func (s *seedOp) run(_ *execution, seed *Batch, emit func(*Batch) error) error {
	for len(s.origin) < seed.N {
		s.origin = append(s.origin, uint32(len(s.origin)))
	}
	return emit(&Batch{Cols: seed.Cols, N: seed.N, Origin: s.origin[:seed.N]})
}
