package pcsr

import "github.com/rdfgpu/rdfgpu/internal/machine"

// labelEdit changes the edges of a label. It reads the graph and writes nothing but marks, so that several labels may be edited at once. Its
// memory is used again when it is run again.
type labelEdit struct {
	label    Label
	was, now *changedLabel // now is nil where nothing has changed
	edits    [2]patchEdit
	// added and removed are the edges that came and went, as keys.
	added, removed []uint64
	// more and less are how many edges more the graph has that the ground has not, and how many the ground has that the graph has not.
	more, less int
	reversed   [2][]uint64 // added and removed, in the other direction
	sorter     keySorter
}

// run changes the label of a batch.
func (e *labelEdit) run(c *change, b *batch) {
	line := c.line
	was := c.live.label(b.label)
	fresh := was == nil
	if fresh {
		was = line.unchanged(b.label)
	}
	e.label, e.was, e.now = b.label, was, nil
	e.sorter.each = line.tuning.rewriteEdges
	e.edits[Out].touched, e.edits[In].touched = &line.touched, &line.touched
	back := false
	out := line.changePart(was.parts[Out], &e.edits[Out], e.sorter.sort(b.added, b.within), e.sorter.sort(b.removed, b.within), func(came, went []uint64) {
		back = was.undirected.is.Load() != no && (b.paired || e.sorter.leadBack(came) && e.sorter.leadBack(went))
	})
	e.added, e.removed = e.edits[Out].came.effective(), e.edits[Out].went.effective()
	if len(e.added)+len(e.removed) == 0 {
		return
	}
	in, came, went := out, e.added, e.removed
	if !back || !e.staysUndirected(line.ground, fresh) {
		came, went = e.reverse(0, e.added), e.reverse(1, e.removed)
		in = line.changePart(was.parts[In], &e.edits[In], came, went, nil)
		came, went = e.edits[In].came.effective(), e.edits[In].went.effective()
	}
	e.now = &changedLabel{parts: [2]*Partition{out, in}}
	e.now.follow(was, [2][]uint64{e.added, came}, [2][]uint64{e.removed, went}, b.loopless, &e.sorter)
	e.count(line.ground, fresh)
	e.sign(c, came)
}

// staysUndirected reports whether every edge has one that leads back, before and now: the partition, which was rewritten, then is that of both
// directions. So have those that came and those that went. fresh: the label is as in the ground.
func (e *labelEdit) staysUndirected(ground *Graph, fresh bool) bool {
	out, in := &e.edits[Out], &e.edits[In]
	if fresh && e.was.undirected.is.Load() == unknown {
		e.was.undirected.is.Store(known(ground.Undirected(e.label)))
	}
	if !e.was.isUndirected() {
		return false
	}
	in.whole = out.whole
	in.appeared, in.vanished = append(in.appeared[:0], out.appeared...), append(in.vanished[:0], out.vanished...)
	return true
}

// unchanged is a label as it is in the ground.
func (line *lineage) unchanged(l Label) *changedLabel {
	ground := line.ground
	was := &changedLabel{parts: [2]*Partition{ground.Partition(l, Out), ground.Partition(l, In)}}
	was.loops.is.Store(ground.facts.known(ground.facts.loops, l))
	was.undirected.is.Store(ground.facts.known(ground.facts.undirected, l))
	return was
}

// reverse are the keys of the same edges in the other direction, sorted.
func (e *labelEdit) reverse(at int, keys []uint64) []uint64 {
	back := e.reversed[at]
	if cap(back) < len(keys) {
		back = machine.Uncleared[uint64](len(keys))
	}
	back = back[:len(keys)]
	e.sorter.across(len(keys), func(low, high int) {
		for i, k := range keys[low:high] {
			back[low+i] = k<<32 | k>>32
		}
	})
	e.reversed[at] = e.sorter.sortUpper(back, 32)
	return e.reversed[at]
}

// count counts the edges that differ from those of the ground; fresh: none did before.
func (e *labelEdit) count(ground *Graph, fresh bool) {
	if e.more, e.less = len(e.added), len(e.removed); fresh {
		return
	}
	p := ground.Partition(e.label, Out)
	back, gone := e.sorter.countIn(p, e.added), e.sorter.countIn(p, e.removed)
	e.more, e.less = len(e.added)-back-(len(e.removed)-gone), gone-back
}

// countKeys counts those of ascending keys whose edges are there.
func (p *Partition) countKeys(keys []uint64) (n int) {
	for all := (editKeys{keys: keys}); all.next < len(keys); {
		v := all.row()
		list, at := p.Neighbours(v), 0
		for _, k := range all.of(v) {
			at = advance(list, at, Vertex(k))
			n += oneIf(at < len(list) && list[at] == Vertex(k))
		}
	}
	return n
}

// sign notes the vertices of which the signatures of the ground know too little, where they are not marked yet; reversed are the edges that came, by the other end.
func (e *labelEdit) sign(c *change, reversed []uint64) {
	line := c.line
	for d, keys := range [2][]uint64{e.added, reversed} {
		if !e.edits[d].whole {
			line.touched.addRows(keys)
		}
	}
	if !c.graph.hasType || e.label != c.graph.typeLabel {
		return
	}
	for _, k := range reversed {
		if class := Vertex(k >> 32); !line.late.has(class) && line.ground.hasEdges(Vertex(k)) {
			line.late.add(class)
		}
	}
}

// addRows adds the rows of ascending keys.
func (m *marks) addRows(keys []uint64) {
	more, word, members := int64(0), uint32(0), uint32(0)
	for _, k := range keys {
		v := Vertex(k >> 32)
		if v/32 != word && members != 0 {
			more += m.setWord(word, members)
			members = 0
		}
		word, members = v/32, members|1<<(v%32)
	}
	if members != 0 {
		more += m.setWord(word, members)
	}
	m.count.Add(more)
}
