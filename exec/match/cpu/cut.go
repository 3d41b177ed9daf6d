package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// cut names lists of which a run reads a part: those of the vertices first … end-1 by a label, and of each the members low … high-1 (high 0: no
// bound), those of one class. Such a part is a few members of a list that is far away, and is read again with every vertex that the other lists of a
// step come from: a worker finds it once, and keeps a copy. What it keeps is the graph of candidates that other matchers make beforehand
// (RapidMatch, EGSM), as far as it is reached.
type cut struct {
	label      dictionary.ID
	dir        pcsr.Direction
	first, end pcsr.Vertex
	low, high  pcsr.Vertex
}

const (
	// The tables of a worker have up to mostCuts entries together, and the copies up to mostCutMembers members; longCut is the longest that is copied.
	mostCuts, mostCutMembers, longCut = 1 << 17, 1 << 18, 128
	// cutSpan is how many entries a table may have for each list that was asked for before it is made: so many are cleared in the time of one search.
	cutSpan = 64
	// A table is completed when so much as 1/wholeShare of its parts were looked for.
	wholeShare = 4
)

// findCuts names the parts of lists that the steps read.
func (p *program) findCuts() {
	for _, s := range p.steps {
		if s.Low == 0 && s.High == dictionary.None {
			continue
		}
		for i := range s.dynamic {
			if d := &s.dynamic[i]; d.partition != nil && !d.from.IsConstant() {
				p.findCut(s, d)
			}
		}
		s.brief = s.isBrief()
	}
}

func (p *program) findCut(s *step, d *dynamicList) {
	for _, from := range p.steps {
		if from.Slot != d.from.Slot {
			continue
		}
		first, end := from.extent()
		if first >= end || end == dictionary.None || end-first > mostCuts {
			return
		}
		c := cut{label: d.label.Constant, dir: d.dir, first: first, end: end, low: s.Low, high: bound(s.High)}
		for i := range p.cuts {
			if p.cuts[i] == c {
				d.cut, d.first = i+1, first
				return
			}
		}
		p.cuts = append(p.cuts, c)
		d.cut, d.first = len(p.cuts), first
	}
}

// extent is what lies between the candidates of a step: first … end-1.
func (s *step) extent() (first, end pcsr.Vertex) {
	first, end = s.Low, s.High
	for _, l := range s.static {
		if n := len(l.list); n > 0 && l.list[n-1] < dictionary.None {
			first, end = max(first, l.list[0]), min(end, l.list[n-1]+1)
		}
	}
	return first, end
}

// cutTable is the parts of lists that a worker has found: where in its room they are, by the vertex less the first one.
type cutTable struct {
	entries []cutEntry
	// whole: all parts have been looked for.
	whole bool
	// asked is how many parts were looked for.
	asked int
}

// cutEntry is members first … after-2 of the room; after is 0 where they have not been looked for, or are too many.
type cutEntry struct{ first, after uint32 }

// renewCuts makes the tables of a run's cuts ready for it.
func (w *worker) renewCuts(n int) {
	w.cuts = extend(w.cuts, n)
	clear(w.cuts)
	w.cutEntries, w.cutRoom = w.cutEntries[:0], w.cutRoom[:0]
}

// cutList is the part of a list that the step reads.
func (w *worker) cutList(s *step, d *dynamicList) []pcsr.Vertex {
	v := w.values[d.from.Slot]
	t := &w.cuts[d.cut-1]
	if i := int(v) - int(d.first); uint(i) < uint(len(t.entries)) {
		if e := t.entries[i]; e.after > 0 {
			return w.cutRoom[e.first : e.after-1 : e.after-1]
		}
	}
	return w.findPart(s, d, v)
}

// findPart looks for the part of a list, and keeps it where the table has a place.
func (w *worker) findPart(s *step, d *dynamicList, v pcsr.Vertex) []pcsr.Vertex {
	t := &w.cuts[d.cut-1]
	list := pcsr.Between(d.partition.Neighbours(v), s.Low, bound(s.High))
	if t.asked++; t.whole {
		return list
	}
	switch c := &w.join.cuts[d.cut-1]; {
	case len(t.entries) == 0:
		w.begin(t, c)
	case t.asked*wholeShare >= len(t.entries):
		w.complete(t, c, s, d)
		return list
	}
	if i := int(v) - int(d.first); uint(i) < uint(len(t.entries)) {
		w.keepPart(t, i, list)
	}
	return list
}

