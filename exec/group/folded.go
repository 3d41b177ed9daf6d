package group

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// addFolds emits the groups of a batch that has what their numbers come to.
func (s *singles) addFolds(b *vector.Batch) error {
	s.folded = true
	all := make([][]dictionary.ID, 0, len(s.Keys)+len(s.Aggregates))
	for i := range s.Keys {
		key, err := s.Keys[i].Values(s.x, b, nil)
		if err != nil {
			return err
		}
		all = append(all, key)
	}
	for i := range s.Aggregates {
		values, err := s.Aggregates[i].folded(s.x, b)
		if err != nil {
			return err
		}
		all = append(all, values)
	}
	return s.handOn(all, b.N)
}

// folded are the values of an aggregate of groups.
func (a *Aggregate) folded(x *operator.Execution, b *vector.Batch) ([]dictionary.ID, error) {
	f := b.Folds
	switch a.Function {
	case "MIN":
		return f.Least, nil
	case "MAX":
		return f.Greatest, nil
	case "COUNT":
		c := &counts{x: x, n: f.Counts}
		if c.overflowed(b.N) {
			return nil, vector.ErrTooMany
		}
		return c.results(b.N), x.Ended()
	}
	total := func(g int) expr.Total {
		return expr.Total{Count: f.Counts[g], High: f.High[g], Low: f.Low[g], Scale: f.Scale, Decimal: f.Decimal[g]}
	}
	out := make([]dictionary.ID, b.N)
	if !expr.Totals(x.Env, a.Function == "AVG", b.N, total, out) {
		return nil, vector.ErrTooMany
	}
	return out, x.Ended()
}
