package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// extendOp binds a variable to the value of an expression.
type extendOp struct {
	base
	input operator
	value evaluator
	from  []int // input columns of out; computed for the variable itself
}

// computed marks the column that an operator computes.
const computed = -2

func (e *extendOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return runStage(e, x, seed, emit)
}

func (e *extendOp) below() operator { return e.input }

func (e *extendOp) forks() bool { return e.value.plain() }

func (e *extendOp) fork() func(*execution, *vector.Batch) (*vector.Batch, error) {
	var values []dictionary.ID
	var out vector.Batch
	return func(x *execution, b *vector.Batch) (*vector.Batch, error) {
		var err error
		if values, err = e.value.values(x, b, values[:0]); err != nil {
			return nil, err
		}
		out.Cols = out.Cols[:0]
		for _, c := range e.from {
			if c == computed {
				out.Cols = append(out.Cols, values)
			} else {
				out.Cols = append(out.Cols, b.Cols[c])
			}
		}
		out.N, out.Origin, out.Weights = b.N, b.Origin, b.Weights
		return &out, nil
	}
}
