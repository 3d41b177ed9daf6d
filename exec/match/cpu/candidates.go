package cpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// scratch is a worker's memory for one step: the candidates found last, and what they were found for.
type scratch struct {
	// last holds the values of the step's deps that lists (and set, when found) belong to.
	last  []dictionary.ID
	valid bool
	// lists are the lists the candidates lie in, the shortest first and cut to the step's range.
	lists  [][]pcsr.Vertex
	lookup []*pcsr.Partition // rows that a dynamic label names
	// set is the candidates before Distinct and EdgeDistinct; counted is their number where only that was asked.
	set               []pcsr.Vertex
	hasSet, hasNumber bool
	number            uint64
	buf, filtered     []pcsr.Vertex
	marks             [2]mark
	// common is what the step's fixed lists have in common; nil where they were not intersected.
	common *staticList
	// partials are, by level, the candidates as far as the lists up to that level, the fixed lists, rows and range
	// go; based says that lists begins with one of them, which base indexes.
	partials []partial
	based    bool
	base     int
	// floor is what the members of lists must not be below, because of Above, and ceiling what they must be below, because of Under; 0 where they
	// are not cut.
	floor, ceiling dictionary.ID

	rowsIn     uint64
	candidates uint64
	rowsOut    uint64
}

// prepare finds the lists of step s for the partial match in w.values. It reports whether they are those of the last
// call; lists are empty where there is no candidate.
func (w *worker) prepare(s *step, c *scratch) (same bool) {
	changed := 0
	if c.valid {
		if changed = w.firstChange(s, c); changed == len(s.deps) {
			return true
		}
	}
	c.valid = true
	c.last = c.last[:0]
	for _, slot := range s.deps {
		c.last = append(c.last, w.values[slot])
	}
	c.hasSet, c.hasNumber = false, false
	c.rowsIn++
	c.based, c.floor, c.ceiling = false, 0, 0
	if s.levels == nil || !w.findOnBase(s, c, changed) {
		w.findLists(s, c)
	}
	if s.cuts {
		c.floor, c.ceiling = w.bounds(s)
	}
	return false
}

// bounds are the smallest number that a candidate may have for the partial match in w.values, because of Above, and what it must be below, because of
// Under: 0 for nothing.
func (w *worker) bounds(s *step) (floor, ceiling dictionary.ID) {
	for _, slot := range s.Above {
		floor = max(floor, w.values[slot]+1)
	}
	for _, slot := range s.Under {
		floor, ceiling = below(floor, ceiling, w.values[slot])
	}
	return floor, ceiling
}

// below are bounds that also keep to what is below a vertex.
func below(floor, ceiling, v dictionary.ID) (dictionary.ID, dictionary.ID) {
	switch {
	case v == 0: // nothing is
		return dictionary.None, ceiling
	case ceiling == 0:
		return floor, v
	}
	return floor, min(ceiling, v)
}

// cut returns the members of a sorted list that are not below the floor, and below the ceiling.
func (c *scratch) cut(list []pcsr.Vertex) []pcsr.Vertex {
	if c.floor > 0 {
		list = list[pcsr.Gallop(list, c.floor):]
	}
	if c.ceiling > 0 {
		list = list[:pcsr.Gallop(list, c.ceiling)]
	}
	return list
}

// source is the shortest list, cut.
func (c *scratch) source() []pcsr.Vertex { return c.cut(c.lists[0]) }

// firstChange returns the place of the first of the step's deps with another value than last time.
func (w *worker) firstChange(s *step, c *scratch) int {
	for i, slot := range s.deps {
		if w.values[slot] != c.last[i] {
			return i
		}
	}
	return len(s.deps)
}

// findLists collects the lists of the candidates. It leaves none where one of them is empty.
func (w *worker) findLists(s *step, c *scratch) {
	c.lists, c.lookup = c.lists[:0], c.lookup[:0]
	if w.addDynamic(s, c, 0, len(s.dynamic)); !c.hasSet {
		w.addFixed(s, c)
	}
}

