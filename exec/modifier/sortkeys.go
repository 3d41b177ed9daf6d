package modifier

import (
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// sortKeys is the stage below a sort: it puts the keys' values before the output columns and, with a limit, drops rows that are
// known not to be among the best.
type sortKeys struct {
	*Sort
	cutoff *atomic.Pointer[cutoff]
}

// cutoff is the first key of the worst row worth keeping, to compare with.
type cutoff struct {
	against func(dictionary.ID) int
	// computed is the first ID of terms that the query computes.
	computed dictionary.ID
	// number is the key instead, where it is a number key.
	number *expr.NumberKey
}

// newCutoff is that of a row.
func (r *sortRun) newCutoff(row int) *cutoff {
	key := r.key(r.rows.Cols, 0)
	if len(key) > 1 {
		number := expr.NumberKeyAt(key, row)
		return &cutoff{number: &number}
	}
	return &cutoff{against: r.Comparer.Against(key[0][row]), computed: r.x.Terms.Base()}
}

func (s *sortKeys) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return operator.RunStage(s, x, seed, emit)
}

// Below is the operator whose batches it takes.
func (s *sortKeys) Below() operator.Operator { return s.Input }

// Forks reports whether copies may run at the same time.
func (s *sortKeys) Forks() bool {
	for i := range s.Keys {
		if !s.Keys[i].Shared() {
			return false
		}
	}
	return true
}

// Asks reports whether a key has EXISTS.
func (s *sortKeys) Asks() bool {
	for i := range s.Keys {
		if s.Keys[i].Asks() {
			return true
		}
	}
	return false
}

// Fork returns a copy of what it does to a batch.
func (s *sortKeys) Fork() func(*operator.Execution, *vector.Batch) (*vector.Batch, error) {
	from, at := operator.Indexes(s.Input.Columns(), s.Out), s.places()
	keys := make([][]dictionary.ID, at[len(s.Keys)])
	var out, best vector.Batch
	var keep []uint32
	var known verdicts
	return func(x *operator.Execution, b *vector.Batch) (_ *vector.Batch, err error) {
		out.Cols, out.N = out.Cols[:0], b.N
		for i := range s.Keys {
			if err = s.values(x, b, i, keys[at[i]:at[i+1]]); err != nil {
				return nil, err
			}
		}
		out.Cols = append(out.Cols, keys...)
		for _, c := range from {
			if c < 0 {
				out.Cols = append(out.Cols, vector.Unbound(b.N))
			} else {
				out.Cols = append(out.Cols, b.Cols[c])
			}
		}
		worst := s.cutoff.Load()
		if worst == nil {
			return &out, nil
		}
		if keep = s.promising(keep[:0], &out, worst, &known); len(keep) == 0 {
			return nil, nil
		}
		return vector.Select(&best, &out, keep), nil
	}
}

// values computes the columns of key k.
func (s *sortKeys) values(x *operator.Execution, b *vector.Batch, k int, cols [][]dictionary.ID) (err error) {
	if len(cols) > 1 {
		return s.Keys[k].NumberKeys(x, b, cols)
	}
	cols[0], err = s.Keys[k].Values(x, b, cols[0][:0])
	return err
}

// verdicts remembers of some computed keys whether rows with them may be among the best: counts, for one, come again and again, and comparing
// them takes longer than looking here.
type verdicts struct {
	against *cutoff
	ids     [verdictPlaces]dictionary.ID
	good    [verdictPlaces]bool
}

const verdictPlaces = 256

// begin forgets what was found with another cutoff.
func (v *verdicts) begin(against *cutoff) {
	if v.against == against {
		return
	}
	v.against = against
	for i := range v.ids {
		v.ids[i] = dictionary.ID(i + 1) // which belongs to another place
	}
}

// promising appends the rows that may be among the best to keep.
func (s *sortKeys) promising(keep []uint32, b *vector.Batch, worst *cutoff, known *verdicts) []uint32 {
	if worst.number != nil {
		for i := range b.N {
			if key := expr.NumberKeyAt(b.Cols, i); s.isGood(s.Comparer.CompareNumberKeys(&key, worst.number)) {
				keep = append(keep, uint32(i))
			}
		}
		return keep
	}
	known.begin(worst)
	last, good := dictionary.None, false
	for i, id := range b.Cols[0] {
		switch {
		case i > 0 && id == last:
		case id < worst.computed || id == dictionary.None:
			good, last = s.keeps(worst, id), id
		default:
			place := id % verdictPlaces
			if known.ids[place] != id {
				known.ids[place], known.good[place] = id, s.keeps(worst, id)
			}
			good, last = known.good[place], id
		}
		if good {
			keep = append(keep, uint32(i))
		}
	}
	return keep
}

// keeps reports whether a row with this key may be among the best.
func (s *sortKeys) keeps(worst *cutoff, id dictionary.ID) bool { return s.isGood(worst.against(id)) }

// isGood reports whether a row may be among the best whose first key compares so with the worst one's.
func (s *sortKeys) isGood(order int) bool { return order == 0 || order < 0 != s.Descending[0] }
