package source

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Looked is a match whose rows the matcher looks up in a table of another operator's, or, where it does not, what joins both otherwise.
type Looked struct {
	operator.Base
	Match *Match
	Table operator.Operator
	// Key are the columns of Table that are looked up, From the columns of Match that come out.
	Key, From []int
	Otherwise operator.Operator
	// TableMatch is the match whose rows the table's are, where the matcher can run it too; nil elsewhere.
	TableMatch *Match
	// Counts: only that match says of which rows the table is.
	Counts bool
}

func (l *Looked) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	err := match.ErrNotLookedUp
	if seed == nil {
		err = l.lookUp(x, emit)
	}
	if errors.Is(err, match.ErrNotLookedUp) {
		err = operator.Run(l.Otherwise, x, seed, emit)
	}
	return err
}

// lookUp has the matcher do it; with match.ErrNotLookedUp nothing was emitted.
func (l *Looked) lookUp(x *operator.Execution, emit func(*vector.Batch) error) error {
	held := x.Memory.Open("table that rows are looked up in")
	defer held.Close()
	t := &match.Table{Cols: make([][]dictionary.ID, len(l.Key))}
	if m := l.TableMatch; m != nil && len(m.Tests) == 0 && !m.Plan.Empty {
		t.Of = m.match(x)
	} else if l.Counts {
		return match.ErrNotLookedUp
	} else if err := l.fill(x, t, held); err != nil {
		return err
	}
	l.Match.tables = []*match.Table{t}
	out := operator.Projection{From: l.From}
	return operator.Run(l.Match, x, nil, func(b *vector.Batch) error {
		if b.Folds != nil {
			return emit(b)
		}
		return emit(out.Of(b))
	})
}

// fill runs the table's operator.
func (l *Looked) fill(x *operator.Execution, t *match.Table, held *limits.Account) error {
	return operator.Run(l.Table, x, nil, func(b *vector.Batch) error {
		t.Add(b, l.Key)
		if !held.Hold(int64(t.N) * int64(4*len(l.Key)+8)) {
			return match.ErrNotLookedUp
		}
		return x.Ended()
	})
}
