package pcsr

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// Segment is what was added to a graph later, and what was removed from it.
type Segment struct {
	// Added has no edge that is in the union of the segments below less Removed.
	Added *Graph
	// Removed has edges that are in the union of the segments below; nil for none.
	Removed *Graph
}

// Overlay returns the union of graphs over one growing ID space of the given size: a large graph and small ones that
// were added to it later, and taken from it. Each graph's own ID space is at most as large, and a label that one
// of them uses may be any vertex: Labels is an upper bound, UsedLabels the list. The type label is that of the first
// graph that has one. The union takes the graphs over: its Close closes them.
//
// Making it takes time in the number of labels. A partition that only one graph has is that one. Another is made the first time
// that it is asked for: where what was added and removed is little, as a Patched one of the largest, in time in proportion to that; else
// it is merged in memory, at about the speed of a copy. So are label sets; signatures stay those of the largest graph.
func Overlay(vertices int, segments ...Segment) *Graph {
	union := unite(vertices, true, segments)
	union.listed = len(segments) > 0
	for _, l := range segments {
		union.listed = union.listed && l.Added.listed
		union.owned = append(union.owned, l.Added)
		if l.Removed != nil {
			union.owned = append(union.owned, l.Removed)
		}
	}
	return union
}

// overlay is what a Graph has that is the union of others.
type overlay struct {
	segments []Segment // with edges; what lies below comes first
	disjoint bool      // no edge is in two of them, unless it was removed in between
	base     int       // the segment with the largest graph
	removed  []Label   // of which edges were removed, ascending
	parts    [][2]lazy[Partition]
	bytes    atomic.Int64 // of the partitions that were merged
	sets     [2]unionSets
	table    lazy[SignatureTable]
	// leastPatched and patchShare say what is presented as a Patched partition: the largest part has so many edges, and all others together
	// no more than a share of that.
	leastPatched, patchShare int
}

// unite makes the union of segments.
func unite(vertices int, disjoint bool, segments []Segment) *Graph {
	u := &Graph{vertices: vertices, facts: newFacts()}
	o := &overlay{disjoint: disjoint, leastPatched: leastSettled, patchShare: settleShare}
	for _, l := range segments {
		g := l.Added
		u.vertices, u.labels = max(u.vertices, g.vertices), max(u.labels, g.labels)
		if g.hasType && !u.hasType {
			u.hasType, u.typeLabel = true, g.typeLabel
		}
		if l.Removed != nil && len(l.Removed.UsedLabels()) == 0 {
			l.Removed = nil
		}
		if len(g.UsedLabels()) > 0 || l.Removed != nil {
			o.segments = append(o.segments, l)
		}
	}
	if len(o.segments) == 1 {
		if g := o.segments[0].Added; g.hasType == u.hasType && g.typeLabel == u.typeLabel {
			return g.alias(u.vertices, u.labels)
		}
	}
	if len(o.segments) == 0 {
		u.derive(settings{})
		return u
	}
	o.count(u)
	u.over = o
	return u
}

// count finds the labels in use, the number of edges and the largest graph.
func (o *overlay) count(u *Graph) {
	for i, l := range o.segments {
		u.used = append(u.used, l.Added.UsedLabels()...)
		u.edges += l.Added.edges
		if l.Removed != nil {
			o.removed = append(o.removed, l.Removed.UsedLabels()...)
			u.edges -= l.Removed.edges
		}
		if l.Added.edges > o.segments[o.base].Added.edges {
			o.base = i
		}
	}
	o.removed, u.used = sortLabels(o.removed), sortLabels(u.used)
	u.used = slices.DeleteFunc(u.used, func(l Label) bool { return o.hasRemoved(l) && o.labelEdges(l) == 0 })
	u.slots = slotsOf(u.used)
	o.parts = make([][2]lazy[Partition], len(u.used))
}

func sortLabels(labels []Label) []Label {
	slices.Sort(labels)
	return slices.Compact(labels)
}

// hasRemoved reports whether edges of a label were removed.
func (o *overlay) hasRemoved(l Label) bool {
	_, found := slices.BinarySearch(o.removed, l)
	return found
}

