package exec

import "github.com/rdfgpu/rdfgpu/exec/vector"

// projectOp picks columns.
type projectOp struct {
	base
	input operator
}

func (p *projectOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return runStage(p, x, seed, emit)
}

func (p *projectOp) below() operator { return p.input }

func (p *projectOp) forks() bool { return true }

func (p *projectOp) fork() func(*execution, *vector.Batch) (*vector.Batch, error) {
	out := projection{from: indexes(p.input.columns(), p.out)}
	return func(_ *execution, b *vector.Batch) (*vector.Batch, error) { return out.of(b), nil }
}
