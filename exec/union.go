package exec

import "github.com/rdfgpu/rdfgpu/exec/vector"

// unionOp emits the solutions of both branches.
type unionOp struct {
	base
	branches []operator
}

func (u *unionOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	for _, op := range u.branches {
		out := projection{from: indexes(op.columns(), u.out)}
		err := measured(op, x, seed, func(b *vector.Batch) error { return emit(out.of(b)) })
		if err != nil {
			return err
		}
	}
	return nil
}
