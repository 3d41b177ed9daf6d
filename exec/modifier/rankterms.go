package modifier

import (
	"cmp"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// sortTerm is a distinct term to be ranked: its place among the distinct IDs and, for an IRI or blank node, its text.
type sortTerm struct {
	id, place uint32
	kind      rdf.Kind
	text      string
}

// rankDistinct ranks distinct IDs, which ascend, and returns the greatest rank too. (In descending order the first rank is that
// of the last value.) IRIs and blank nodes are decoded once each.
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

// sortTerms decodes what has to be decoded to be sorted.
func (r *sortRun) sortTerms(distinct []dictionary.ID) ([]sortTerm, error) {
	list := make([]sortTerm, len(distinct))
	return list, r.each(len(distinct), func(_, from, to int) error {
		h := r.watch()
		for i := from; i < to && !h.Over(); i++ {
			id := distinct[i]
			list[i] = sortTerm{id: id, place: uint32(i)}
			if id != dictionary.None && r.x.Terms.Value(id).Kind == dictionary.NoValue {
				t := r.x.Terms.Term(id)
				list[i].kind, list[i].text = t.Kind, t.Value
			}
		}
		return h.Err
	})
}

func (r *sortRun) watch() *vector.Watch { return &vector.Watch{Ended: r.x.Ended} }

func (r *sortRun) compare(a, b sortTerm) int {
	if a.kind != 0 && b.kind != 0 {
		return cmp.Or(-cmp.Compare(a.kind, b.kind), strings.Compare(a.text, b.text))
	}
	return r.Comparer.Compare(a.id, b.id)
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
