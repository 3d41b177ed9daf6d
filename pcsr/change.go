package pcsr

import (
	"math"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// Change returns the graph with edges added and others removed, which take effect first. Both may come in any order and more than
// once; to add an edge that is there, or to remove one that is not, changes nothing. vertices is the size of the new ID
// space, which is never smaller than the old one and has all ends and labels of the edges; any vertex may be a label. Of the
// options, WithTypeLabel names the label of rdf:type where the graph has none so far.
//
// The graph stays as it is; the new one shares with it all that is the same, which is valid as long as it is. Making it takes time
// and memory in proportion to the edges, times the logarithm of what was changed before, on the caller's goroutine; a label of which a large
// part changes (1/512 of its edges, or 1/1024 on several cores, and a thousand) is copied, several labels and parts of them at once on all cores. Closing the graph closes nothing. Both may
// be used, and changed, by several goroutines. Like a query it panics with a *section.Damage where it reads of a damaged file.
func (g *Graph) Change(vertices int, added, removed []Edge, options ...Option) *Graph {
	c := newChange(g, newSettings(options))
	c.run(vertices, added, removed)
	return c.graph
}

// ChangeNet is Change, and returns the edges that came and those that went, each by label, subject and object.
func (g *Graph) ChangeNet(vertices int, added, removed []Edge) (next *Graph, came, went []Edge) {
	c := newChange(g, newSettings(nil))
	c.net = &netEdges{make([]Edge, 0, len(added)), make([]Edge, 0, len(removed))}
	c.run(vertices, added, removed)
	return c.graph, c.net.came, c.net.went
}

// change is a Graph in the making.
type change struct {
	graph *Graph
	*live
	// changed are the labels whose edges differ now, and states what they are.
	changed []Label
	states  []*changedLabel
	// gained and lost are keys of vertices that got the first edge of a label, and lost the last: vertex<<32 | label.
	gained, lost [2][]uint64
	relabelled   bool      // other labels are in use
	net          *netEdges // nil where nobody asks for them
	one          labelEdit // of one label after the other, where they are few edges
}

// netEdges are edges that came and that went.
type netEdges struct{ came, went []Edge }

// note appends those of a label.
func (n *netEdges) note(l Label, came, went []uint64) {
	n.came, n.went = appendEdges(n.came, l, came), appendEdges(n.went, l, went)
}

func appendEdges(dst []Edge, l Label, keys []uint64) []Edge {
	for _, k := range keys {
		dst = append(dst, Edge{Vertex(k >> 32), l, Vertex(k)})
	}
	return dst
}

// newChange begins with a graph as it is.
func newChange(g *Graph, s settings) *change {
	next := &Graph{vertices: g.vertices, labels: g.labels, edges: g.Edges(), typeLabel: g.typeLabel, hasType: g.hasType, sets: g.sets, listed: g.listed}
	if !g.hasType && s.hasType {
		next.typeLabel, next.hasType = s.typeLabel, true
		next.include(s.typeLabel)
		next.labels = max(next.labels, int(s.typeLabel)+1)
	}
	if g.live != nil {
		x := *g.live
		next.live = &x
	} else {
		next.live = &live{line: &lineage{ground: g, tuning: tuned}, used: &lazy[[]Label]{}}
		next.sets = [2]labelSets{
			{of: *g.Incident(Out), labels: *g.EdgeLabelSets(Out)}, {of: *g.Incident(In), labels: *g.EdgeLabelSets(In)},
		}
	}
	return &change{graph: next, live: next.live}
}

// include makes the ID space large enough for some vertices.
func (g *Graph) include(vertices ...Vertex) {
	for _, v := range vertices {
		g.vertices = max(g.vertices, int(v)+1)
	}
}

// run makes the graph.
func (c *change) run(vertices int, added, removed []Edge) {
	by := keySorter{each: c.line.tuning.rewriteEdges}
	batches, most, label := split(added, removed, &by)
	if len(added) > 0 {
		c.graph.include(most)
		c.graph.labels = max(c.graph.labels, int(label)+1)
	}
	c.graph.vertices = max(c.graph.vertices, min(vertices, math.MaxUint32))
	c.edit(batches, len(added)+len(removed))
	c.finish()
}

// edit changes the labels of batches, with so many edges in all.
func (c *change) edit(batches []batch, edges int) {
	if !c.isMuch(edges) {
		for i := range batches {
			c.one.run(c, &batches[i])
			c.take(&c.one)
		}
		return
	}
	edits := make([]labelEdit, len(batches))
	machine.Parallel(len(batches), func(i int) { edits[i].run(c, &batches[i]) })
	for i := range edits {
		c.take(&edits[i])
	}
}

// isMuch reports whether so many edges, or rows, are worth the time of several goroutines.
func (c *change) isMuch(n int) bool { return n >= c.line.tuning.leastRewritten }

// take takes what was done to a label.
func (c *change) take(e *labelEdit) {
	if e.now == nil {
		return
	}
	c.added += uint64(e.more)
	c.removed += uint64(e.less)
	c.relabelled = c.relabelled || (e.was.edges() == 0) != (e.now.edges() == 0)
	c.note(e.label, Out, &e.edits[Out])
	c.note(e.label, In, &e.edits[In])
	if c.net != nil {
		c.net.note(e.label, e.added, e.removed)
	}
	c.replace(e.label, e.was, e.now)
}

// replace puts the new state of a label in the place of the old one.
func (c *change) replace(l Label, was, now *changedLabel) {
	c.graph.edges += uint64(now.edges()) - uint64(was.edges())
	c.bytes += now.bytes() - was.bytes()
	c.unsettled += oneIf(c.line.isDueLabel(now)) - oneIf(c.line.isDueLabel(was))
	c.changed, c.states = append(c.changed, l), append(c.states, now)
}

// note keeps the vertices that got the first edge of a label, or lost the last.
func (c *change) note(l Label, d Direction, e *patchEdit) {
	for _, v := range e.appeared {
		c.gained[d] = append(c.gained[d], edgeKey(v, l))
	}
	for _, v := range e.vanished {
		c.lost[d] = append(c.lost[d], edgeKey(v, l))
	}
}

// hasEdges reports whether v has an edge in any direction.
func (g *Graph) hasEdges(v Vertex) bool {
	_, out := g.EdgeLabelSet(v, Out)
	if out {
		return true
	}
	_, in := g.EdgeLabelSet(v, In)
	return in
}

// finish changes what belongs to no label alone.
func (c *change) finish() {
	ground := c.line.ground
	c.labels = c.labels.edit(c.changed, func(i int, _ **changedLabel) (*changedLabel, bool) {
		l, now := c.changed[i], c.states[i]
		return now, now.parts[Out] != ground.Partition(l, Out) || now.parts[In] != ground.Partition(l, In)
	})
	was := c.graph.sets
	if c.isMuch(len(c.gained[Out]) + len(c.gained[In]) + len(c.lost[Out]) + len(c.lost[In])) {
		machine.Parallel(len(was), c.editSets)
	} else {
		c.editSets(int(Out))
		c.editSets(int(In))
	}
	for d := range was {
		c.bytes += setBytes(&c.graph.sets[d]) - setBytes(&was[d])
		c.unsettled += oneIf(c.line.areDue(&c.graph.sets[d])) - oneIf(c.line.areDue(&was[d]))
	}
	if c.relabelled {
		c.used = &lazy[[]Label]{}
	}
	if invariants {
		if err := c.graph.verifyChanges(); err != nil {
			panic(err)
		}
	}
}

// editSets changes the label sets of a direction.
func (c *change) editSets(d int) {
	var s keySorter
	c.graph.sets[d] = c.changeSets(Direction(d), c.graph.sets[d], s.sort(c.gained[d], nil), s.sort(c.lost[d], nil))
}

// setBytes is about what label sets take beside the ground.
func setBytes(s *labelSets) int { return s.of.touchedBytes() + s.labels.touchedBytes() }
