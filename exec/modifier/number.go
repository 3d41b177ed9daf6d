package modifier

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Number numbers the solutions of its input.
type Number struct {
	operator.Base
	Input operator.Operator
	next  uint32
}

func (o *Number) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	var numbers []dictionary.ID
	return operator.Run(o.Input, x, seed, func(b *vector.Batch) error {
		numbers = numbers[:0]
		for range b.N {
			numbers = append(numbers, o.next)
			o.next++
		}
		cols := append(append([][]dictionary.ID(nil), b.Cols...), numbers)
		return emit(&vector.Batch{Cols: cols, N: b.N, Origin: b.Origin})
	})
}
