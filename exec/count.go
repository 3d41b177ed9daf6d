package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// countOp is the number of solutions of a basic graph pattern, in one row.
type countOp struct {
	base
	match *matchOp
}

func (o *countOp) run(x *execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	n, err := o.match.count(x)
	if err != nil {
		return err
	}
	b := &vector.Batch{N: 1}
	for range o.out {
		b.Cols = append(b.Cols, []dictionary.ID{x.integer(n)})
	}
	return emit(b)
}
