package group

import (
	"cmp"
	"container/heap"
	"math"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// First says of which groups the first are needed, and those that are equal to the last of these: so many by an aggregate. Others may be left out.
type First struct {
	Aggregate  int
	Descending bool
	Rows       uint64
}

// mostFirst is up to how many groups the first are looked for among folds.
const mostFirst = 1 << 16

// firstFolds are what the first groups by SUM, COUNT or AVG come to, as far as folds were seen: no more than are needed, the last of them at the top of a heap. Groups
// are compared by numbers, before these become terms.
type firstFolds struct {
	*First
	function string
	best     []foldRank
}

// foldRank is a group's place: a number of 128 bits, or about the mean; the other is zero.
type foldRank struct {
	high int64
	low  uint64
	mean float64
}

// amongFirst is the groups of a batch that may be among the first: the batch itself where it cannot tell.
func (s *singles) amongFirst(b *vector.Batch) *vector.Batch {
	if s.first == nil {
		s.first = &firstFolds{}
		if f := s.First; f != nil && f.Rows <= mostFirst {
			switch a := &s.Aggregates[f.Aggregate]; a.Function {
			case "SUM", "COUNT", "AVG":
				s.first = &firstFolds{First: f, function: a.Function}
			}
		}
	}
	if s.first.First == nil || b.Folds.Counts == nil {
		return b
	}
	return s.first.of(b)
}

// of is the groups of a batch that may be among the first.
func (f *firstFolds) of(b *vector.Batch) *vector.Batch {
	var may []uint32
	for g := range b.N {
		r := f.rank(b.Folds, g)
		switch {
		case b.Folds.Counts[g] == math.MaxUint64: // whoever makes a term of it says that they are too many
		case uint64(len(f.best)) < f.Rows:
			heap.Push(f, r)
		case f.before(r, f.best[0]):
			f.best[0] = r
			heap.Fix(f, 0)
		case f.apart(f.best[0], r, b.Folds.Scale):
			continue
		}
		may = append(may, uint32(g))
	}
	out := &vector.Batch{N: len(may), Folds: b.Folds.Select(may)}
	for _, col := range b.Cols {
		if col != nil {
			col = vector.Gather(nil, col, may)
		}
		out.Cols = append(out.Cols, col)
	}
	return out
}

// rank is the place of a group.
func (f *firstFolds) rank(of *vector.Folds, g int) foldRank {
	switch f.function {
	case "COUNT":
		return foldRank{low: of.Counts[g]}
	case "SUM":
		return foldRank{high: int64(of.High[g]), low: of.Low[g]}
	}
	sum := float64(int64(of.High[g]))*(1<<64) + float64(of.Low[g])
	if int64(of.High[g]) == int64(of.Low[g])>>63 {
		sum = float64(int64(of.Low[g]))
	}
	return foldRank{mean: sum / float64(of.Counts[g])}
}

// before reports whether a group's place is before another's; of means, as floats have them.
func (f *firstFolds) before(a, b foldRank) bool {
	if f.Descending {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low), cmp.Compare(a.mean, b.mean)) < 0
}

// apart reports whether a group that is not before another is behind it for sure: means were computed in floats of 53 bits, and their terms are rounded to 18 decimals or
// digits.
func (f *firstFolds) apart(last, r foldRank, scale uint8) bool {
	if f.function != "AVG" {
		return last != r
	}
	const same = 1e-12
	return math.Abs(last.mean-r.mean) > same*max(math.Abs(last.mean), math.Abs(r.mean))+math.Pow10(int(scale)-17)
}

// Len, Less and Swap, with Push and Pop, make a heap of the best with the last at the top.
func (f *firstFolds) Len() int           { return len(f.best) }
func (f *firstFolds) Less(i, j int) bool { return f.before(f.best[j], f.best[i]) }
func (f *firstFolds) Swap(i, j int)      { f.best[i], f.best[j] = f.best[j], f.best[i] }
func (f *firstFolds) Push(x any)         { f.best = append(f.best, x.(foldRank)) }

// Pop is the heap's; nothing is taken from it.
func (f *firstFolds) Pop() any {
	last := f.best[len(f.best)-1]
	f.best = f.best[:len(f.best)-1]
	return last
}
