package source

import (
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Values emits an inline table.
type Values struct {
	operator.Base
	Rows *vector.Rows
}

func (v *Values) Run(_ *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	return v.Rows.Emit(emit)
}
