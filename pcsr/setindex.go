package pcsr

import "slices"

// setIndex finds the numbers of a graph's label sets by their labels.
type setIndex struct {
	sets  *Partition
	slots []uint32 // number of a set + 1; 0 is free
}

// setNumber is the number of a label set.
type setNumber struct {
	unranked
	number uint32
}

func newSetIndex(sets *Partition) *setIndex {
	size := 16
	for size < 2*sets.Rows() {
		size *= 2
	}
	x := &setIndex{sets: sets, slots: make([]uint32, size)}
	for set := range sets.Rows() {
		at := hashLabels(sets.List(set)) % uint64(size)
		for x.slots[at] != 0 {
			at = (at + 1) % uint64(size)
		}
		x.slots[at] = uint32(set) + 1
	}
	return x
}

// find returns the number of a set, and whether there is one.
func (x *setIndex) find(labels []Label) (uint32, bool) {
	for at := hashLabels(labels) % uint64(len(x.slots)); x.slots[at] != 0; at = (at + 1) % uint64(len(x.slots)) {
		if set := x.slots[at] - 1; slices.Equal(x.sets.List(int(set)), labels) {
			return set, true
		}
	}
	return 0, false
}

// setEdit gives label sets to vertices whose labels change.
type setEdit struct {
	x       *live
	dir     Direction
	sets    labelSets
	index   *setIndex
	fresh   [][]Label // sets that are new, by number from those in sets on
	labels  []Label
	numbers tree[setNumber]
}

// changeSets returns the label sets of a direction in which vertices got edges of labels they had none of, and lost their last
// ones. Keys are vertex<<32 | label, ascending.
func (x *live) changeSets(d Direction, sets labelSets, came, went []uint64) labelSets {
	if len(came)+len(went) == 0 {
		return sets
	}
	index := &x.line.sets[d]
	e := setEdit{x: x, dir: d, sets: sets, index: index.made.Load(), numbers: x.numbers[d]}
	if e.index == nil {
		e.index = index.get(func() *setIndex { return newSetIndex(x.line.ground.EdgeLabelSets(d)) })
	}
	var now, was []uint64
	gained, lost := editKeys{keys: came}, editKeys{keys: went}
	for _, v := range keyRows(came, went) {
		e.labels = e.labels[:0]
		if old := sets.of.Neighbours(v); len(old) > 0 {
			was = append(was, edgeKey(v, old[0]))
			e.labels = append(e.labels, sets.labels.Neighbours(old[0])...)
		}
		e.change(gained.of(v), lost.of(v))
		if len(e.labels) > 0 {
			now = append(now, edgeKey(v, e.number()))
		}
	}
	of, _ := sets.of.change(now, was, &x.line.held)
	x.numbers[d] = e.numbers
	return labelSets{of: *of, labels: *e.extend()}
}

// change makes labels those of the next vertex.
func (e *setEdit) change(came, went []uint64) {
	e.labels = slices.DeleteFunc(e.labels, func(l Label) bool {
		return len(went) > 0 && slices.ContainsFunc(went, func(k uint64) bool { return Label(k) == l })
	})
	for _, k := range came {
		e.labels = append(e.labels, Label(k))
	}
	slices.Sort(e.labels)
}

// number returns the number of the set of labels, a new one if need be.
func (e *setEdit) number() uint32 {
	if n, ok := e.index.find(e.labels); ok {
		return n
	}
	h := uint32(hashLabels(e.labels) >> 32)
	for ; ; h++ {
		known := e.numbers.get(h)
		if known == nil {
			break
		}
		if slices.Equal(e.list(known.number), e.labels) {
			return known.number
		}
	}
	n := uint32(e.sets.labels.Rows() + len(e.fresh))
	e.fresh = append(e.fresh, slices.Clone(e.labels))
	e.numbers = e.numbers.edit([]uint32{h}, func(int, *setNumber) (setNumber, bool) { return setNumber{number: n}, true })
	return n
}

// list is the labels of a set.
func (e *setEdit) list(set uint32) []Label {
	if n := uint32(e.sets.labels.Rows()); set >= n {
		return e.fresh[set-n]
	}
	return e.sets.labels.Neighbours(set)
}

// extend returns the sets with the new ones.
func (e *setEdit) extend() *Partition {
	var keys []uint64
	for i, labels := range e.fresh {
		for _, l := range labels {
			keys = append(keys, edgeKey(Vertex(e.sets.labels.Rows()+i), l))
		}
	}
	labels, _ := e.sets.labels.change(keys, nil, &e.x.line.held)
	return labels
}
