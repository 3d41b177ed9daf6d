package eval

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Bind binds a variable to the value of an expression.
type Bind struct {
	operator.Base
	Input operator.Operator
	Value Evaluator
	From  []int // input columns of out; computed for the variable itself
}

// Computed marks the column that an operator computes.
const Computed = -2

func (e *Bind) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return operator.RunStage(e, x, seed, emit)
}

// Below is the operator whose batches it takes.
func (e *Bind) Below() operator.Operator { return e.Input }

// Forks reports whether copies may run at the same time.
func (e *Bind) Forks() bool { return e.Value.Shared() }

// Asks reports whether the value has EXISTS.
func (e *Bind) Asks() bool { return e.Value.Asks() }

// Fork returns a copy of what it does to a batch.
func (e *Bind) Fork() func(*operator.Execution, *vector.Batch) (*vector.Batch, error) {
	var values []dictionary.ID
	var out vector.Batch
	return func(x *operator.Execution, b *vector.Batch) (*vector.Batch, error) {
		var err error
		if values, err = e.Value.Values(x, b, values[:0]); err != nil {
			return nil, err
		}
		out.Cols = out.Cols[:0]
		for _, c := range e.From {
			if c == Computed {
				out.Cols = append(out.Cols, values)
			} else {
				out.Cols = append(out.Cols, b.Cols[c])
			}
		}
		out.N, out.Origin, out.Weights, out.Passed = b.N, b.Origin, b.Weights, b.Passed
		return &out, nil
	}
}
