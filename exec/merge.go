package exec

// mergeSpec says how the columns of one variant of the right side meet the left's.
type mergeSpec struct {
	// merge are the output's columns, then the condition's.
	merge []columnPair
	// checks are shared columns that must agree, where both are bound, and are not known to.
	checks []columnPair
}

// columnPair is a left and a right column, -1 for none.
type columnPair struct{ left, right int32 }

// newMergeSpec lines up the columns of a join: all wants names, agreed are shared variables known to agree.
func newMergeSpec(left, right, all []string, agreed []string) mergeSpec {
	var s mergeSpec
	fromLeft, fromRight := indexes(left, all), indexes(right, all)
	s.merge = make([]columnPair, len(all))
	for i := range all {
		s.merge[i] = columnPair{int32(fromLeft[i]), int32(fromRight[i])}
	}
	known := indexes(agreed, left)
	for i, k := range indexes(right, left) {
		if k >= 0 && known[i] < 0 {
			s.checks = append(s.checks, columnPair{int32(i), int32(k)})
		}
	}
	return s
}
