package modifier

import (
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Slice skips and limits solutions.
type Slice struct {
	operator.Base
	Input         operator.Operator
	Offset, Limit int64
	// aside is operator.Aside's of the next run.
	aside operator.Take
}

// Aside implements operator.Aside: where there is no limit, rows that come once enough were skipped may be taken.
func (s *Slice) Aside(take operator.Take) {
	if s.Limit < 0 {
		s.aside = take
	}
}

func (s *Slice) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if s.Limit == 0 {
		return nil
	}
	return limits.Stopping(func(enough error) error { return s.slice(x, seed, enough, emit) })
}

// slice emits the solutions that are wanted, and ends with enough when there are no more of them.
func (s *Slice) slice(x *operator.Execution, seed *vector.Batch, enough error, emit func(*vector.Batch) error) error {
	skip, left := s.Offset, s.Limit
	var skipped atomic.Bool
	var out vector.Batch
	add := func(b *vector.Batch) error {
		from := min(skip, int64(b.N))
		if skip -= from; skip == 0 {
			skipped.Store(true)
		}
		to := int64(b.N)
		if left >= 0 {
			to = min(to, from+left)
			left -= to - from
		}
		if from < to {
			out.Cols = out.Cols[:0]
			for _, col := range b.Cols {
				out.Cols = append(out.Cols, col[from:to])
			}
			out.N = int(to - from)
			if err := emit(&out); err != nil {
				return err
			}
		}
		if left == 0 {
			return enough
		}
		return nil
	}
	take := s.aside
	if take == nil {
		return operator.Run(s.Input, x, seed, add)
	}
	return operator.RunAside(s.Input, x, seed, add, func(b *vector.Batch) (bool, error) {
		if !skipped.Load() {
			return false, nil
		}
		return take(b)
	})
}
