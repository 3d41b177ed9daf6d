package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// labelledBlank is a BNODE with a label, computed for a whole batch before the expression around it.
type labelledBlank struct {
	label    evaluator
	solution int // column, -1: every row is a solution of its own
}

// column returns the blank nodes of a batch; dictionary.None where the label is no plain string.
func (l *labelledBlank) column(x *execution, b *vector.Batch) ([]dictionary.ID, error) {
	labels, err := l.label.values(x, b, nil)
	if err != nil {
		return nil, err
	}
	for r, id := range labels {
		if id == dictionary.None || x.terms.Value(id).Kind != dictionary.String {
			labels[r] = dictionary.None
			continue
		}
		if l.solution < 0 {
			labels[r] = x.freshBlank()
			continue
		}
		labels[r] = x.blankOf(b.Cols[l.solution][r], id)
	}
	return labels, nil
}
