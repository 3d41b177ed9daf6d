package sideways

import "github.com/rdfgpu/rdfgpu/exec/operator"

// Merge says how the columns of one variant of the right side meet the left's.
type Merge struct {
	// Columns are the output's columns, then the condition's.
	Columns []ColumnPair
	// Checks are shared columns that must agree, where both are bound, and are not known to.
	Checks []ColumnPair
}

// ColumnPair is a left and a right column, -1 for none.
type ColumnPair struct{ Left, Right int32 }

// NewMerge lines up the columns of a join: all wants names, agreed are shared variables known to agree.
func NewMerge(left, right, all []string, agreed []string) Merge {
	var s Merge
	fromLeft, fromRight := operator.Indexes(left, all), operator.Indexes(right, all)
	s.Columns = make([]ColumnPair, len(all))
	for i := range all {
		s.Columns[i] = ColumnPair{int32(fromLeft[i]), int32(fromRight[i])}
	}
	known := operator.Indexes(agreed, left)
	for i, k := range operator.Indexes(right, left) {
		if k >= 0 && known[i] < 0 {
			s.Checks = append(s.Checks, ColumnPair{int32(i), int32(k)})
		}
	}
	return s
}