// addDynamic adds the dynamic lists of levels low … high-1.
func (w *worker) addDynamic(s *step, c *scratch, low, high int) {
	for i := range s.dynamic {
		d := &s.dynamic[i]
		if d.level < low || d.level >= high {
			continue
		}
		if d.kind == bgp.Rows {
			c.lookup = append(c.lookup, w.graph.Partition(w.value(d.label), d.dir))
			continue
		}
		list := w.list(s, d)
		if len(list) == 0 {
			c.none()
			return
		}
		c.addList(list)
	}
	if c.based {
		c.candidates += uint64(len(c.lists[0]))
		w.work += len(c.lists[0]) + 4
	}
}

// addFixed adds the lists that are the same for every partial match, and cuts the shortest list to the range.
func (w *worker) addFixed(s *step, c *scratch) {
	if c.common == nil && s.sharesFixed(c) {
		w.intersectFixed(s, c)
	}
	if c.common != nil {
		c.addList(c.common.list)
	} else {
		for _, l := range s.static {
			c.addList(l.list)
		}
	}
	if len(c.lists) == 0 {
		c.addList(w.readRows(s, c))
	}
	c.lists[0] = pcsr.Between(c.lists[0], s.Low, bound(s.High))
	c.candidates += uint64(len(c.lists[0]))
	w.work += len(c.lists[0]) + 4
	if len(c.lists[0]) == 0 {
		c.none()
	}
}

// sharesFixed reports whether it pays to intersect the step's fixed lists once: the shortest of them would be read now, and is not for
// the first time, or is easily looked up in the next one.
func (s *step) sharesFixed(c *scratch) bool {
	return len(s.static) > 1 && (len(c.lists) == 0 || len(s.static[0].list) <= len(c.lists[0])) &&
		(c.rowsIn > 1 || pcsr.IsDense(s.static[1].list))
}

// intersectFixed finds what the step's fixed lists have in common.
func (w *worker) intersectFixed(s *step, c *scratch) {
	source := pcsr.Between(s.static[0].list, s.Low, bound(s.High))
	w.work += len(source)
	for _, l := range s.static[1:] {
		if len(source) > 0 {
			source = w.intersect(s, c, source, l.list)
		}
	}
	c.common = &staticList{list: slices.Clone(source)}
}

// none notes that there is no candidate.
func (c *scratch) none() {
	c.lists = c.lists[:0]
	c.set, c.hasSet, c.number, c.hasNumber = nil, true, 0, true
}

// addList adds a list, keeping the shortest in front.
func (c *scratch) addList(list []pcsr.Vertex) {
	c.lists = append(c.lists, list)
	if last := len(c.lists) - 1; len(list) < len(c.lists[0]) {
		c.lists[0], c.lists[last] = list, c.lists[0]
	}
}

func bound(high dictionary.ID) dictionary.ID {
	if high == dictionary.None {
		return 0
	}
	return high
}

// list resolves a dynamic list of a step that is stored as one; it may be cut to the step's range.
func (w *worker) list(s *step, d *dynamicList) []pcsr.Vertex {
	if d.cut > 0 {
		return w.cutList(s, d)
	}
	if d.partition != nil {
		return d.partition.Neighbours(w.values[d.from.Slot])
	}
	if d.kind == bgp.EdgeLabels {
		return w.graph.EdgeLabels(w.values[d.from.Slot], d.dir)
	}
	return w.graph.Partition(w.value(d.label), d.dir).Neighbours(w.value(d.from))
}

