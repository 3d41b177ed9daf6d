package modifier

import (
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Project picks columns.
type Project struct {
	operator.Base
	Input operator.Operator
}

func (p *Project) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return operator.RunStage(p, x, seed, emit)
}

// Below is the operator whose batches it takes.
func (p *Project) Below() operator.Operator { return p.Input }

// Forks reports whether copies may run at the same time.
func (p *Project) Forks() bool { return true }

// Asks reports that no patterns are run.
func (p *Project) Asks() bool { return false }

// Fork returns a copy of what it does to a batch.
func (p *Project) Fork() func(*operator.Execution, *vector.Batch) (*vector.Batch, error) {
	out := operator.Projection{From: operator.Indexes(p.Input.Columns(), p.Out)}
	return func(_ *operator.Execution, b *vector.Batch) (*vector.Batch, error) { return out.Of(b), nil }
}