// labelEdges is the number of edges of a label where no edge is in two segments.
func (o *overlay) labelEdges(l Label) int {
	n := 0
	for _, segment := range o.segments {
		n += segment.Added.LabelEdges(l)
		if segment.Removed != nil {
			n -= segment.Removed.LabelEdges(l)
		}
	}
	return n
}

// largest is the graph with most edges, whose label sets and signatures are used.
func (o *overlay) largest() *Graph { return o.segments[o.base].Added }

// others are the graphs of what was added, but the largest.
func (o *overlay) others() []*Graph {
	var others []*Graph
	for i, l := range o.segments {
		if i != o.base {
			others = append(others, l.Added)
		}
	}
	return others
}

// closeOwned closes the graphs that a union took over.
func (g *Graph) closeOwned() error {
	var errs []error
	for _, part := range g.owned {
		errs = append(errs, part.Close())
	}
	return errors.Join(errs...)
}

// lazy is a part of a union that is made when it is first asked for.
type lazy[T any] struct {
	made atomic.Pointer[T] // nil before
	mu   sync.Mutex
}

// get returns the part, calling do for it the first time. Where do panics, the next call tries again. Whoever asks
// often loads made first.
func (l *lazy[T]) get(do func() *T) *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	made := l.made.Load()
	if made == nil {
		made = do()
		l.made.Store(made)
	}
	return made
}

// partition is the union of the segments' partitions of a label.
func (o *overlay) partition(slot uint32, l Label, d Direction) *Partition {
	p := &o.parts[slot][d&1]
	if made := p.made.Load(); made != nil {
		return made
	}
	return p.get(func() *Partition { return o.unite(o.split(l, d)) })
}

// segmentPart is what a segment has of a partition; removed may be nil.
type segmentPart struct{ added, removed *Partition }

// split returns what the segments have of a partition, those that have any. Where nothing was removed, the largest comes first.
func (o *overlay) split(l Label, d Direction) (parts []segmentPart) {
	for _, segment := range o.segments {
		part := segmentPart{added: segment.Added.Partition(l, d)}
		if segment.Removed != nil && segment.Removed.HasLabel(l) && len(parts) > 0 {
			part.removed = segment.Removed.Partition(l, d)
		}
		if part.added.rows > 0 || part.removed != nil {
			parts = append(parts, part)
		}
	}
	if !o.hasRemoved(l) {
		slices.SortStableFunc(parts, func(a, b segmentPart) int { return cmp.Compare(b.added.Edges(), a.added.Edges()) })
	}
	return parts
}

// unite makes one partition of parts.
func (o *overlay) unite(parts []segmentPart) *Partition {
	switch {
	case len(parts) == 0:
		return &emptyPartition // a damaged file
	case len(parts) == 1:
		return parts[0].added
	}
	if o.isPatch(parts) {
		union := parts[0].added
		for _, p := range parts[1:] {
			union = union.change(&patchEdit{}, p.added.keys(), p.removed.keys(), &o.bytes)
		}
		o.bytes.Add(int64(union.touchedBytes()))
		return union
	}
	union := mergeSegments(parts)
	o.bytes.Add(union.memory())
	return union
}

// isPatch reports whether the first of the parts is much larger than all others.
func (o *overlay) isPatch(parts []segmentPart) bool {
	large, small := parts[0].added.Edges(), 0
	for _, p := range parts[1:] {
		small += p.added.Edges()
		if p.removed != nil {
			small += p.removed.Edges()
		}
	}
	return large >= o.leastPatched && small <= large/o.patchShare
}

// keys are the edges of a partition as row vertex<<32 | neighbour, ascending; none of nil.
func (p *Partition) keys() []uint64 {
	if p == nil {
		return nil
	}
	keys := make([]uint64, 0, p.Edges())
	for v, list := range p.Lists() {
		for _, w := range list {
			keys = append(keys, edgeKey(v, w))
		}
	}
	return keys
}

// made is the partition of a label if the whole of it is in one place already, or else nil.
func (o *overlay) made(slot uint32, d Direction) *Partition { return o.parts[slot][d&1].made.Load() }

