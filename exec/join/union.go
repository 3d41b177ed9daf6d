package join

import (
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Union emits the solutions of both branches.
type Union struct {
	operator.Base
	Branches []operator.Operator
}

func (u *Union) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	for _, op := range u.Branches {
		out := operator.Projection{From: operator.Indexes(op.Columns(), u.Out)}
		err := operator.Run(op, x, seed, func(b *vector.Batch) error { return emit(out.Of(b)) })
		if err != nil {
			return err
		}
	}
	return nil
}
