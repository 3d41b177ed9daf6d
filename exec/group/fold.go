package group

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/parser"
)

// foldAccumulator computes an aggregate of values by exec/expr.
type foldAccumulator struct {
	of expr.Accumulator
	// first is the first of the input's columns, where the argument is computed of them; -1 where there is a column of its values.
	first int
}

// newFold compiles the aggregate for the one column that holds its argument's values, or for the input's columns, which begin at column first of
// a row; DISTINCT is not its business.
func newFold(a *Aggregate, env *expr.Env, first int) (*foldAccumulator, error) {
	if a.Columns != nil {
		of, err := expr.NewAccumulator(a.Aggregation, a.Columns, env, a.Identity)
		return &foldAccumulator{of, first}, err
	}
	of, err := expr.NewAccumulator(parser.Aggregation{
		Variable: a.Variable, Function: a.Function, Separator: a.Separator, Argument: &parser.Var{Name: a.Variable},
	}, map[string]int{a.Variable: 0}, env, a.Identity)
	return &foldAccumulator{of, -1}, err
}

func (f *foldAccumulator) add(in *groupedRows) {
	var weights []uint64
	if in.rows != nil {
		weights = in.rows.Weights
	}
	if f.first >= 0 {
		f.of.Add(in.rows.Cols[f.first:], len(in.groups), in.groups, weights)
		return
	}
	f.of.Add([][]dictionary.ID{in.ids}, len(in.ids), in.groups, weights)
}

func (f *foldAccumulator) results(n int) []dictionary.ID {
	out := make([]dictionary.ID, n)
	f.of.Results(out)
	return out
}

func (f *foldAccumulator) bytes() int64 { return f.of.Bytes() }

func (f *foldAccumulator) overflowed(int) bool { return f.of.Overflowed() }

func (f *foldAccumulator) distinct() int { return 0 }

func (f *foldAccumulator) merges() bool { return f.of.Merges() }

func (f *foldAccumulator) merge(of accumulator, _ int, groups []uint32) {
	f.of.Merge(of.(*foldAccumulator).of, groups)
}
