package pcsr

import "encoding/binary"

// unionSets are the label sets of a union in one direction. The sets of the largest graph keep their numbers; vertices
// that have edges in others are listed with theirs, which may be new.
type unionSets struct {
	changes lazy[madeSets]
	whole   lazy[Partition] // Incident
}

type madeSets struct {
	base    *Graph
	changed Partition // vertices with edges in other graphs than base → the numbers of their sets; none where all edges are gone
	rows    int       // how many vertices have edges
	labels  Partition // number of a set → its labels, ascending
}

// labelSets are those of a direction, made the first time.
func (o *overlay) labelSets(d Direction) *madeSets {
	changes := &o.sets[d&1].changes
	if made := changes.made.Load(); made != nil {
		return made
	}
	return changes.get(func() *madeSets { return o.makeSets(d) })
}

// labelSet is Graph.EdgeLabelSet.
func (o *overlay) labelSet(v Vertex, d Direction) (int, bool) {
	if whole := o.sets[d&1].whole.made.Load(); whole != nil {
		set := whole.Neighbours(v)
		if len(set) == 0 {
			return 0, false
		}
		return int(set[0]), true
	}
	s := o.labelSets(d)
	row, ok := s.changed.Row(v)
	if !ok {
		return s.base.EdgeLabelSet(v, d)
	}
	if set := s.changed.List(row); len(set) > 0 {
		return int(set[0]), true
	}
	return 0, false
}

// incident is Graph.Incident.
func (o *overlay) incident(d Direction) *Partition {
	whole := &o.sets[d&1].whole
	if made := whole.made.Load(); made != nil {
		return made
	}
	return whole.get(func() *Partition {
		s := o.labelSets(d)
		base := s.base.Incident(d)
		if base.Edges() < o.leastPatched || s.changed.Rows() > base.Rows()/o.patchShare {
			return overwrite(base, &s.changed)
		}
		var came, went []uint64
		for v, set := range s.changed.Lists() {
			for _, was := range base.Neighbours(v) {
				went = append(went, edgeKey(v, was))
			}
			for _, is := range set {
				came = append(came, edgeKey(v, is))
			}
		}
		return base.change(&patchEdit{}, came, went, &o.bytes)
	})
}

// IncidentRows is Incident(d).Rows(), without making it in a union of graphs.
func (g *Graph) IncidentRows(d Direction) int {
	if g.over == nil {
		return g.sets[d&1].of.Rows()
	}
	return g.over.labelSets(d).rows
}

// makeSets finds the sets of the vertices that have edges in other graphs than the largest.
func (o *overlay) makeSets(d Direction) *madeSets {
	base, others := o.largest(), o.others()
	var removed []*Graph
	for _, l := range o.segments {
		if l.Removed != nil {
			removed = append(removed, l.Removed)
		}
	}
	var incident []*Partition
	limit := 0
	for _, g := range append(others, removed...) {
		incident = append(incident, g.Incident(d))
		limit = max(limit, g.vertices)
	}
	m := &setMaker{
		sets: setNumbers{sets: base.EdgeLabelSets(d), index: newSetIndex(base.EdgeLabelSets(d))},
		over: o, graphs: append([]*Graph{base}, others...), removed: removed, dir: d, known: map[string]uint32{},
	}
	made := &madeSets{base: base, rows: base.IncidentRows(d)}
	candidates := rowUnion(limit, incident)
	vertices := candidates[:0]
	offsets, numbers := make([]uint32, 1, len(candidates)+1), make([]uint32, 0, len(candidates))
	for _, v := range candidates {
		set, ok := m.number(v)
		made.rows += oneIf(ok) - oneIf(m.inBase)
		if ok {
			numbers = append(numbers, set)
		}
		if ok || m.inBase {
			vertices, offsets = append(vertices, v), append(offsets, uint32(len(numbers)))
		}
	}
	made.changed = *newPartition(chooseLayer(vertices), vertices, offsets, numbers)
	made.labels = *m.sets.extend(&o.bytes)
	return made
}

// setMaker finds the sets of vertices.
type setMaker struct {
	sets    setNumbers
	over    *overlay
	graphs  []*Graph // of what was added, the largest first
	removed []*Graph
	dir     Direction

	known   map[string]uint32 // the sets of a vertex in all graphs → its own
	labels  []Label
	key     []byte
	last    []byte // the key before
	lastSet uint32
	// inBase: the vertex asked for last has edges in the largest graph.
	inBase bool
}

// number returns the number of v's set, and whether it has one.
func (m *setMaker) number(v Vertex) (set uint32, ok bool) {
	m.key = m.key[:0]
	for i, g := range m.graphs {
		n, ok := g.EdgeLabelSet(v, m.dir)
		if i == 0 {
			m.inBase = ok
		}
		if !ok {
			n = -1
		}
		m.key = binary.LittleEndian.AppendUint32(m.key, uint32(n+1))
	}
	for _, g := range m.removed {
		if _, ok := g.EdgeLabelSet(v, m.dir); ok {
			if m.gather(v); len(m.labels) == 0 {
				return 0, false
			}
			return m.sets.number(m.labels), true
		}
	}
	if len(m.last) > 0 && string(m.key) == string(m.last) {
		return m.lastSet, true
	}
	set, ok = m.known[string(m.key)]
	if !ok {
		m.gather(v)
		set = m.sets.number(m.labels)
		m.known[string(m.key)] = set
	}
	m.last, m.lastSet = append(m.last[:0], m.key...), set
	return set, true
}

// gather finds the labels of v.
func (m *setMaker) gather(v Vertex) {
	m.labels = m.labels[:0]
	for _, g := range m.graphs {
		m.labels = append(m.labels, g.EdgeLabels(v, m.dir)...)
	}
	m.labels = sortLabels(m.labels)
	if len(m.removed) == 0 {
		return
	}
	left := m.labels[:0]
	for _, l := range m.labels {
		if !m.over.hasRemoved(l) || m.degree(v, l) > 0 {
			left = append(left, l)
		}
	}
	m.labels = left
}

// degree is the number of neighbours of v, where no edge is in two segments.
func (m *setMaker) degree(v Vertex, l Label) int {
	n := 0
	for _, g := range m.graphs {
		n += g.Degree(v, l, m.dir)
	}
	for _, g := range m.removed {
		n -= g.Degree(v, l, m.dir)
	}
	return n
}
