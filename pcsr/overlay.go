package pcsr

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// Overlay returns the union of graphs over one growing ID space of the given size: a large graph and small ones that
// were added to it later. No edge is in two of them, each graph's own ID space is at most as large, and a label that one
// of them uses may be any vertex: Labels is an upper bound, UsedLabels the list. The type label is that of the first
// graph that has one. The union takes the graphs over: its Close closes them.
//
// Making it takes time in the number of labels. A partition that only one graph has is that one; another is merged in
// memory, at about the speed of a copy, the first time that it is asked for. So are label sets and signatures.
func Overlay(vertices int, graphs ...*Graph) *Graph {
	union := unite(vertices, true, graphs)
	union.owned = slices.Clone(graphs)
	return union
}

// overlay is what a Graph has that is the union of others.
type overlay struct {
	graphs   []*Graph // two or more, with edges; the largest first
	disjoint bool     // no edge is in two of them
	parts    [][2]lazy[Partition]
	bytes    atomic.Int64 // of the partitions that were merged
	sets     [2]unionSets
	table    lazy[SignatureTable]
}

// unite makes the union of graphs.
func unite(vertices int, disjoint bool, graphs []*Graph) *Graph {
	u := &Graph{vertices: vertices, facts: newFacts()}
	var filled []*Graph
	for _, g := range graphs {
		u.vertices, u.labels = max(u.vertices, g.vertices), max(u.labels, g.labels)
		if len(g.UsedLabels()) > 0 {
			filled = append(filled, g)
		}
		if g.hasType && !u.hasType {
			u.hasType, u.typeLabel = true, g.typeLabel
		}
	}
	if len(filled) == 1 && filled[0].hasType == u.hasType && filled[0].typeLabel == u.typeLabel {
		return filled[0].alias(u.vertices, u.labels)
	}
	if len(filled) == 0 {
		u.derive(settings{})
		return u
	}
	for _, g := range filled {
		u.used = append(u.used, g.UsedLabels()...)
		u.edges += g.edges
	}
	slices.Sort(u.used)
	u.used = slices.Compact(u.used)
	u.slots = slotsOf(u.used)
	slices.SortStableFunc(filled, func(a, b *Graph) int { return cmp.Compare(b.edges, a.edges) })
	u.over = &overlay{graphs: filled, disjoint: disjoint, parts: make([][2]lazy[Partition], len(u.used))}
	return u
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

// partition is the union of the graphs' partitions of a label.
func (o *overlay) partition(slot uint32, l Label, d Direction) *Partition {
	p := &o.parts[slot][d&1]
	if made := p.made.Load(); made != nil {
		return made
	}
	return p.get(func() *Partition {
		var parts []*Partition
		for _, g := range o.graphs {
			if part := g.Partition(l, d); part.rows > 0 {
				parts = append(parts, part)
			}
		}
		if len(parts) == 0 {
			return &emptyPartition // a damaged file
		}
		union := mergePartitions(parts)
		if len(parts) > 1 {
			o.bytes.Add(union.memory())
		}
		return union
	})
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

// made is the partition of a label if the whole of it is in one place already, or else nil.
func (o *overlay) made(slot uint32, d Direction) *Partition { return o.parts[slot][d&1].made.Load() }

// hasEdge is Graph.HasEdge. It looks into the graphs where the partition has not been merged.
func (o *overlay) hasEdge(u *Graph, from Vertex, l Label, to Vertex) bool {
	slot := u.slot(l)
	if slot == noSlot {
		return false
	}
	if out := o.made(slot, Out); out != nil {
		objects := out.Neighbours(from)
		if in := o.made(slot, In); in != nil && len(objects) > longList {
			if subjects := in.Neighbours(to); len(subjects) < len(objects) {
				return Contains(subjects, from)
			}
		}
		return Contains(objects, to)
	}
	for _, g := range o.graphs {
		if g.HasEdge(from, l, to) {
			return true
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
	var list, merged []Vertex
	for _, g := range o.graphs {
		more := g.Neighbours(v, l, d)
		switch {
		case len(list) == 0:
			list = more
		case len(list)+len(more) > shortMerge:
			return u.Partition(l, d).Neighbours(v)
		case len(more) > 0:
			merged = make([]Vertex, len(list)+len(more)-countCommon(list, more))
			mergeLists(merged, list, more)
			list = merged
		}
	}
	return list
}

// shortMerge is the length up to which the list of a vertex alone is merged.
const shortMerge = 1 << 10

// memory is the bytes of a partition's arrays.
func (p *Partition) memory() int64 {
	return 4 * int64(len(p.index)+len(p.vertices)+len(p.offsets)+len(p.neighbours))
}
