package modifier

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Of up to mostChosen rows the best are found by one of sampledRows that is a little worse than they are expected to be: one goroutine does that in less time than several
// take to begin with the first of the phases that a sort consists of.
const (
	sampledRows = 256
	mostChosen  = 1 << 16
)

// choose keeps the rows that are, by the first key, no worse than one of a sample, where that leaves as many as are read and is much less than all. The rows stay in the order
// they came in.
func (r *sortRun) choose() bool {
	n, limit := r.rows.N, r.Limit
	if limit == 0 || len(r.Keys) == 0 || n < 4*sampledRows || uint64(n)/2 < limit || n > mostChosen && !r.x.Alone() {
		return false
	}
	best := float64(limit) / float64(n) * sampledRows
	at := int(best + 3*math.Sqrt(best) + 1) // 3 standard deviations
	if at >= sampledRows*3/4 {
		return false
	}
	var sample [sampledRows]int
	for i := range sample {
		sample[i] = i * n / sampledRows
	}
	slices.SortFunc(sample[:], r.compareFirst)
	worst := sample[at]
	var known verdicts
	keep := (&sortKeys{Sort: r.Sort}).promising(r.chosen[:0], &vector.Batch{Cols: r.rows.Cols, N: n}, r.newCutoff(worst), &known)
	if r.chosen = keep; uint64(len(keep)) < limit || len(keep) > n*3/4 {
		return false
	}
	r.end(worst)
	for c, col := range r.rows.Cols {
		for i, row := range keep {
			col[i] = col[row]
		}
		r.rows.Cols[c] = col[:len(keep)]
	}
	r.rows.N = len(keep)
	return true
}

// compareFirst compares rows by the first key, the better one first.
func (r *sortRun) compareFirst(a, b int) int {
	if r.Descending[0] {
		a, b = b, a
	}
	key := r.key(r.rows.Cols, 0)
	return r.compareKeys(key, key, a, b)
}
