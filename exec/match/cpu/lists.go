package cpu

import (
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// listed are rows with lists on their way out.
type listed struct {
	batch vector.Batch
	// cols and lists are the memory of the batch's, steps what each list is of, sets what it has for the row at hand.
	cols   [][]dictionary.ID
	lists  []vector.List
	steps  []*step
	origin []uint32
	sets   [][]pcsr.Vertex
	cells  int // in the lists
}

// listedCells is about how many members the lists of a batch have.
const listedCells = 1 << 13

// isListed reports whether a slot is emitted as a list.
func (p *join) isListed(slot int) bool {
	return slices.ContainsFunc(p.lists, func(s *step) bool { return s.Slot == slot })
}

// open readies the rows for a join.
func (o *listed) open(p *join) {
	o.steps = o.steps[:0]
	for len(o.cols) < len(p.output) {
		o.cols = append(o.cols, []dictionary.ID{})
	}
	for _, slot := range p.output {
		if p.isListed(slot) {
			o.steps = append(o.steps, p.stepOf(slot))
		}
	}
	for i := range o.lists {
		if cap(o.lists[i].Values) > 4*listedCells { // there was a very long one
			o.lists[i].Values = nil
		}
	}
	for len(o.lists) < len(o.steps) {
		o.lists = append(o.lists, vector.List{})
		o.sets = append(o.sets, nil)
	}
	o.empty(p)
}

// empty drops all rows.
func (o *listed) empty(p *join) {
	o.batch = vector.Batch{Cols: o.batch.Cols[:0], Weights: o.batch.Weights[:0], Lists: o.lists[:len(o.steps)], Distinct: p.once}
	o.origin, o.cells = o.origin[:0], 0
	k := 0
	for c, slot := range p.output {
		if p.isListed(slot) {
			l := &o.lists[k]
			l.Column, l.Values, l.Ends = c, l.Values[:0], l.Ends[:0]
			o.batch.Cols = append(o.batch.Cols, nil)
			k++
			continue
		}
		o.batch.Cols = append(o.batch.Cols, o.cols[c][:0])
	}
}

// listRows emits rows of the last level with a list for each of the plan's last leaves, each row with the weight that the tail gives it.
func (w *worker) listRows(t *table, rows int) {
	p, o := w.join, &w.listed
	defer w.clock.leave(w.clock.enter(p.lists[0].Index))
	l := &w.levels[p.prefix]
	l.begin(t, rows)
	for row := 0; row < l.end && !w.run.stop.Load(); row++ {
		l.next = row + 1
		if w.work >= w.shareAt {
			w.share()
		}
		for _, slot := range p.tailReads {
			w.values[slot] = t.cols[slot][row]
		}
		n := uint64(1)
		if len(p.tail) > 0 {
			n = w.countAll(p.tail)
		}
		if n == 0 || !w.listSets() {
			continue
		}
		if o.batch.N == 0 {
			w.since, w.workThen = time.Now(), w.work
		}
		for c, slot := range p.output {
			if o.batch.Cols[c] != nil {
				o.batch.Cols[c] = append(o.batch.Cols[c], t.cols[slot][row])
			}
		}
		for i, set := range o.sets[:len(o.steps)] {
			o.lists[i].Add(set)
			o.cells += len(set)
		}
		if len(p.tail) > 0 {
			o.batch.Weights = append(o.batch.Weights, n)
		}
		if p.origin {
			o.origin = append(o.origin, t.cols[p.OriginSlot()][row])
		}
		if o.batch.N++; o.cells >= listedCells {
			w.handOn(true)
		}
	}
	l.stop()
	w.handOn(false)
}

// listSets finds what each list has for the partial match in w.values; false where one has nothing.
func (w *worker) listSets() bool {
	o := &w.listed
	for i, s := range o.steps {
		set := w.distinctSet(s)
		w.scratch[s.Index].rowsOut += uint64(len(set))
		if len(set) == 0 {
			return false
		}
		o.sets[i] = set
	}
	return true
}

// handOnLists emits the rows with lists that were kept: all, or where they are many or have waited.
func (w *worker) handOnLists(all bool) {
	o := &w.listed
	if o.batch.N == 0 || !all && w.waits(o.cells) {
		return
	}
	defer w.clock.leave(w.clock.enter(noStep))
	for c, col := range o.batch.Cols {
		if col != nil {
			o.cols[c] = col
		}
	}
	if len(w.join.tail) == 0 {
		o.batch.Weights = nil
	}
	if w.join.origin {
		o.batch.Origin = o.origin
	}
	w.run.deliver(&o.batch)
	o.empty(w.join)
}
