package source

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Count is the number of solutions of a basic graph pattern, in one row.
type Count struct {
	operator.Base
	Match *Match
}

func (o *Count) Run(x *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	n, err := o.Match.Count(x)
	if err != nil {
		return err
	}
	b := &vector.Batch{N: 1}
	for range o.Out {
		b.Cols = append(b.Cols, []dictionary.ID{x.Integer(n)})
	}
	return emit(b)
}