// hasEdge is Graph.HasEdge. It looks into the segments where the partition has not been made.
func (o *overlay) hasEdge(u *Graph, from Vertex, l Label, to Vertex) bool {
	slot := u.slot(l)
	if slot == noSlot {
		return false
	}
	if out := o.made(slot, Out); out != nil {
		if in := o.made(slot, In); in != nil && out.degreeOf(from) > longList && in.degreeOf(to) < out.degreeOf(from) {
			return in.contains(to, from)
		}
		return out.contains(from, to)
	}
	return hasEdgeIn(o.segments, from, l, to)
}

// hasEdgeIn reports whether the union of some segments has an edge.
func hasEdgeIn(segments []Segment, from Vertex, l Label, to Vertex) bool {
	for _, segment := range slices.Backward(segments) {
		if segment.Added.HasEdge(from, l, to) {
			return true
		}
		if segment.Removed != nil && segment.Removed.HasEdge(from, l, to) {
			return false
		}
	}
	return false
}

// countEdges is the number of edges.
func (o *overlay) countEdges(u *Graph) uint64 {
	if o.disjoint {
		return u.edges
	}
	edges := uint64(0)
	for _, l := range u.used {
		edges += uint64(u.Partition(l, Out).Edges())
	}
	return edges
}

// neighbours is Graph.Neighbours.
func (o *overlay) neighbours(u *Graph, v Vertex, l Label, d Direction) []Vertex {
	slot := u.slot(l)
	if slot == noSlot {
		return nil
	}
	if p := o.made(slot, d); p != nil {
		return p.Neighbours(v)
	}
	list, ok := neighboursIn(o.segments, v, l, d, shortMerge)
	if !ok {
		return u.Partition(l, d).Neighbours(v)
	}
	return list
}

// shortMerge is the length up to which the list of a vertex alone is merged.
const shortMerge = 1 << 10

// neighboursIn is the list of a vertex in the union of some segments, unless more than a number of members are to be merged.
func neighboursIn(segments []Segment, v Vertex, l Label, d Direction, most int) (list []Vertex, ok bool) {
	for _, segment := range segments {
		var gone []Vertex
		if segment.Removed != nil && len(list) > 0 {
			gone = segment.Removed.Neighbours(v, l, d)
		}
		more := segment.Added.Neighbours(v, l, d)
		switch {
		case len(more)+len(gone) == 0:
		case len(list) == 0:
			list = more
		case len(list)+len(more)+len(gone) > most:
			return nil, false
		default:
			list = mergedLists(withoutMembers(list, gone), more)
		}
	}
	if len(list) == 0 {
		return nil, true
	}
	return list, true
}

// mergedLists is the union of two ascending lists.
func mergedLists(a, b []Vertex) []Vertex {
	merged := make([]Vertex, len(a)+len(b)-countCommon(a, b))
	mergeLists(merged, a, b)
	return merged
}

// withoutMembers is an ascending list without the members of another.
func withoutMembers(list, gone []Vertex) []Vertex {
	if len(gone) == 0 {
		return list
	}
	left := make([]Vertex, 0, len(list))
	for _, w := range gone {
		n := Gallop(list, w)
		left, list = append(left, list[:n]...), list[n:]
		if len(list) > 0 && list[0] == w {
			list = list[1:]
		}
	}
	return append(left, list...)
}

// MergedBytes is about how much memory the partitions take that a union of graphs has merged so far, and what was
// changed, beside the graphs' mapped files; 0 for a graph that is no union and was never changed.
func (g *Graph) MergedBytes() int64 {
	switch {
	case g.over != nil:
		return g.over.bytes.Load()
	case g.live != nil:
		return g.live.line.ground.MergedBytes() + g.live.memory()
	}
	return 0
}

// touchedBytes is about what a Patched partition takes beside its ground.
func (p *Partition) touchedBytes() int {
	if p.layer == Patched {
		return p.patch.bytes
	}
	return 0
}

// memory is the bytes of a partition's arrays.
func (p *Partition) memory() int64 {
	return 4 * int64(len(p.index)+len(p.vertices)+len(p.offsets)+len(p.neighbours))
}
