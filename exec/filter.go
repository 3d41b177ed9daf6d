package exec

import (
	"slices"
)

// filterOp keeps the solutions for which every condition is true.
type filterOp struct {
	base
	input      operator
	conditions []*predicate
}

func (f *filterOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	return runStage(f, x, seed, emit)
}

func (f *filterOp) below() operator { return f.input }

func (f *filterOp) forks() bool {
	return !slices.ContainsFunc(f.conditions, func(p *predicate) bool { return !p.plain() })
}

func (f *filterOp) fork() func(*execution, *Batch) (*Batch, error) {
	var work Batch
	var keep []uint32
	out := projection{from: indexes(f.input.columns(), f.out)}
	return func(x *execution, b *Batch) (*Batch, error) {
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
				current = selectRows(&work, b, keep)
			} else {
				compact(current, keep)
			}
		}
		return out.of(current), nil
	}
}