// readRows lists the row vertices, in the step's range, of the partition that has fewest there, for a step that has no other list.
func (w *worker) readRows(s *step, c *scratch) []pcsr.Vertex {
	var fewest *pcsr.Partition
	var from, to int
	for _, partitions := range [][]*pcsr.Partition{s.rows, c.lookup} {
		for _, p := range partitions {
			first, last := p.RowFrom(s.Low), p.Rows()
			if high := bound(s.High); high != 0 {
				last = max(first, p.RowFrom(high))
			}
			if fewest == nil || last-first < to-from {
				fewest, from, to = p, first, last
			}
		}
	}
	c.buf = c.buf[:0]
	for low := from; low < to && !(low > from && w.run.stop.Load()); low += longList {
		c.buf = fewest.AppendVertices(c.buf, low, min(low+longList, to))
	}
	return c.buf
}

func (w *worker) value(o bgp.Operand) dictionary.ID {
	if o.IsConstant() {
		return o.Constant
	}
	return w.values[o.Slot]
}

// set returns the candidates of step s for the partial match in w.values, before Distinct and EdgeDistinct. It is
// valid until the next call for the same step.
func (w *worker) set(s *step) []pcsr.Vertex {
	c := &w.scratch[s.Index]
	if s.brief {
		if set, ok := w.briefSet(s, c); ok {
			return set
		}
	}
	w.prepare(s, c)
	if !c.hasSet {
		c.set = w.filter(s, c, c.source())
		c.hasSet = true
	}
	if s.IsOrdered() && !s.cuts {
		floor, ceiling := w.bounds(s)
		return pcsr.Between(c.set, floor, ceiling)
	}
	return c.set
}

// filter keeps the members of source that are in all other lists and rows, in none that must not have them, and pass the checks.
func (w *worker) filter(s *step, c *scratch, source []pcsr.Vertex) []pcsr.Vertex {
	source = w.narrow(s, c, source)
	for i := 0; i < len(s.apart) && len(source) > 0; i++ {
		source = w.subtract(c, source, w.apart(&s.apart[i]))
	}
	if len(s.checks) > 0 {
		source = w.keepChecked(s, c, source)
	}
	return source
}

// narrow keeps the members of source that are in all other lists and rows.
func (w *worker) narrow(s *step, c *scratch, source []pcsr.Vertex) []pcsr.Vertex {
	for i := 1; i < len(c.lists) && len(source) > 0; i++ {
		source = w.intersect(s, c, source, c.lists[i])
	}
	if !c.based {
		for _, p := range s.rows {
			source = w.keepRows(c, source, p)
		}
		if s.signatures != nil {
			source = w.keepSigned(s, c, source)
		}
	}
	for _, p := range c.lookup {
		source = w.keepRows(c, source, p)
	}
	return source
}

// longList is from how many members on a list is read in pieces, so that the run can be stopped in between.
const longList = 1 << 16

// inPieces keeps members of a list: keep appends those of a piece of it to dst, which may be the piece's own memory. Of a
// long list whose run was stopped it keeps none.
func (w *worker) inPieces(c *scratch, list []pcsr.Vertex, keep func(dst, piece []pcsr.Vertex) []pcsr.Vertex) []pcsr.Vertex {
	c.buf = grow(c.buf, len(list))
	dst := c.buf[:0]
	for len(list) > 0 {
		if w.run.stop.Load() {
			return nil
		}
		n := min(longList, len(list))
		dst = keep(dst, list[:n])
		list = list[n:]
	}
	return dst
}

// keepRows keeps the members of source that are rows of a partition.
func (w *worker) keepRows(c *scratch, source []pcsr.Vertex, p *pcsr.Partition) []pcsr.Vertex {
	if len(source) > longList {
		return w.inPieces(c, source, p.KeepRows)
	}
	c.buf = grow(c.buf, len(source))
	return p.KeepRows(c.buf[:0], source)
}

// keepSigned keeps the members of source that pass the step's signature.
func (w *worker) keepSigned(s *step, c *scratch, source []pcsr.Vertex) []pcsr.Vertex {
	w.work += len(source)
	if len(source) > longList {
		return w.inPieces(c, source, s.appendSigned)
	}
	c.buf = grow(c.buf, len(source))
	return s.appendSigned(c.buf[:0], source)
}

