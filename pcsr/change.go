package pcsr

import (
	"math"
	"slices"
)

// Change returns the graph with edges added and others removed, which take effect first. Both may come in any order and more than
// once; to add an edge that is there, or to remove one that is not, changes nothing. vertices is the size of the new ID
// space, which is never smaller than the old one and has all ends and labels of the edges; any vertex may be a label. Of the
// options, WithTypeLabel names the label of rdf:type where the graph has none so far.
//
// The graph stays as it is; the new one shares with it all that is the same, which is valid as long as it is. Making it takes time
// and memory in proportion to the edges, times the logarithm of what was changed before; closing it closes nothing. Both may
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
	relabelled   bool // other labels are in use
	edits        [2]patchEdit
	back         [2][]uint64 // keys of a label in the other direction, that came and that went
	net          *netEdges   // nil where nobody asks for them
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
	next := &Graph{vertices: g.vertices, labels: g.labels, edges: g.Edges(), typeLabel: g.typeLabel, hasType: g.hasType, sets: g.sets}
	if !g.hasType && s.hasType {
		next.typeLabel, next.hasType = s.typeLabel, true
		next.include(s.typeLabel)
		next.labels = max(next.labels, int(s.typeLabel)+1)
	}
	if g.live != nil {
		x := *g.live
		next.live = &x
	} else {
		next.live = &live{line: &lineage{ground: g, leastSettled: leastSettled}, used: &lazy[[]Label]{}}
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
	for _, e := range added {
		c.graph.include(e.From, e.To, e.Label)
		c.graph.labels = max(c.graph.labels, int(e.Label)+1)
	}
	c.graph.vertices = max(c.graph.vertices, min(vertices, math.MaxUint32))
	batches := split(added, removed)
	for i := range batches {
		c.label(&batches[i])
	}
	c.finish()
}

// sortKeys sorts keys and drops repeats.
func sortKeys(keys []uint64) []uint64 {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// reversed are the keys of the same edges in the other direction, sorted, in the memory of others.
func reversed(back, keys []uint64) []uint64 {
	back = back[:0]
	for _, k := range keys {
		back = append(back, k<<32|k>>32)
	}
	slices.Sort(back)
	return back
}

// label changes the edges of a label.
func (c *change) label(b *batch) {
	l := b.label
	was := c.live.label(l)
	if was == nil {
		ground := c.line.ground
		was = &changedLabel{parts: [2]*Partition{ground.Partition(l, Out), ground.Partition(l, In)}}
		was.loops.is.Store(ground.facts.known(ground.facts.loops, l))
		was.undirected.is.Store(ground.facts.known(ground.facts.undirected, l))
	}
	edit, back := &c.edits[Out], &c.edits[In]
	out := was.parts[Out].change(edit, sortKeys(b.added), sortKeys(b.removed), &c.line.held)
	added, removed := edit.came.effective(), edit.went.effective()
	if len(added)+len(removed) == 0 {
		return
	}
	c.back[0], c.back[1] = reversed(c.back[0], added), reversed(c.back[1], removed)
	in := was.parts[In].change(back, c.back[0], c.back[1], &c.line.held)
	now := &changedLabel{parts: [2]*Partition{out, in}}
	c.relabelled = c.relabelled || (was.edges() == 0) != (now.edges() == 0)
	now.follow(was, added, removed)
	c.note(l, Out, edit)
	c.note(l, In, back)
	c.count(l, added, removed)
	c.sign(l, added)
	if c.net != nil {
		c.net.note(l, added, removed)
	}
	c.replace(l, was, now)
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

// count counts the edges that differ from those of the ground.
func (c *change) count(l Label, added, removed []uint64) {
	ground := c.line.ground
	for _, k := range added {
		if ground.HasEdge(Vertex(k>>32), l, Vertex(k)) {
			c.removed--
		} else {
			c.added++
		}
	}
	for _, k := range removed {
		if ground.HasEdge(Vertex(k>>32), l, Vertex(k)) {
			c.removed++
		} else {
			c.added--
		}
	}
}

// sign notes the vertices of which the signatures of the ground know too little.
func (c *change) sign(l Label, added []uint64) {
	classes := c.graph.hasType && l == c.graph.typeLabel
	for _, k := range added {
		from, to := Vertex(k>>32), Vertex(k)
		c.line.touched.add(from)
		c.line.touched.add(to)
		if classes && c.line.ground.hasEdges(from) {
			c.line.late.add(to)
		}
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
	for _, d := range []Direction{Out, In} {
		slices.Sort(c.gained[d])
		slices.Sort(c.lost[d])
		was := c.graph.sets[d]
		now := c.changeSets(d, was, c.gained[d], c.lost[d])
		c.bytes += setBytes(&now) - setBytes(&was)
		c.unsettled += oneIf(c.line.areDue(&now)) - oneIf(c.line.areDue(&was))
		c.graph.sets[d] = now
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

// setBytes is about what label sets take beside the ground.
func setBytes(s *labelSets) int { return s.of.touchedBytes() + s.labels.touchedBytes() }
