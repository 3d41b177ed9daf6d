package group

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// addFolds emits the groups of a batch that has what their numbers come to. Workers make the results of some of the groups each.
func (s *singles) addFolds(b *vector.Batch) error {
	s.folded = true
	parts := make([]vector.Batch, (b.N+vector.BatchRows-1)/vector.BatchRows)
	err := s.x.Each(len(parts), func(i int) error {
		return s.foldedPart(b, i*vector.BatchRows, min((i+1)*vector.BatchRows, b.N), &parts[i])
	})
	for i := range parts {
		if err == nil {
			err = s.emit(&parts[i])
		}
	}
	return err
}

// foldedPart makes the output columns of some groups.
func (s *singles) foldedPart(b *vector.Batch, from, to int, out *vector.Batch) error {
	part := vector.Batch{N: to - from, Folds: b.Folds.Part(from, to)}
	all := make([][]dictionary.ID, 0, len(s.Keys)+len(s.Aggregates))
	for i, k := range s.FoldKeys {
		if k.Column >= 0 {
			all = append(all, b.Cols[k.Column][from:to])
		} else {
			all = append(all, numberIDs(s.x, k.Identity, part.Folds.Keys[i]))
		}
	}
	for i := range s.Aggregates {
		values, err := s.Aggregates[i].folded(s.x, &part)
		if err != nil {
			return err
		}
		all = append(all, values)
	}
	out.N = part.N
	for _, c := range s.Pick {
		out.Cols = append(out.Cols, all[c])
	}
	return nil
}

// folded are the values of an aggregate of groups.
func (a *Aggregate) folded(x *operator.Execution, b *vector.Batch) ([]dictionary.ID, error) {
	f := b.Folds
	switch a.Function {
	case "MIN":
		return a.end(x, f.Least, f.Units, f.LeastUnits)
	case "MAX":
		return a.end(x, f.Greatest, f.Units, f.GreatestUnits)
	case "COUNT":
		c := &counts{x: x, identity: a.Identity, n: f.Counts}
		if c.overflowed(b.N) {
			return nil, vector.ErrTooMany
		}
		return c.results(b.N), x.Ended()
	}
	total := func(g int) expr.Total {
		return expr.Total{Count: f.Counts[g], High: f.High[g], Low: f.Low[g], Scale: f.Scale, Decimal: f.Decimal[g]}
	}
	out := make([]dictionary.ID, b.N)
	if !expr.Totals(x.Env, a.Identity, a.Function == "AVG", b.N, total, out) {
		return nil, vector.ErrTooMany
	}
	return out, x.Ended()
}

// end is the least or the greatest number of groups: that of IDs or, where there are none, of computed numbers of a class.
func (a *Aggregate) end(x *operator.Execution, ids []dictionary.ID, class dictionary.NumberClass, units []int64) ([]dictionary.ID, error) {
	if units == nil {
		return ids, nil
	}
	of := vector.Numbers{Classes: make([]dictionary.NumberClass, len(units)), Units: make([]int64, len(units))}
	for i, n := range units {
		of.Classes[i], of.Units[i] = dictionary.Reduced(class, n)
	}
	return numberIDs(x, a.Identity, of), x.Ended()
}

// numberIDs are the IDs of computed numbers.
func numberIDs(x *operator.Execution, identity dictionary.Identity, of vector.Numbers) []dictionary.ID {
	out := make([]dictionary.ID, len(of.Units))
	expr.NumberIDs(x.Env, identity, of.Classes, of.Units, out)
	return out
}
