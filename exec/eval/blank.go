package eval

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Blank is a BNODE with a label, computed for a whole batch before the expression around it.
type Blank struct {
	Label    Evaluator
	Solution int // column, -1: every row is a solution of its own
}

// column returns the blank nodes of a batch; dictionary.None where the label is no plain string.
func (l *Blank) column(x *operator.Execution, b *vector.Batch) ([]dictionary.ID, error) {
	labels, err := l.Label.Values(x, b, nil)
	if err != nil {
		return nil, err
	}
	for r, id := range labels {
		if id == dictionary.None || x.Terms.Value(id).Kind != dictionary.String {
			labels[r] = dictionary.None
			continue
		}
		if l.Solution < 0 {
			labels[r] = x.FreshBlank()
			continue
		}
		labels[r] = x.BlankOf(b.Cols[l.Solution][r], id)
	}
	return labels, nil
}
