package exec

// valuesOp emits an inline table.
type valuesOp struct {
	base
	rows *columns
}

func (v *valuesOp) run(_ *execution, _ *Batch, emit func(*Batch) error) error {
	return v.rows.emit(emit)
}