func (s *step) appendSigned(dst, source []pcsr.Vertex) []pcsr.Vertex {
	n := len(dst)
	dst = dst[:n+len(source)]
	for _, v := range source {
		if s.signatures.Match(v, s.Plan.Signature) {
			dst[n] = v
			n++
		}
	}
	return dst[:n]
}

// keepChecked keeps the members of source that pass the step's checks.
func (w *worker) keepChecked(s *step, c *scratch, source []pcsr.Vertex) []pcsr.Vertex {
	if len(source) > longList {
		return w.inPieces(c, source, func(dst, piece []pcsr.Vertex) []pcsr.Vertex { return w.appendChecked(s, dst, piece) })
	}
	c.buf = grow(c.buf, len(source))
	return w.appendChecked(s, c.buf[:0], source)
}

func (w *worker) appendChecked(s *step, dst, source []pcsr.Vertex) []pcsr.Vertex {
	n := len(dst)
	dst = dst[:n+len(source)]
	for _, v := range source {
		w.values[s.Slot] = v
		ok := true
		for i := range s.checks {
			check := &s.checks[i]
			if ok = w.graph.HasEdge(w.value(check.From), w.value(check.Label), w.value(check.To)) != check.Absent; !ok {
				break
			}
		}
		if ok {
			dst[n] = v
			n++
		}
	}
	return dst[:n]
}

// intersect keeps the members of source that are in other: by a bitmap where other is fixed or comes often, else by
// galloping or merging.
func (w *worker) intersect(s *step, c *scratch, source, other []pcsr.Vertex) []pcsr.Vertex {
	if b := w.bits(s, c, source, other); b != nil {
		c.buf = b.filter(c.buf[:0], source)
		return c.buf
	}
	other = c.cut(other)
	if len(other) > gallopRatio*len(source) {
		w.work += 4 * len(source)
	} else {
		w.work += len(other)
	}
	if len(source) > longList {
		rest := other
		return w.inPieces(c, source, func(dst, piece []pcsr.Vertex) []pcsr.Vertex {
			rest = rest[pcsr.Gallop(rest, piece[0]):]
			return pcsr.Intersect(dst, piece, rest[:pcsr.Gallop(rest, piece[len(piece)-1]+1)])
		})
	}
	c.buf = pcsr.Intersect(c.buf[:0], source, other)
	return c.buf
}

// differs reports whether v passes the step's Distinct and EdgeDistinct.
func (w *worker) differs(s *step, v pcsr.Vertex) bool {
	for _, o := range s.Distinct {
		if w.value(o) == v {
			return false
		}
	}
	if len(s.Plan.EdgeDistinct) == 0 {
		return true
	}
	w.values[s.Slot] = v
	return w.edgesDiffer(s.Plan.EdgeDistinct)
}

func (w *worker) edgesDiffer(pairs [][2]bgp.EdgeCheck) bool {
	for i := range pairs {
		a, b := &pairs[i][0], &pairs[i][1]
		if w.value(a.From) == w.value(b.From) && w.value(a.Label) == w.value(b.Label) && w.value(a.To) == w.value(b.To) {
			return false
		}
	}
	return true
}

// distinctSet returns the step's candidates that pass Distinct and EdgeDistinct too.
func (w *worker) distinctSet(s *step) []pcsr.Vertex {
	set := w.set(s)
	if len(s.Plan.EdgeDistinct) == 0 && !w.anyBound(s, set) {
		return set
	}
	c := &w.scratch[s.Index]
	c.filtered = c.filtered[:0]
	for i, v := range set {
		if i%longList == longList-1 && w.run.stop.Load() {
			break
		}
		if w.differs(s, v) {
			c.filtered = append(c.filtered, v)
		}
	}
	return c.filtered
}

// anyBound reports whether a value that Distinct names is in the set.
func (w *worker) anyBound(s *step, set []pcsr.Vertex) bool {
	for _, o := range s.Distinct {
		if pcsr.Contains(set, w.value(o)) {
			return true
		}
	}
	return false
}
