package eval

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Filter keeps the solutions for which every condition is true.
type Filter struct {
	operator.Base
	Input      operator.Operator
	Conditions []*Predicate
	// Sifted: rows that have passed what the match below was told (vector.Batch.Passed) pass the conditions.
	Sifted bool
}

func (f *Filter) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return operator.RunStage(f, x, seed, emit)
}

// Below is the operator whose batches it takes.
func (f *Filter) Below() operator.Operator { return f.Input }

// Forks reports whether copies may run at the same time.
func (f *Filter) Forks() bool {
	return !slices.ContainsFunc(f.Conditions, func(p *Predicate) bool { return !p.Shared() })
}

// Asks reports whether a condition has EXISTS.
func (f *Filter) Asks() bool {
	return slices.ContainsFunc(f.Conditions, func(p *Predicate) bool { return p.Asks() })
}

// Fork returns a copy of what it does to a batch.
func (f *Filter) Fork() func(*operator.Execution, *vector.Batch) (*vector.Batch, error) {
	var work vector.Batch
	var keep []uint32
	out := operator.Projection{From: operator.Indexes(f.Input.Columns(), f.Out)}
	whole := out.Keeps(len(f.Input.Columns()))
	return func(x *operator.Execution, b *vector.Batch) (*vector.Batch, error) {
		if f.Sifted && b.Passed {
			kept := out.Of(b)
			kept.Distinct = b.Distinct && whole
			return kept, nil
		}
		current := b
		for _, p := range f.Conditions {
			var err error
			if keep, err = p.Filter(x, current, keep[:0]); err != nil {
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
		kept := out.Of(current)
		kept.Passed, kept.Distinct = b.Passed, b.Distinct && whole
		return kept, nil
	}
}
