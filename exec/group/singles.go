package group

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// singles are groups of one row each, of a match that says that its rows are distinct, has counted them by the key, or has folded them (vector.Batch): they
// need not be looked up, nor kept.
type singles struct {
	*Group
	x       *operator.Execution
	emit    func(*vector.Batch) error
	numbers []uint32
	// beside are those of other goroutines.
	beside schedule.Spares[*singles]
	// folded: there was a batch of folds, so that there are no groups but theirs.
	folded bool
}

func newSingles(g *Group, x *operator.Execution, emit func(*vector.Batch) error) *singles {
	return &singles{Group: g, x: x, emit: operator.NewOutlet(x, emit, nil).Emit}
}

// aside emits the groups of a batch of which each row is one, from any goroutine.
func (s *singles) aside(b *vector.Batch) error {
	own := s.beside.Take(func() *singles { return &singles{Group: s.Group, x: s.x, emit: s.emit} })
	err := own.of(b)
	s.beside.Give(own)
	return err
}

// single reports whether each row of a batch is a group, or has been made one.
func (g *Group) single(b *vector.Batch) bool {
	return b.Folds != nil || b.Tally || b.Distinct && g.KeyColumns != nil
}

// or hands batches of which each row is a group on as groups, and the others to add.
func (s *singles) or(add func(*vector.Batch) error) func(*vector.Batch) error {
	return func(b *vector.Batch) error {
		if b.Folds != nil {
			return s.addFolds(b)
		}
		if s.single(b) {
			return s.of(b)
		}
		return add(b)
	}
}

// of emits the groups of a batch without folds.
func (s *singles) of(b *vector.Batch) error {
	if b.Tally {
		return s.addTally(b)
	}
	return s.add(b)
}

// add emits the groups of a batch.
func (s *singles) add(b *vector.Batch) error {
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
	return s.handOn(all, b.N)
}

// addTally emits the groups of a batch that has the key and, as weights, all that the aggregates count.
func (s *singles) addTally(b *vector.Batch) error {
	key := slices.IndexFunc(b.Cols, func(c []dictionary.ID) bool { return c != nil })
	all := [][]dictionary.ID{b.Cols[key]}
	n, err := s.results(&counts{x: s.x}, &groupedRows{n: b.N, rows: b})
	for range s.Aggregates {
		all = append(all, n)
	}
	if err != nil {
		return err
	}
	return s.handOn(all, b.N)
}

// handOn emits n groups of which all are the keys and the aggregates.
func (s *singles) handOn(all [][]dictionary.ID, n int) error {
	out := vector.Batch{N: n}
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
	in := groupedRows{n: b.N, rows: b}
	if a.Argument >= 0 {
		if in.ids, err = s.Arguments[a.Argument].Values(s.x, b, nil); err != nil {
			return nil, err
		}
	}
	return s.results(state, &in)
}

// results are the values of an aggregate of rows that are a group each.
func (s *singles) results(state accumulator, in *groupedRows) ([]dictionary.ID, error) {
	for len(s.numbers) < in.n {
		s.numbers = append(s.numbers, uint32(len(s.numbers)))
	}
	in.groups = s.numbers[:in.n]
	state.add(in)
	if c, ok := state.(counting); ok && c.overflowed(in.n) {
		return nil, vector.ErrTooMany
	}
	values := state.results(in.n)
	return values, s.x.Ended()
}
