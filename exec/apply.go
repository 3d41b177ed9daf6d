package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// applyOp runs its input for one seed row after the other, with the row's values as the parameters, and emits the rows
// for which the input has a solution.
type applyOp struct {
	base
	input      operator
	parameters []string
}

func (a *applyOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	frame, before := x.frame, make([]dictionary.ID, len(a.parameters))
	for i, p := range a.parameters {
		before[i] = x.parameters[p]
	}
	row := make([]dictionary.ID, len(a.parameters))
	var found []uint32
	var err error
	for r := 0; r < seed.N && err == nil; r++ {
		for i := range row {
			row[i] = seed.Cols[i][r]
		}
		x.frames++
		x.give(a.parameters, row, x.frames)
		var any bool
		if any, err = exists(a.input, x); any {
			found = append(found, uint32(r))
		}
	}
	x.give(a.parameters, before, frame)
	if err != nil || len(found) == 0 {
		return err
	}
	return emit(&vector.Batch{N: len(found), Origin: found})
}

// exists reports whether an operator without inputs has a solution.
func exists(op operator, x *execution) (found bool, err error) {
	err = limits.Stopping(func(enough error) error {
		return measured(op, x, nil, func(b *vector.Batch) error {
			if found = b.N > 0; found {
				return enough
			}
			return nil
		})
	})
	return found, err
}

// givenOp seeds its input with the values of parameters, before the columns that it is seeded with itself.
type givenOp struct {
	base
	input      operator
	parameters []string
}

func (g *givenOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if seed != nil {
		return measured(g.input, x, &vector.Batch{Cols: append(x.given(g.parameters, seed.N), seed.Cols...), N: seed.N}, emit)
	}
	return measured(g.input, x, &vector.Batch{Cols: x.given(g.parameters, 1), N: 1}, func(b *vector.Batch) error {
		return emit(&vector.Batch{Cols: b.Cols, N: b.N, Weights: b.Weights})
	})
}

// recallOp adds the values of parameters as columns.
type recallOp struct {
	base
	input      operator
	parameters []string
}

func (r *recallOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return measured(r.input, x, seed, func(b *vector.Batch) error {
		cols := append(append([][]dictionary.ID(nil), b.Cols...), x.given(r.parameters, b.N)...)
		return emit(&vector.Batch{Cols: cols, N: b.N, Origin: b.Origin, Weights: b.Weights})
	})
}
