package exec

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// numberOp numbers the solutions of its input.
type numberOp struct {
	base
	input operator
	next  uint32
}

func (o *numberOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	var numbers []dictionary.ID
	return measured(o.input, x, seed, func(b *vector.Batch) error {
		numbers = numbers[:0]
		for range b.N {
			numbers = append(numbers, o.next)
			o.next++
		}
		cols := append(append([][]dictionary.ID(nil), b.Cols...), numbers)
		return emit(&vector.Batch{Cols: cols, N: b.N, Origin: b.Origin})
	})
}

// labelledBlank is a BNODE with a label, computed for a whole batch before the expression around it.
type labelledBlank struct {
	label    evaluator
	solution int // column, -1: every row is a solution of its own
}

// blankKey is a label in a solution.
type blankKey struct{ solution, label uint32 }

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
		key := blankKey{b.Cols[l.solution][r], id}
		node, ok := x.blanks[key]
		if !ok {
			node = x.freshBlank()
			if x.blanks == nil {
				x.blanks = map[blankKey]dictionary.ID{}
			}
			x.blanks[key] = node
		}
		labels[r] = node
	}
	return labels, nil
}

// freshBlank makes a blank node that neither the data nor the query have.
func (x *execution) freshBlank() dictionary.ID {
	for {
		x.serial++
		t := rdf.NewBlank(fmt.Sprintf("q%d", x.serial))
		if _, taken := x.terms.Find(t); !taken {
			return x.terms.ID(t)
		}
	}
}
