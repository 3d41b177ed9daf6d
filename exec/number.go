package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// numberOp numbers the solutions of its input.
type numberOp struct {
	base
	input operator
	next  uint32
}

func (o *numberOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	var numbers []dictionary.ID
	return measured(o.input, x, seed, func(b *vector.Batch) error {
		numbers = numbers[:0]
		for range b.N {
			numbers = append(numbers, o.next)
			o.next++
		}
		cols := append(append([][]dictionary.ID(nil), b.Cols...), numbers)
		return emit(&vector.Batch{Cols: cols, N: b.N, Origin: b.Origin})
	})
}
