package pcsr

import "slices"

// changeSets returns the label sets of a direction in which vertices got edges of labels they had none of, and lost their last
// ones. Keys are vertex<<32 | label, ascending.
func (x *live) changeSets(d Direction, sets labelSets, came, went []uint64) labelSets {
	if len(came)+len(went) == 0 {
		return sets
	}
	numbers := setNumbers{sets: &sets.labels, index: x.line.setIndex(d), known: x.numbers[d]}
	gained, lost := editKeys{keys: came}, editKeys{keys: went}
	var now, was []uint64
	var labels []Label
	for _, v := range keyRows(nil, came, went) {
		labels = labels[:0]
		if old := sets.of.Neighbours(v); len(old) > 0 {
			was = append(was, edgeKey(v, old[0]))
			labels = append(labels, sets.labels.Neighbours(old[0])...)
		}
		if labels = exchange(labels, gained.of(v), lost.of(v)); len(labels) > 0 {
			now = append(now, edgeKey(v, numbers.number(labels)))
		}
	}
	of := x.line.changePart(&sets.of, &patchEdit{}, now, was, nil)
	next := labelSets{of: *of, labels: *numbers.extend(&x.line.held)}
	x.numbers[d] = numbers.known
	return next
}

// setIndex finds the sets that the ground has.
func (line *lineage) setIndex(d Direction) *setIndex {
	index := &line.sets[d]
	if made := index.made.Load(); made != nil {
		return made
	}
	return index.get(func() *setIndex { return newSetIndex(line.ground.EdgeLabelSets(d)) })
}

// exchange returns labels, in their own memory, with those that came and without those that went, as keys of their vertex.
func exchange(labels []Label, came, went []uint64) []Label {
	labels = slices.DeleteFunc(labels, func(l Label) bool {
		return slices.ContainsFunc(went, func(k uint64) bool { return Label(k) == l })
	})
	for _, k := range came {
		labels = append(labels, Label(k))
	}
	slices.Sort(labels)
	return labels
}
