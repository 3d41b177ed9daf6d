package pcsr

import (
	"encoding/binary"
	"slices"
)

// unionSets are the label sets of a union in one direction. The sets of the largest graph keep their numbers; vertices
// that have edges in others are listed with theirs, which may be new.
type unionSets struct {
	changes lazy[madeSets]
	whole   lazy[Partition] // Incident
}

type madeSets struct {
	base    *Graph
	changed Partition // vertices with edges in other graphs than base → the numbers of their sets
	added   int       // those of them that have none in base
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
		row, ok := whole.Row(v)
		if !ok {
			return 0, false
		}
		return int(whole.List(row)[0]), true
	}
	s := o.labelSets(d)
	if row, ok := s.changed.Row(v); ok {
		return int(s.changed.neighbours[row]), true
	}
	return s.base.EdgeLabelSet(v, d)
}

// incident is Graph.Incident.
func (o *overlay) incident(d Direction) *Partition {
	whole := &o.sets[d&1].whole
	if made := whole.made.Load(); made != nil {
		return made
	}
	return whole.get(func() *Partition {
		s := o.labelSets(d)
		return overwrite(s.base.Incident(d), &s.changed)
	})
}

// IncidentRows is Incident(d).Rows(), without making it in a union of graphs.
func (g *Graph) IncidentRows(d Direction) int {
	if g.over == nil {
		return g.sets[d&1].of.Rows()
	}
	s := g.over.labelSets(d)
	return s.base.IncidentRows(d) + s.added
}

// makeSets finds the sets of the vertices that have edges in other graphs than the largest.
func (o *overlay) makeSets(d Direction) *madeSets {
	base, others := o.graphs[0], o.graphs[1:]
	incident := make([]*Partition, len(others))
	limit := 0
	for i, g := range others {
		incident[i] = g.Incident(d)
		limit = max(limit, g.vertices)
	}
	m := &setMaker{base: base, graphs: o.graphs, dir: d, known: map[string]uint32{}}
	vertices := rowUnion(limit, incident)
	numbers := make([]uint32, len(vertices))
	added := 0
	for i, v := range vertices {
		var inBase bool
		numbers[i], inBase = m.candidate(v)
		added += 1 - oneIf(inBase)
	}
	final, labels := m.number()
	for i, n := range numbers {
		numbers[i] = final[n]
	}
	changed := newPartition(chooseLayer(vertices), vertices, nil, numbers)
	return &madeSets{base: base, changed: *changed, added: added, labels: *labels}
}

// setMaker gathers the sets of vertices and gives those that base does not have a number.
type setMaker struct {
	base   *Graph
	graphs []*Graph
	dir    Direction

	known    map[string]uint32 // the sets of a vertex in all graphs → its entry in lists
	lists    [][]Label
	key      []byte
	last     []byte // the key before
	lastSet  uint32
	nonEmpty bool
}

// candidate returns the place of v's set in lists, and whether v has edges in base.
func (m *setMaker) candidate(v Vertex) (set uint32, inBase bool) {
	m.key = m.key[:0]
	for i, g := range m.graphs {
		n, ok := g.EdgeLabelSet(v, m.dir)
		if !ok {
			n = -1
		}
		inBase = inBase || i == 0 && ok
		m.key = binary.LittleEndian.AppendUint32(m.key, uint32(n+1))
	}
	if m.nonEmpty && string(m.key) == string(m.last) {
		return m.lastSet, inBase
	}
	set, ok := m.known[string(m.key)]
	if !ok {
		set = uint32(len(m.lists))
		m.known[string(m.key)] = set
		m.lists = append(m.lists, m.union(v))
	}
	m.last, m.lastSet, m.nonEmpty = append(m.last[:0], m.key...), set, true
	return set, inBase
}

// union is the labels of v in all graphs.
func (m *setMaker) union(v Vertex) []Label {
	var labels []Label
	for _, g := range m.graphs {
		labels = append(labels, g.EdgeLabels(v, m.dir)...)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// number returns the number of each set in lists, and the labels of all sets: those of base and then the new ones.
func (m *setMaker) number() (numbers []uint32, labels *Partition) {
	sets := m.base.EdgeLabelSets(m.dir)
	numbers = make([]uint32, len(m.lists))
	byHash := map[uint64]uint32{} // hash of a set → place in distinct
	var distinct [][]Label
	place := make([]uint32, len(m.lists))
	for i, list := range m.lists {
		h := hashLabels(list)
		at, ok := byHash[h]
		for ok && !slices.Equal(distinct[at], list) {
			h++
			at, ok = byHash[h]
		}
		if !ok {
			at = uint32(len(distinct))
			byHash[h], distinct = at, append(distinct, list)
		}
		place[i] = at
	}
	final := slices.Repeat([]uint32{noSlot}, len(distinct))
	for set := range sets.Rows() {
		list := sets.List(set)
		h := hashLabels(list)
		for at, ok := byHash[h]; ok; at, ok = byHash[h] {
			if slices.Equal(distinct[at], list) {
				final[at] = uint32(set)
				break
			}
			h++
		}
	}
	labels = m.extend(sets, distinct, final)
	for i, at := range place {
		numbers[i] = final[at]
	}
	return numbers, labels
}

// extend appends the sets without a number to those of base and numbers them.
func (m *setMaker) extend(sets *Partition, distinct [][]Label, final []uint32) *Partition {
	if !slices.Contains(final, noSlot) {
		return sets
	}
	arrays := sets.Arrays()
	lists := slices.Clone(arrays.Neighbours)
	offsets := make([]uint32, 0, sets.Rows()+len(distinct)+1)
	if arrays.Offsets != nil {
		offsets = append(offsets, arrays.Offsets[:sets.rows]...)
	} else {
		for i := range sets.rows {
			offsets = append(offsets, i)
		}
	}
	for at, list := range distinct {
		if final[at] == noSlot {
			final[at] = uint32(len(offsets))
			offsets = append(offsets, uint32(len(lists)))
			lists = append(lists, list...)
		}
	}
	offsets = append(offsets, uint32(len(lists)))
	p := &Partition{layer: Range, rows: uint32(len(offsets) - 1), neighbours: lists}
	if len(lists) != int(p.rows) {
		p.offsets = offsets
	}
	return p
}

func hashLabels(list []Label) uint64 {
	h := uint64(len(list))
	for _, l := range list {
		h = (h ^ uint64(l)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}
