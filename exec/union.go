package exec

// unionOp emits the solutions of both branches.
type unionOp struct {
	base
	branches []operator
}

func (u *unionOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	for _, op := range u.branches {
		out := projection{from: indexes(op.columns(), u.out)}
		err := measured(op, x, seed, func(b *Batch) error { return emit(out.of(b)) })
		if err != nil {
			return err
		}
	}
	return nil
}
