package exec

import "github.com/rdfgpu/rdfgpu/exec/vector"

// valuesOp emits an inline table.
type valuesOp struct {
	base
	rows *vector.Rows
}

func (v *valuesOp) run(_ *execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	return v.rows.Emit(emit)
}
