package modifier

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// order returns the row numbers in sorted order, as far as somebody reads them: the limit.
func (r *sortRun) order() ([]uint32, error) {
	rows := make([]uint32, r.rows.N)
	if len(rows) == 0 || len(r.Keys) == 0 {
		return rows, nil
	}
	for i := range rows {
		rows[i] = uint32(i)
	}
	if err := r.refine(rows, 0, 0); err != nil {
		return nil, err
	}
	return rows, nil
}

// refine sorts rows, which are equal in the keys before k and begin at position at of the result, by key k on.
func (r *sortRun) refine(rows []uint32, k, at int) error {
	if err := r.x.Ended(); err != nil {
		return err
	}
	keys, err := r.gathered(r.rows.Cols[k], rows)
	if err != nil {
		return err
	}
	ranks, most, err := r.ranks(keys, r.Descending[k])
	if err != nil {
		return err
	}
	if ranks, err = r.countingSort(rows, ranks, most); err != nil {
		return err
	}
	if k+1 == len(r.Keys) {
		return nil
	}
	for from := 0; from < len(rows) && (r.Limit == 0 || uint64(at+from) < r.Limit); {
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

// gathered is gather for many rows.
func (r *sortRun) gathered(col []dictionary.ID, rows []uint32) ([]dictionary.ID, error) {
	out := make([]dictionary.ID, 0, len(rows))
	for part := range slices.Chunk(rows, limits.CheckEvery) {
		if err := r.x.Ended(); err != nil {
			return nil, err
		}
		out = vector.Gather(out, col, part)
	}
	return out, nil
}

// countingSort sorts rows by their ranks, which are at most most; rows of one rank keep their order. It returns the
// ranks in the new order.
func (r *sortRun) countingSort(rows, ranks []uint32, most uint32) ([]uint32, error) {
	starts := make([]uint32, most+2)
	for i, rank := range ranks {
		if err := r.x.Ended.Check(i); err != nil {
			return nil, err
		}
		starts[rank+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	sorted, sortedRanks := make([]uint32, len(rows)), make([]uint32, len(rows))
	for i, rank := range ranks {
		if err := r.x.Ended.Check(i); err != nil {
			return nil, err
		}
		at := starts[rank]
		starts[rank]++
		sorted[at], sortedRanks[at] = rows[i], rank
	}
	copy(rows, sorted)
	return sortedRanks, nil
}

// ranks returns for every value its rank among the distinct ones, equal values having equal ranks, and the greatest
// rank. Values are compared once for each distinct term, not for each pair of rows.
func (r *sortRun) ranks(col []dictionary.ID, descending bool) (out []uint32, most uint32, err error) {
	low, high := slices.Min(col), slices.Max(col)
	span := uint64(high) - uint64(low)
	if span >= 8*uint64(len(col))+1024 {
		return r.sparseRanks(col, descending)
	}
	table := make([]uint32, span+1)
	for i, id := range col {
		if err := r.x.Ended.Check(i); err != nil {
			return nil, 0, err
		}
		table[id-low] = 1
	}
	var distinct []uint32
	for i, seen := range table {
		if seen != 0 {
			distinct = append(distinct, low+uint32(i))
		}
	}
	rankOf, most, err := r.rankDistinct(distinct, descending)
	if err != nil {
		return nil, 0, err
	}
	for i, id := range distinct {
		table[id-low] = rankOf[i]
	}
	out = make([]uint32, len(col))
	for i, id := range col {
		if err := r.x.Ended.Check(i); err != nil {
			return nil, 0, err
		}
		out[i] = table[id-low]
	}
	return out, most, nil
}

// sparseRanks is ranks for values that are far apart.
func (r *sortRun) sparseRanks(col []dictionary.ID, descending bool) (out []uint32, most uint32, err error) {
	distinct := slices.Clone(col)
	if err := vector.SortIDs(distinct, r.x.Ended); err != nil {
		return nil, 0, err
	}
	distinct = slices.Compact(distinct)
	rankOf, most, err := r.rankDistinct(distinct, descending)
	if err != nil {
		return nil, 0, err
	}
	out = make([]uint32, len(col))
	for i, id := range col {
		if err := r.x.Ended.Check(i); err != nil {
			return nil, 0, err
		}
		at, _ := slices.BinarySearch(distinct, id)
		out[i] = rankOf[at]
	}
	return out, most, nil
}

// sortTerm is a distinct term to be ranked: its place among the distinct IDs and, for an IRI or blank node, its text.
type sortTerm struct {
	id, place uint32
	kind      rdf.Kind
	text      string
}

// rankDistinct ranks distinct IDs, which ascend, and returns the greatest rank too. (In descending order the first rank is that
// of the last value.) IRIs and blank nodes are decoded once
// each. What lies between two cuts of the comparer is sorted by itself, so that strings need decoding only to merge it.
func (r *sortRun) rankDistinct(distinct []dictionary.ID, descending bool) ([]uint32, uint32, error) {
	list, err := r.sortTerms(distinct)
	if err != nil {
		return nil, 0, err
	}
	compare := func(a, b sortTerm) int {
		if a.kind != 0 && b.kind != 0 {
			return cmp.Or(-cmp.Compare(a.kind, b.kind), strings.Compare(a.text, b.text))
		}
		return r.Comparer.Compare(a.id, b.id)
	}
	h := &vector.Watch{Ended: r.x.Ended}
	var sorted []sortTerm
	take := func(n int) {
		if h.Err == nil && vector.Sort(list[:n], compare, h) == nil {
			sorted, list = mergeSorted(sorted, list[:n], compare, h), list[n:]
		}
	}
	for _, cut := range r.Comparer.Cuts() {
		take(sort.Search(len(list), func(i int) bool { return list[i].id >= cut }))
	}
	if take(len(list)); h.Err != nil {
		return nil, 0, h.Err
	}
	ranks := make([]uint32, len(distinct))
	rank := uint32(0)
	for i, t := range sorted {
		if i > 0 && compare(sorted[i-1], t) != 0 {
			rank++
		}
		if ranks[t.place] = rank; h.Over() {
			return nil, 0, h.Err
		}
	}
	if descending {
		for i := range ranks {
			ranks[i] = rank - ranks[i]
		}
	}
	return ranks, rank, nil
}

// sortTerms decodes what has to be decoded to be sorted.
func (r *sortRun) sortTerms(distinct []dictionary.ID) ([]sortTerm, error) {
	list := make([]sortTerm, len(distinct))
	for i, id := range distinct {
		if i%vector.WatchEvery == 0 {
			if err := r.x.Ended(); err != nil {
				return nil, err
			}
		}
		list[i] = sortTerm{id: id, place: uint32(i)}
		if id != dictionary.None && r.x.Terms.Value(id).Kind == dictionary.NoValue {
			t := r.x.Terms.Term(id)
			list[i].kind, list[i].text = t.Kind, t.Value
		}
	}
	return list, nil
}

// mergeSorted merges two sorted lists. It takes some comparisons for each term of the shorter one, not of both.
func mergeSorted(long, short []sortTerm, compare func(a, b sortTerm) int, h *vector.Watch) []sortTerm {
	if len(long) < len(short) {
		long, short = short, long
	}
	if len(short) == 0 {
		return long
	}
	merged := make([]sortTerm, 0, len(long)+len(short))
	for _, t := range short {
		if h.Over() {
			return long
		}
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
