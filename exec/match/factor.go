package match

import "context"

// Factor runs a match whose plan has Lists where who finds its rows makes no lists: core runs the plan without its last leaves and what is counted, and leaves, a matcher that does
// make them, finds these for the rows that core emits.
func Factor(ctx context.Context, m *Match, core func(*Match, func(*Batch) error) error, leaves Matcher, emit func(*Batch) error) error {
	rows, rest := *m, *m
	rows.Plan, rest.Plan = m.Plan.Split()
	rows.Weighted, rows.Aside = false, nil
	without := func(b *Batch) *Batch { // rows of the match's own have no origin, and those of several seeds may be equal
		out := *b
		out.Origin, out.Distinct = nil, false
		return &out
	}
	if take := m.Aside; take != nil {
		rest.Aside = func(b *Batch) (bool, error) { return take(without(b)) }
	}
	if m.Trace != nil {
		rows.Trace = &Trace{}
	}
	trace := Trace{Steps: make([]StepTrace, len(rest.Plan.Steps))}
	err := core(&rows, func(b *Batch) error {
		some := rest
		some.Input = &Input{Cols: b.Cols, N: b.N}
		if m.Trace != nil {
			some.Trace = &Trace{}
			defer func() { trace.addSteps(some.Trace) }()
		}
		return leaves.Match(ctx, &some, func(b *Batch) error { return emit(without(b)) })
	})
	if m.Trace != nil {
		*m.Trace = *rows.Trace
		for len(m.Trace.Steps) < len(rows.Plan.Steps) {
			m.Trace.Steps = append(m.Trace.Steps, StepTrace{})
		}
		m.Trace.Steps = append(m.Trace.Steps, trace.Steps...)
	}
	return err
}

// addSteps adds what the steps of another run did.
func (t *Trace) addSteps(other *Trace) {
	for i := range other.Steps {
		s, o := &t.Steps[i], &other.Steps[i]
		s.RowsIn, s.Candidates, s.RowsOut, s.Bytes = s.RowsIn+o.RowsIn, s.Candidates+o.Candidates, s.RowsOut+o.RowsOut, s.Bytes+o.Bytes
		s.Elapsed, s.Variant = s.Elapsed+o.Elapsed, o.Variant
	}
}

// Factored reports whether a match is to be run by Factor, if who runs it makes no lists.
func (m *Match) Factored() bool {
	return m.Plan.Lists > 0 && m.Weighted && m.Input == nil && m.Limit == 0 && !m.Plan.Empty
}
