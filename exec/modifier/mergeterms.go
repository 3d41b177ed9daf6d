package modifier

import (
	"sort"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// sortDistinct sorts terms that come in the order of their IDs. What lies between two cuts of the comparer is sorted by itself, in
// parts, so that strings need decoding only to merge it.
func (r *sortRun) sortDistinct(list []sortTerm) error {
	between := r.between(list)
	var parts []int // where each starts
	for i, at := range between[:len(between)-1] {
		for ; at < between[i+1]; at += r.part(len(list)) {
			parts = append(parts, at)
		}
	}
	parts = append(parts, len(list))
	err := r.units(len(parts)-1, func(i int) error { return vector.Sort(list[parts[i]:parts[i+1]], r.compare, r.watch()) })
	if err != nil {
		return err
	}
	for i := range len(between) - 1 {
		first, last := sort.SearchInts(parts, between[i]), sort.SearchInts(parts, between[i+1])
		if err := r.mergeParts(list, parts[first:last+1]); err != nil {
			return err
		}
	}
	return r.mergeParts(list, between)
}

// between returns where the terms between two cuts of the comparer start, and the end.
func (r *sortRun) between(list []sortTerm) []int {
	starts := []int{0}
	for _, cut := range r.Comparer.Cuts() {
		at := sort.Search(len(list), func(i int) bool { return list[i].id >= cut })
		if at > starts[len(starts)-1] && at < len(list) {
			starts = append(starts, at)
		}
	}
	return append(starts, len(list))
}

// mergeParts merges sorted parts of a list, given by their starts and the end of the last one, in pairs until there is one.
func (r *sortRun) mergeParts(list []sortTerm, starts []int) error {
	base := starts[0]
	list = list[base:starts[len(starts)-1]]
	from, to, rounds := list, []sortTerm(nil), 0
	for ; len(starts) > 2 && !r.inOrder(from, starts); rounds++ {
		if to == nil {
			to = make([]sortTerm, len(list))
		}
		var merges []termMerge
		var next []int
		for i := 0; i+1 < len(starts); i += 2 {
			begin, middle, end := starts[i]-base, starts[i+1]-base, starts[min(i+2, len(starts)-1)]-base
			merges = r.splitMerge(merges, termMerge{from[begin:middle], from[middle:end], to[begin:end]}, len(list))
			next = append(next, starts[i])
		}
		if err := r.units(len(merges), func(i int) error { return r.mergeSorted(merges[i]) }); err != nil {
			return err
		}
		starts = append(next, starts[len(starts)-1])
		from, to = to, from
	}
	if rounds%2 == 0 {
		return nil
	}
	return r.each(len(list), func(_, begin, end int) error { copy(list[begin:end], from[begin:end]); return nil })
}

// inOrder reports whether no part has a term that comes before one of the part before it.
func (r *sortRun) inOrder(list []sortTerm, starts []int) bool {
	for _, at := range starts[1 : len(starts)-1] {
		if at -= starts[0]; r.compare(list[at-1], list[at]) > 0 {
			return false
		}
	}
	return true
}

// termMerge is two sorted lists, and where they go as one.
type termMerge struct{ a, b, to []sortTerm }

// mergesEach is how many pieces there are of merges, for each goroutine.
const mergesEach = 8

// splitMerge appends pieces of a merge that can be made by themselves; all merges of a round have so many terms.
func (r *sortRun) splitMerge(pieces []termMerge, m termMerge, all int) []termMerge {
	if len(m.a) < len(m.b) {
		m.a, m.b = m.b, m.a
	}
	size := len(m.to)
	if r.shares(all) {
		size = max(r.x.Tuning.ChunkRows, all/(mergesEach*r.x.Copies()))
	}
	for len(m.a) > size {
		n := sort.Search(len(m.b), func(i int) bool { return r.compare(m.b[i], m.a[size]) >= 0 })
		pieces = append(pieces, termMerge{m.a[:size], m.b[:n], m.to[:size+n]})
		m = termMerge{m.a[size:], m.b[n:], m.to[size+n:]}
	}
	return append(pieces, m)
}

// mergeSorted merges two sorted lists. It takes some comparisons for each term of the shorter one, not of both.
func (r *sortRun) mergeSorted(m termMerge) error {
	long, short, merged, h := m.a, m.b, m.to[:0], r.watch()
	if len(long) < len(short) {
		long, short = short, long
	}
	for _, t := range short {
		if h.Over() {
			return h.Err
		}
		high := 1 // where to look: beyond it only if that comes before t
		for high < len(long) && r.compare(long[high], t) < 0 {
			high *= 2
		}
		n := sort.Search(min(high, len(long)), func(i int) bool { return r.compare(long[i], t) >= 0 })
		merged = append(append(merged, long[:n]...), t)
		long = long[n:]
	}
	_ = append(merged, long...)
	return nil
}
