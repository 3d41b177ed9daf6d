package pcsr

import "iter"

// rowDifference is what a row of one partition has that it has not in another, and what it has not.
type rowDifference struct {
	v          Vertex
	came, went []uint64 // keys, of which the lower half alone counts
}

// rowDifferences yields the rows in which two partitions differ, ascending. Where they are patches over one ground it takes time
// in proportion to the rows that were touched; else it reads both.
func rowDifferences(from, to *Partition) iter.Seq[rowDifference] {
	if from.ground() == to.ground() {
		return patchDifferences(from, to)
	}
	return listDifferences(from, to)
}

// patchDifferences is rowDifferences of patches over one ground.
func patchDifferences(from, to *Partition) iter.Seq[rowDifference] {
	return func(yield func(rowDifference) bool) {
		difference(from.touchedRows(), to.touchedRows(), func(v Vertex, a, b *touchedRow) bool {
			came, went := entryDifference(from.ground(), v, a, b)
			return len(came)+len(went) == 0 || yield(rowDifference{v, came, went})
		})
	}
}

// touchedRows are the entries of a patch; other partitions have none.
func (p *Partition) touchedRows() tree[touchedRow] {
	if p.layer == Patched {
		return p.patch.rows
	}
	return tree[touchedRow]{}
}

// entryDifference is that of two entries, nil for the ground's row. Of long rows it makes no lists.
func entryDifference(ground *Partition, v Vertex, a, b *touchedRow) (came, went []uint64) {
	if (a == nil || a.long() != nil) && (b == nil || b.long() != nil) {
		var before, after tree[membership]
		if a != nil {
			before = a.long().changes
		}
		if b != nil {
			after = b.long().changes
		}
		return membershipDifference(before, after)
	}
	list := func(t *touchedRow) []Vertex {
		if t == nil {
			return ground.Neighbours(v)
		}
		return t.neighbours()
	}
	return listDifference(list(a), list(b))
}

// membershipDifference is that of lists which differ so from one and the same.
func membershipDifference(before, after tree[membership]) (came, went []uint64) {
	difference(before, after, func(w uint32, a, b *membership) bool {
		switch {
		case a == nil && b.came || b == nil && !a.came:
			came = append(came, uint64(w))
		case a == nil || b == nil:
			went = append(went, uint64(w))
		}
		return true // where both are, they say the same
	})
	return came, went
}

// listDifferences is rowDifferences of any two partitions: the rows of both are merged.
func listDifferences(from, to *Partition) iter.Seq[rowDifference] {
	return func(yield func(rowDifference) bool) {
		next, stop := iter.Pull2(from.Lists())
		defer stop()
		v, list, ok := next()
		gone := func(below uint64) bool { // rows that the second has not
			for ; ok && uint64(v) < below; v, list, ok = next() {
				if _, went := listDifference(list, nil); !yield(rowDifference{v, nil, went}) {
					return false
				}
			}
			return true
		}
		for w, now := range to.Lists() {
			if !gone(uint64(w)) {
				return
			}
			var was []Vertex
			if ok && v == w {
				was = list
				v, list, ok = next()
			}
			if came, went := listDifference(was, now); len(came)+len(went) > 0 && !yield(rowDifference{w, came, went}) {
				return
			}
		}
		gone(1 << 32)
	}
}

// partitionDifference returns the keys of the edges that one partition has and another has not.
func partitionDifference(from, to *Partition) (came, went []uint64) {
	for row := range rowDifferences(from, to) {
		for _, k := range row.came {
			came = append(came, edgeKey(row.v, Vertex(k)))
		}
		for _, k := range row.went {
			went = append(went, edgeKey(row.v, Vertex(k)))
		}
	}
	return came, went
}

// Changed returns how many edges the graph has that the graph which Change began with has not, and how many that one alone has.
func (g *Graph) Changed() (added, removed uint64) {
	if g.live == nil {
		return 0, 0
	}
	return g.live.added, g.live.removed
}

// Changes returns the edges that the graph has and the graph which Change began with has not, and those that that one alone has, by label, from and
// to. A label that was settled is compared whole.
func (g *Graph) Changes() (added, removed iter.Seq[Edge]) {
	return g.changes(func(row *rowDifference) []uint64 { return row.came }), g.changes(func(row *rowDifference) []uint64 { return row.went })
}

func (g *Graph) changes(of func(*rowDifference) []uint64) iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		if g.live == nil {
			return
		}
		g.live.labels.ascend(0, func(l Label, c **changedLabel) bool {
			for row := range rowDifferences(g.live.line.ground.Partition(l, Out), (*c).parts[Out]) {
				for _, k := range of(&row) {
					if !yield(Edge{row.v, l, Vertex(k)}) {
						return false
					}
				}
			}
			return true
		})
	}
}

// Patched reports that Change made the graph: its partitions may be patched ones, whose Arrays have to be made.
func (g *Graph) Patched() bool { return g.live != nil }
