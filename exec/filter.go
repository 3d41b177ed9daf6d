package exec

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// filterOp keeps the solutions for which every condition is true.
type filterOp struct {
	base
	input      operator
	conditions []*predicate
}

func (f *filterOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return runStage(f, x, seed, emit)
}

func (f *filterOp) below() operator { return f.input }

func (f *filterOp) forks() bool {
	return !slices.ContainsFunc(f.conditions, func(p *predicate) bool { return !p.plain() })
}

func (f *filterOp) fork() func(*execution, *vector.Batch) (*vector.Batch, error) {
	var work vector.Batch
	var keep []uint32
	out := projection{from: indexes(f.input.columns(), f.out)}
	return func(x *execution, b *vector.Batch) (*vector.Batch, error) {
		current := b
		for _, p := range f.conditions {
			var err error
			if keep, err = p.filter(x, current, keep[:0]); err != nil {
				return nil, err
			}
			if len(keep) == 0 {
				return nil, nil
			}
			if current == b && len(keep) < b.N {
				current = vector.Select(&work, b, keep)
			} else {
				vector.Compact(current, keep)
			}
		}
		return out.of(current), nil
	}
}