// begin makes a table once it has been asked for often enough.
func (w *worker) begin(t *cutTable, c *cut) {
	n := int(c.end - c.first)
	if t.asked < w.tuning.cutFrom || t.asked*cutSpan < n || len(w.cutEntries)+n > mostCuts {
		return
	}
	first := len(w.cutEntries)
	w.cutEntries = slices.Grow(w.cutEntries, n)[:first+n] // tables that have begun keep the entries that they have
	t.entries = w.cutEntries[first:]
	clear(t.entries)
}

// keepPart keeps the part of place i, if there is room.
func (w *worker) keepPart(t *cutTable, i int, list []pcsr.Vertex) {
	if len(list) > longCut || len(w.cutRoom)+len(list) > mostCutMembers {
		return
	}
	t.entries[i] = cutEntry{uint32(len(w.cutRoom)), uint32(len(w.cutRoom) + len(list) + 1)}
	w.cutRoom = append(w.cutRoom, list...)
}

// complete looks for all parts that a table has not, from one vertex to the next, which is what lies in memory in this order.
func (w *worker) complete(t *cutTable, c *cut, s *step, d *dynamicList) {
	for i := range t.entries {
		if t.entries[i].after == 0 {
			w.keepPart(t, i, pcsr.Between(d.partition.Neighbours(c.first+pcsr.Vertex(i)), s.Low, bound(s.High)))
		}
	}
	t.whole = true
}

// isBrief reports whether the step's candidates are what cut lists have in common, before Distinct, EdgeDistinct and the order.
func (s *step) isBrief() bool {
	if s.tests() || len(s.dynamic) == 0 || len(s.static)+len(s.apart)+len(s.checks) > 0 {
		return false
	}
	for i := range s.dynamic {
		if s.dynamic[i].cut == 0 {
			return false
		}
	}
	return true
}

// briefLists finds the cut lists of a step, as far as the order of the partial match in w.values wants their members, the shortest first: none where one
// is empty. It reports whether they are short: then they are merged without a thought, and nothing is kept of it.
func (w *worker) briefLists(s *step, c *scratch) (lists [][]pcsr.Vertex, short bool) {
	c.lists, c.valid, c.based = c.lists[:0], false, false
	floor, ceiling := dictionary.ID(0), dictionary.ID(0)
	if s.IsOrdered() {
		floor, ceiling = w.bounds(s)
	}
	for i := range s.dynamic {
		list := w.cutList(s, &s.dynamic[i])
		if floor|ceiling > 0 {
			list = pcsr.Between(list, floor, ceiling)
		}
		if len(list) == 0 {
			c.rowsIn++
			return nil, true
		}
		if len(list) > longPair && len(s.dynamic) > 1 {
			return nil, false
		}
		c.addList(list)
	}
	w.work += len(c.lists[0]) + bgp.SearchPrice
	c.rowsIn++
	c.candidates += uint64(len(c.lists[0]))
	return c.lists, true
}

// briefSet is set for a step of short lists; false where they are not.
func (w *worker) briefSet(s *step, c *scratch) (set []pcsr.Vertex, ok bool) {
	lists, short := w.briefLists(s, c)
	if len(lists) == 0 {
		return nil, short
	}
	set = lists[0]
	for _, other := range lists[1:] {
		c.buf = pcsr.Intersect(c.buf[:0], set, other)
		set = c.buf
	}
	return set, true
}

// countBrief is countLeaf for a step of short lists; false where they are not.
func (w *worker) countBrief(s *step) (n uint64, ok bool) {
	c := &w.scratch[s.Index]
	lists, short := w.briefLists(s, c)
	switch len(lists) {
	case 0:
		return 0, short
	case 1:
		n = uint64(len(lists[0]))
	default:
		last := len(lists) - 1
		set := lists[0]
		for _, other := range lists[1:last] {
			c.buf = pcsr.Intersect(c.buf[:0], set, other)
			set = c.buf
		}
		n = countMerged(set, lists[last])
	}
	if n > 0 && len(s.Distinct) > 0 {
		n -= w.countBound(s, c)
	}
	return n, true
}
