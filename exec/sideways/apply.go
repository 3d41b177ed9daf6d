package sideways

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Apply runs its input for one seed row after the other, with the row's values as the parameters, and emits the rows
// for which the input has a solution.
type Apply struct {
	operator.Base
	Input      operator.Operator
	Parameters []string
}

func (a *Apply) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	frame, before := x.Frame, make([]dictionary.ID, len(a.Parameters))
	for i, p := range a.Parameters {
		before[i] = x.Parameters[p]
	}
	row := make([]dictionary.ID, len(a.Parameters))
	var found []uint32
	var err error
	for r := 0; r < seed.N && err == nil; r++ {
		for i := range row {
			row[i] = seed.Cols[i][r]
		}
		x.Frames++
		x.Give(a.Parameters, row, x.Frames)
		var any bool
		if any, err = exists(a.Input, x); any {
			found = append(found, uint32(r))
		}
	}
	x.Give(a.Parameters, before, frame)
	if err != nil || len(found) == 0 {
		return err
	}
	return emit(&vector.Batch{N: len(found), Origin: found})
}

// exists reports whether an operator without inputs has a solution.
func exists(op operator.Operator, x *operator.Execution) (found bool, err error) {
	err = limits.Stopping(func(enough error) error {
		return operator.Run(op, x, nil, func(b *vector.Batch) error {
			if found = b.N > 0; found {
				return enough
			}
			return nil
		})
	})
	return found, err
}

// Given seeds its input with the values of parameters, before the columns that it is seeded with itself.
type Given struct {
	operator.Base
	Input      operator.Operator
	Parameters []string
}

func (g *Given) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if seed != nil {
		return operator.Run(g.Input, x, &vector.Batch{Cols: append(x.Given(g.Parameters, seed.N), seed.Cols...), N: seed.N}, emit)
	}
	return operator.Run(g.Input, x, &vector.Batch{Cols: x.Given(g.Parameters, 1), N: 1}, func(b *vector.Batch) error {
		return emit(&vector.Batch{Cols: b.Cols, N: b.N, Weights: b.Weights})
	})
}

// Recall adds the values of parameters as columns.
type Recall struct {
	operator.Base
	Input      operator.Operator
	Parameters []string
}

func (r *Recall) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return operator.Run(r.Input, x, seed, func(b *vector.Batch) error {
		cols := append(append([][]dictionary.ID(nil), b.Cols...), x.Given(r.Parameters, b.N)...)
		return emit(&vector.Batch{Cols: cols, N: b.N, Origin: b.Origin, Weights: b.Weights})
	})
}
