package join

import (
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Union emits the solutions of all branches.
type Union struct {
	operator.Base
	Branches []operator.Operator
	// take is operator.Aside's of the next run.
	take operator.Take
}

// Aside implements operator.Aside.
func (u *Union) Aside(take operator.Take) { u.take = take }

func (u *Union) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	take := u.take
	for _, op := range u.Branches {
		from := operator.Indexes(op.Columns(), u.Out)
		out := operator.Projection{From: from}
		all := func(b *vector.Batch) error { return emit(out.Of(b)) }
		var err error
		if take == nil || seed != nil {
			err = operator.Run(op, x, seed, all)
		} else {
			var spare schedule.Spares[*operator.Projection]
			err = operator.RunAside(op, x, nil, all, func(b *vector.Batch) (bool, error) {
				own := spare.Take(func() *operator.Projection { return &operator.Projection{From: from} })
				defer spare.Give(own)
				return take(own.Of(b))
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
