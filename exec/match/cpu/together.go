package cpu

import "github.com/rdfgpu/rdfgpu/pcsr"

// togetherRows is how many rows are looked up together.
const togetherRows = 64

// extendTogether is extendRows of a step whose candidates are a stretch of one list: the lists of some rows are found in one go, and those that fit the next level's table are written column by column.
func (w *worker) extendTogether(level int, s *step, t *table) {
	d, c, l := &s.dynamic[0], &w.scratch[s.Index], &w.levels[level]
	from := t.cols[d.from.Slot]
	var lists [togetherRows][]pcsr.Vertex
	for l.next < l.end && !w.run.stop.Load() {
		row := l.next
		if l.next++; w.work >= w.shareAt { // the row is not given away, so that whoever has one does it
			w.share()
		}
		n := min(togetherRows, l.end-row)
		total := d.partition.NeighboursOf(lists[:], from[row:row+n], s.Low, bound(s.High))
		for room := w.run.capacity - w.tables[level+1].n; n > 1 && total > room; n-- {
			total -= len(lists[n-1])
		}
		l.next = row + n
		c.rowsIn += uint64(n)
		c.candidates += uint64(total)
		c.rowsOut += uint64(total)
		w.work += total + 2*n
		if n == 1 {
			w.push(level+1, t, row, lists[0])
		} else {
			w.pushTogether(level+1, t, row, lists[:n], total)
		}
	}
}

// pushTogether is push of some rows from one on, each with its set, which have so many members together and fit the table.
func (w *worker) pushTogether(level int, t *table, row int, sets [][]pcsr.Vertex, total int) {
	p, out := w.join, &w.tables[level]
	carry, slot := p.carry[level], -1
	if p.keeps[level] {
		slot = p.steps[level-1].Slot
	}
	out.reserve(total, carry, slot)
	for _, c := range carry {
		to := out.cols[c][out.n : out.n+total]
		for i, v := range t.cols[c][row : row+len(sets)] {
			n := len(sets[i])
			fill(to, 0, n, v)
			to = to[n:]
		}
	}
	if slot >= 0 {
		to := out.cols[slot][out.n : out.n+total]
		for _, set := range sets {
			if len(set) == 1 {
				to[0], to = set[0], to[1:]
			} else {
				to = to[copy(to, set):]
			}
		}
	}
	if out.n += total; out.n >= w.run.capacity {
		w.flush(level)
	}
}
