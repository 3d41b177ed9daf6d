package group

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// singles are groups of one row each, of a match that says that its rows are distinct (vector.Batch): they need not be looked up, nor kept.
type singles struct {
	*Group
	x       *operator.Execution
	emit    func(*vector.Batch) error
	numbers []uint32
}

// singles hands batches of distinct rows on as groups, and the others to add.
func (g *Group) singles(x *operator.Execution, emit, add func(*vector.Batch) error) func(*vector.Batch) error {
	s := &singles{Group: g, x: x, emit: emit}
	return func(b *vector.Batch) error {
		if b.Distinct {
			return s.add(b)
		}
		return add(b)
	}
}

// add emits the groups of a batch.
func (s *singles) add(b *vector.Batch) error {
	for len(s.numbers) < b.N {
		s.numbers = append(s.numbers, uint32(len(s.numbers)))
	}
	all := make([][]dictionary.ID, 0, len(s.Keys)+len(s.Aggregates))
	for _, c := range s.KeyColumns {
		all = append(all, b.Cols[c])
	}
	for i := range s.Aggregates {
		values, err := s.aggregate(&s.Aggregates[i], b)
		if err != nil {
			return err
		}
		all = append(all, values)
	}
	out := vector.Batch{N: b.N}
	for _, c := range s.Pick {
		out.Cols = append(out.Cols, all[c])
	}
	return s.emit(&out)
}

// aggregate computes an aggregate of each row of a batch.
func (s *singles) aggregate(a *Aggregate, b *vector.Batch) ([]dictionary.ID, error) {
	state, err := a.accumulator(s.x, 0)
	if err != nil {
		return nil, err
	}
	in := groupedRows{n: b.N, groups: s.numbers[:b.N], rows: b}
	if a.Argument >= 0 {
		if in.ids, err = s.Arguments[a.Argument].Values(s.x, b, nil); err != nil {
			return nil, err
		}
	}
	state.add(&in)
	if c, ok := state.(counting); ok && c.overflowed(b.N) {
		return nil, vector.ErrTooMany
	}
	values := state.results(b.N)
	return values, s.x.Ended()
}
