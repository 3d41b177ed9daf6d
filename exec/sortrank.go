package exec

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// order returns the row numbers in sorted order, as far as somebody reads them: the limit.
func (r *sortRun) order() ([]uint32, error) {
	rows := make([]uint32, r.rows.n)
	if len(rows) == 0 || len(r.keys) == 0 {
		return rows, nil
	}
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows, r.refine(rows, 0, 0)
}

// refine sorts rows, which are equal in the keys before k and begin at position at of the result, by key k on.
func (r *sortRun) refine(rows []uint32, k, at int) error {
	if err := r.x.ctx.Err(); err != nil {
		return context.Cause(r.x.ctx)
	}
	ranks, most := r.ranks(gather(make([]dictionary.ID, 0, len(rows)), r.rows.cols[k], rows), r.descending[k])
	ranks = countingSort(rows, ranks, most)
	if k+1 == len(r.keys) {
		return nil
	}
	for from := 0; from < len(rows) && (r.limit == 0 || uint64(at+from) < r.limit); {
		to := from + 1
		for to < len(rows) && ranks[to] == ranks[from] {
			to++
		}
		if to-from > 1 {
			if err := r.refine(rows[from:to], k+1, at+from); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// countingSort sorts rows by their ranks, which are at most most; rows of one rank keep their order. It returns the
// ranks in the new order.
func countingSort(rows, ranks []uint32, most uint32) []uint32 {
	starts := make([]uint32, most+2)
	for _, rank := range ranks {
		starts[rank+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	sorted, sortedRanks := make([]uint32, len(rows)), make([]uint32, len(rows))
	for i, rank := range ranks {
		at := starts[rank]
		starts[rank]++
		sorted[at], sortedRanks[at] = rows[i], rank
	}
	copy(rows, sorted)
	return sortedRanks
}

// ranks returns for every value its rank among the distinct ones, equal values having equal ranks, and the greatest
// rank. Values are compared once for each distinct term, not for each pair of rows.
func (r *sortRun) ranks(col []dictionary.ID, descending bool) (out []uint32, most uint32) {
	low, high := slices.Min(col), slices.Max(col)
	span := uint64(high) - uint64(low)
	var distinct, table []uint32
	dense := span < 8*uint64(len(col))+1024
	if dense {
		table = make([]uint32, span+1)
		for _, id := range col {
			table[id-low] = 1
		}
		for i, seen := range table {
			if seen != 0 {
				distinct = append(distinct, low+uint32(i))
			}
		}
	} else {
		distinct = slices.Clone(col)
		slices.Sort(distinct)
		distinct = slices.Compact(distinct)
	}
	rankOf, most := r.rankDistinct(distinct)
	if descending {
		for i, rank := range rankOf {
			rankOf[i] = most - rank
		}
	}
	out = make([]uint32, len(col))
	if !dense {
		for i, id := range col {
			at, _ := slices.BinarySearch(distinct, id)
			out[i] = rankOf[at]
		}
		return out, most
	}
	for i, id := range distinct {
		table[id-low] = rankOf[i]
	}
	for i, id := range col {
		out[i] = table[id-low]
	}
	return out, most
}

// sortTerm is a distinct term to be ranked: its place among the distinct IDs and, for an IRI or blank node, its text.
type sortTerm struct {
	id, place uint32
	kind      rdf.Kind
	text      string
}

// rankDistinct ranks distinct IDs, which ascend, and returns the greatest rank too. IRIs and blank nodes are decoded once
// each. What lies between two cuts of the comparer is sorted by itself, so that strings need decoding only to merge it.
func (r *sortRun) rankDistinct(distinct []dictionary.ID) ([]uint32, uint32) {
	list := make([]sortTerm, len(distinct))
	for i, id := range distinct {
		list[i] = sortTerm{id: id, place: uint32(i)}
		if id != dictionary.None && r.x.terms.Value(id).Kind == dictionary.NoValue {
			t := r.x.terms.Term(id)
			list[i].kind, list[i].text = t.Kind, t.Value
		}
	}
	compare := func(a, b sortTerm) int {
		if a.kind != 0 && b.kind != 0 {
			return cmp.Or(-cmp.Compare(a.kind, b.kind), strings.Compare(a.text, b.text))
		}
		return r.comparer.Compare(a.id, b.id)
	}
	var sorted []sortTerm
	take := func(n int) {
		slices.SortFunc(list[:n], compare)
		sorted, list = mergeSorted(sorted, list[:n], compare), list[n:]
	}
	for _, cut := range r.comparer.Cuts() {
		take(sort.Search(len(list), func(i int) bool { return list[i].id >= cut }))
	}
	take(len(list))
	ranks := make([]uint32, len(distinct))
	rank := uint32(0)
	for i, t := range sorted {
		if i > 0 && compare(sorted[i-1], t) != 0 {
			rank++
		}
		ranks[t.place] = rank
	}
	return ranks, rank
}

// mergeSorted merges two sorted lists. It takes some comparisons for each term of the shorter one, not of both.
func mergeSorted(long, short []sortTerm, compare func(a, b sortTerm) int) []sortTerm {
	if len(long) < len(short) {
		long, short = short, long
	}
	if len(short) == 0 {
		return long
	}
	merged := make([]sortTerm, 0, len(long)+len(short))
	for _, t := range short {
		high := 1 // where to look: beyond it only if that comes before t
		for high < len(long) && compare(long[high], t) < 0 {
			high *= 2
		}
		n := sort.Search(min(high, len(long)), func(i int) bool { return compare(long[i], t) >= 0 })
		merged = append(append(merged, long[:n]...), t)
		long = long[n:]
	}
	return append(merged, long...)
}
