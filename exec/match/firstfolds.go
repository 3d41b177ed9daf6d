package match

import (
	"cmp"
	"container/heap"
	"math"

	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// FirstFolds are the groups of some folds that may be among so many first ones, in the order that ORDER BY has for what becomes of their numbers. Groups are compared
// before terms are made of them.
type FirstFolds struct {
	*bgp.FirstGroups
	// best are the places of the first groups that were seen, no more than are needed, the last of them at the top of a heap.
	best []FoldRank
}

// FoldRank is a group's place: a number of 128 bits, or about the mean; the other is zero.
type FoldRank struct {
	High int64
	Low  uint64
	Mean float64
}

// Of is those groups of a batch that may be among the first, by these and all before.
func (f *FirstFolds) Of(b *Batch) *Batch {
	may := f.among(b.Folds)
	out := &Batch{N: len(may), Folds: b.Folds.Select(may)}
	for _, column := range b.Cols {
		if column != nil {
			column = vector.Gather(nil, column, may)
		}
		out.Cols = append(out.Cols, column)
	}
	return out
}

// among is those of some groups.
func (f *FirstFolds) among(folds *Folds) (may []uint32) {
	for g, count := range folds.Counts {
		r := f.rank(folds, g)
		switch {
		case count == math.MaxUint64: // whoever makes a term of it says that they are too many
		case uint64(len(f.best)) < f.Rows:
			heap.Push(f, r)
		case f.before(r, f.best[0]):
			f.best[0] = r
			heap.Fix(f, 0)
		case f.By != bgp.ByMean && r != f.best[0], f.By == bgp.ByMean && math.Abs(r.Mean-f.best[0].Mean) > margin(r.Mean, f.best[0].Mean, folds.Scale):
			continue
		}
		may = append(may, uint32(g))
	}
	return may
}

// Bound is the place behind which no group is among the first; false while so many were not seen yet.
func (f *FirstFolds) Bound(scale uint8) (r FoldRank, ok bool) {
	if uint64(len(f.best)) < f.Rows || f.Rows == 0 {
		return r, false
	}
	if r = f.best[0]; f.By != bgp.ByMean {
		return r, true
	}
	more := 2 * margin(r.Mean, r.Mean, scale)
	if f.Descending {
		more = -more
	}
	r.Mean += more
	return r, true
}

// margin is by how much means are different for sure: they were computed in floats of 53 bits, and their terms are rounded to 18 decimals or digits.
func margin(a, b float64, scale uint8) float64 {
	const same = 1e-12
	return same*max(math.Abs(a), math.Abs(b)) + math.Pow10(int(scale)-17)
}

// rank is the place of a group.
func (f *FirstFolds) rank(of *Folds, g int) FoldRank {
	switch f.By {
	case bgp.ByCount:
		return FoldRank{Low: of.Counts[g]}
	case bgp.BySum:
		return FoldRank{High: int64(of.High[g]), Low: of.Low[g]}
	}
	sum := float64(int64(of.High[g]))*(1<<64) + float64(of.Low[g])
	if int64(of.High[g]) == int64(of.Low[g])>>63 {
		sum = float64(int64(of.Low[g]))
	}
	return FoldRank{Mean: sum / float64(of.Counts[g])}
}

// before reports whether a group's place is before another's; of means, as floats have them.
func (f *FirstFolds) before(a, b FoldRank) bool {
	if f.Descending {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.High, b.High), cmp.Compare(a.Low, b.Low), cmp.Compare(a.Mean, b.Mean)) < 0
}

// Len, Less and Swap, with Push and Pop, make a heap of the best with the last at the top.
func (f *FirstFolds) Len() int           { return len(f.best) }
func (f *FirstFolds) Less(i, j int) bool { return f.before(f.best[j], f.best[i]) }
func (f *FirstFolds) Swap(i, j int)      { f.best[i], f.best[j] = f.best[j], f.best[i] }
func (f *FirstFolds) Push(x any)         { f.best = append(f.best, x.(FoldRank)) }

// Pop is the heap's; nothing is taken from it.
func (f *FirstFolds) Pop() any {
	last := f.best[len(f.best)-1]
	f.best = f.best[:len(f.best)-1]
	return last
}
