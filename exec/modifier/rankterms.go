package modifier

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// sortTerm is a distinct term to be ranked: its place among the distinct IDs, and what it is ordered by.
type sortTerm struct {
	id, place uint32
	key       expr.OrderKey
}

// rankDistinct ranks distinct IDs, which ascend, and returns the greatest rank too. (In descending order the first rank is that
// of the last value.) What they are ordered by is looked up once each.
func (r *sortRun) rankDistinct(distinct []dictionary.ID, descending bool) ([]uint32, uint32, error) {
	if n := len(distinct); n > 0 && r.Comparer.Ascend(distinct[0], distinct[n-1]) {
		return r.number(n, descending, func(i int) bool { return r.Comparer.Compare(distinct[i-1], distinct[i]) != 0 }, func(i int) int { return i })
	}
	list, err := r.sortTerms(distinct)
	if err != nil {
		return nil, 0, err
	}
	if err := r.sortDistinct(list); err != nil {
		return nil, 0, err
	}
	return r.number(len(list), descending, func(i int) bool { return r.compare(list[i-1], list[i]) != 0 }, func(i int) int { return int(list[i].place) })
}

// sortTerms looks up what terms are ordered by.
func (r *sortRun) sortTerms(distinct []dictionary.ID) ([]sortTerm, error) {
	list := make([]sortTerm, len(distinct))
	return list, r.each(len(distinct), func(_, from, to int) error {
		h := r.watch()
		for i := from; i < to && !h.Over(); i++ {
			list[i] = sortTerm{distinct[i], uint32(i), r.Comparer.Key(distinct[i])}
		}
		return h.Err
	})
}

func (r *sortRun) watch() *vector.Watch { return &vector.Watch{Ended: r.x.Ended} }

func (r *sortRun) compare(a, b sortTerm) int {
	return r.Comparer.CompareKeys(a.id, b.id, &a.key, &b.key)
}

// number ranks n sorted terms, of which the i-th is known by place(i), and returns the greatest rank too: one is of the rank of that before unless it differs.
// Each chunk is numbered by itself first.
func (r *sortRun) number(n int, descending bool, differs func(i int) bool, place func(i int) int) ([]uint32, uint32, error) {
	ranks := vector.Borrow(n)
	starts := make([]uint32, r.chunks(n)+1)
	err := r.each(n, func(chunk, from, to int) error {
		h, rank := r.watch(), uint32(0)
		for i := from; i < to && !h.Over(); i++ {
			if i > 0 && differs(i) {
				rank++
			}
			ranks[place(i)] = rank
		}
		starts[chunk+1] = rank
		return h.Err
	})
	if err != nil {
		return nil, 0, err
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	most := starts[len(starts)-1]
	return ranks, most, r.each(n, func(chunk, from, to int) error {
		for i := from; i < to; i++ {
			rank := ranks[place(i)] + starts[chunk]
			if descending {
				rank = most - rank
			}
			ranks[place(i)] = rank
		}
		return nil
	})
}
