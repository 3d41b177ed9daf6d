package cpu

import "slices"

// farFinder finds the vertices that have neighbours in common with a root (match.DenseFar).
type farFinder struct {
	// counts is, by row, how many neighbours it has in common with the root, and while places are written one more than where its next one goes.
	counts []uint32
	found  []uint32 // rows
	// places[ends[i-1]:ends[i]] are those of the common neighbours of the i-th found among the root's.
	places, ends []uint32
	// row is the far vertex that is bound.
	row uint32
	// at is its place among the root's neighbours, or that of the last before it; is says whether it is one.
	at int
	is bool
}

// farBytes is what a worker needs besides what all do.
func (d *dense) farBytes() int64 { return 12*int64(len(d.starts)) + 4*int64(d.mostPaths) }

func (f *farFinder) make(d *dense) {
	f.counts = make([]uint32, len(d.starts)-1)
	f.places = make([]uint32, d.mostPaths)
}

// countPaths is how many paths of two edges begin at a root.
func (d *dense) countPaths(row int) (n int) {
	for _, middle := range d.root(row) {
		n += int(d.offsets[middle+1] - d.offsets[middle])
	}
	return n
}

// eachFar binds the first level to each vertex that may be far from a root, and then the others.
func (w *denseWorker) eachFar(root int, list []uint32) {
	f := &w.far
	w.findFar(root, list)
	if w.Outer {
		w.meetRows(list, false)
		defer w.meetRows(list, true)
	}
	set := w.rows[(w.size+1)*w.words : (w.size+2)*w.words]
	w.bound[0] = w.size + 1
	first := uint32(0)
	for i, row := range f.found {
		common := f.places[first:f.ends[i]]
		first = f.ends[i]
		if w.stop.Load() {
			continue
		}
		for _, at := range common {
			set[at>>6] |= 1 << (at & 63)
		}
		f.row, f.at, f.is = row, int(w.place[row])-1, w.place[row] > 0
		if !f.is {
			at, _ := slices.BinarySearch(list, row)
			f.at = at - 1
		}
		w.enumerate(1)
		for _, at := range common {
			set[at>>6] = 0
		}
	}
}

// findFar finds the vertices that may be far from a root.
func (w *denseWorker) findFar(root int, list []uint32) {
	f := &w.far
	f.found, f.ends = f.found[:0], f.ends[:0]
	for _, middle := range list {
		if w.stop.Load() {
			break
		}
		for _, row := range w.lists[w.offsets[middle]:w.offsets[middle+1]] {
			if f.counts[row] == 0 {
				f.found = append(f.found, row)
			}
			f.counts[row]++
		}
	}
	kept, end := f.found[:0], uint32(0)
	for _, row := range f.found {
		n := f.counts[row]
		if f.counts[row] = 0; int(n) >= w.Far.Common && w.mayBeFar(root, row) {
			f.counts[row] = end + 1
			end += n
			kept, f.ends = append(kept, row), append(f.ends, end)
		}
	}
	f.found = kept
	for i, middle := range list {
		if w.stop.Load() {
			break
		}
		for _, row := range w.lists[w.offsets[middle]:w.offsets[middle+1]] {
			if at := f.counts[row]; at > 0 {
				f.places[at-1] = uint32(i)
				f.counts[row] = at + 1
			}
		}
	}
	for _, row := range f.found {
		f.counts[row] = 0
	}
}

// mayBeFar reports whether a vertex that has enough neighbours in common with a root may be the far one.
func (w *denseWorker) mayBeFar(root int, row uint32) bool {
	if w.Far.Absent && w.place[row] > 0 || w.Far.Apart && int(row) == root {
		return false
	}
	return !w.Levels[0].Upper || w.leadsUp(root, int(row)) != w.Outer
}

// leadsUp reports whether a vertex is above another.
func (d *dense) leadsUp(from, to int) bool {
	n, m := d.offsets[from+1]-d.offsets[from], d.offsets[to+1]-d.offsets[to]
	return m > n || m == n && to > from
}
