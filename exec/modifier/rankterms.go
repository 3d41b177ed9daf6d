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
		list := make([]sortTerm, n)
		for i, id := range distinct {
			list[i] = sortTerm{id: id, place: uint32(i)}
		}
		return r.ranksOf(list, descending)
	}
	list, err := r.sortTerms(distinct)
	if err != nil {
		return nil, 0, err
	}
	if err := r.sortDistinct(list); err != nil {
		return nil, 0, err
	}
	return r.ranksOf(list, descending)
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

// ranksOf numbers sorted terms, equal ones alike, each chunk by itself first.
func (r *sortRun) ranksOf(sorted []sortTerm, descending bool) ([]uint32, uint32, error) {
	ranks := make([]uint32, len(sorted))
	starts := make([]uint32, r.chunks(len(sorted))+1)
	err := r.each(len(sorted), func(chunk, from, to int) error {
		h, rank := r.watch(), uint32(0)
		for i := from; i < to && !h.Over(); i++ {
			if i > 0 && r.compare(sorted[i-1], sorted[i]) != 0 {
				rank++
			}
			ranks[sorted[i].place] = rank
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
	return ranks, most, r.each(len(sorted), func(chunk, from, to int) error {
		for _, t := range sorted[from:to] {
			rank := ranks[t.place] + starts[chunk]
			if descending {
				rank = most - rank
			}
			ranks[t.place] = rank
		}
		return nil
	})
}
