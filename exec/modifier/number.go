package modifier

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Number numbers the solutions of its input, by numbers that no other solutions of the run have.
type Number struct {
	operator.Base
	Input operator.Operator
}

func (o *Number) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	var numbers []dictionary.ID
	return operator.Run(o.Input, x, seed, func(b *vector.Batch) error {
		numbers = numbers[:0]
		first := x.Solutions(b.N)
		for i := range b.N {
			numbers = append(numbers, first+uint32(i))
		}
		cols := append(append([][]dictionary.ID(nil), b.Cols...), numbers)
		return emit(&vector.Batch{Cols: cols, N: b.N, Origin: b.Origin})
	})
}
