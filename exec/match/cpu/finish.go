package cpu

import (
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
)

// finish counts the tail for the first n rows of a table of the last level, and counts or emits them.
func (w *worker) finish(t *table, n int) {
	p := w.join
	if len(p.lists) > 0 {
		w.listRows(t, n)
		return
	}
	if len(p.tail) > 0 {
		w.countTail(t, n)
		return
	}
	if w.run.emit == nil {
		w.count(uint64(n))
		return
	}
	w.deliver(t, n)
}

// count adds to the number of solutions.
func (w *worker) count(n uint64) {
	if w.run.limit > 0 {
		w.run.addTotal(n)
		return
	}
	w.counted = add(w.counted, n)
}

// countTail counts the tail of the first rows of a table, row by row.
func (w *worker) countTail(t *table, rows int) {
	p := w.join
	defer w.clock.leave(w.clock.enter(p.tail[0].index()))
	if g := p.tail[0]; len(p.tail) == 1 && g.weights != nil && len(g.Reads) == 1 && w.most != 1 && (p.weighted || w.run.emit == nil) {
		w.weighTail(t, rows, g)
		return
	}
	// While rows stand for one solution or none, those that stay move up in the table, up to kept.
	kept, n := 0, uint64(0)
	moves := w.run.emit != nil && !p.weighted && w.most != 1
	l := &w.levels[p.prefix]
	l.begin(t, rows)
	for row := 0; row < l.end; row++ {
		l.next = row + 1
		if w.run.stop.Load() {
			l.stop()
			return
		}
		if w.work >= w.shareAt {
			w.share()
		}
		if w.most == 1 && w.again(t, row) {
			continue
		}
		changed := row == 0
		for _, slot := range p.tailReads {
			if v := t.cols[slot][row]; v != w.values[slot] {
				w.values[slot], changed = v, true
			}
		}
		if changed {
			n = w.countAll(p.tail)
		}
		switch {
		case n == 0:
		case w.run.emit == nil:
			w.count(n)
		case p.weighted:
			w.weigh(t, row, n)
		case moves && n == 1:
			w.move(t, row, kept)
			kept++
		default:
			if moves = false; kept > 0 {
				w.copyRows(t, kept)
				kept = 0
			}
			w.repeat(t, row, min(n, w.most))
		}
	}
	l.stop()
	if kept > 0 {
		w.deliver(t, kept)
	}
	if w.repeats.n > 0 {
		w.deliver(&w.repeats, w.repeats.n)
		w.repeats.n = 0
	}
}

// weighTail counts a tail that is one number of the vertex in a slot, for blocks of rows.
func (w *worker) weighTail(t *table, rows int, g *group) {
	var block [weighBlock]uint64
	l := &w.levels[w.join.prefix]
	l.begin(t, rows)
	for row := 0; row < l.end && !w.run.stop.Load(); row = l.next {
		if l.next = min(row+weighBlock, l.end); w.work >= w.shareAt {
			w.share()
		}
		numbers := block[:l.next-row]
		for i := range numbers {
			numbers[i] = 1
		}
		g.weights.multiplyInto(numbers, t.cols[g.Reads[0]][row:l.next])
		w.work += memoWork * len(numbers)
		for i, n := range numbers {
			switch {
			case n == 0:
			case w.run.emit == nil:
				w.count(n)
			default:
				w.weigh(t, row+i, n)
			}
		}
	}
	l.stop()
	if w.repeats.n > 0 {
		w.deliver(&w.repeats, w.repeats.n)
		w.repeats.n = 0
	}
}

// move copies what is emitted of one row to another.
func (w *worker) move(t *table, from, to int) {
	if from == to {
		return
	}
	for _, c := range w.join.emitted {
		t.cols[c][to] = t.cols[c][from]
	}
}

// copyRows emits the first n rows by way of the table of repeats.
func (w *worker) copyRows(t *table, n int) {
	out := &w.repeats
	for low := 0; low < n && !w.run.stop.Load(); {
		k := min(n-low, w.run.capacity-out.n)
		out.reserve(k, w.join.emitted, -1)
		for _, c := range w.join.emitted {
			copy(out.cols[c][out.n:out.n+k], t.cols[c][low:low+k])
		}
		out.n += k
		low += k
		if out.n == w.run.capacity {
			w.deliver(out, out.n)
			out.n = 0
		}
	}
}

// again reports whether a row is the one that was emitted last.
func (w *worker) again(t *table, row int) bool {
	out := &w.repeats
	if out.n == 0 {
		return false
	}
	for _, c := range w.join.emitted {
		if out.cols[c][out.n-1] != t.cols[c][row] {
			return false
		}
	}
	return true
}

// weigh emits a row that stands for n solutions. Rows come in the order of the first slots, so that equal ones often
// follow each other and become one.
func (w *worker) weigh(t *table, row int, n uint64) {
	out := &w.repeats
	if w.again(t, row) {
		w.weights[out.n-1] = add(w.weights[out.n-1], n)
		return
	}
	if out.n == w.run.capacity {
		w.deliver(out, out.n)
		out.n = 0
	}
	out.reserve(1, w.join.emitted, -1)
	for _, c := range w.join.emitted {
		out.cols[c][out.n] = t.cols[c][row]
	}
	w.weights = append(w.weights[:out.n], n)
	out.n++
}

// repeat emits a row n times.
func (w *worker) repeat(t *table, row int, n uint64) {
	out := &w.repeats
	for n > 0 && !w.run.stop.Load() {
		k := int(min(n, uint64(w.run.capacity-out.n)))
		out.reserve(k, w.join.emitted, -1)
		for _, c := range w.join.emitted {
			fill(out.cols[c], out.n, k, t.cols[c][row])
		}
		out.n += k
		n -= uint64(k)
		if out.n == w.run.capacity {
			w.deliver(out, out.n)
			out.n = 0
		}
	}
}

// Few rows are kept until there are fewRows, or mostWork members of lists were read, or mostWait has gone by in one of several goroutines: where chunks are small, whoever
// takes the rows has fewer and larger batches. Those of one goroutine alone do not depend on time.
const (
	fewRows  = 512
	mostWork = 1 << 13
	mostWait = 50 * time.Microsecond
)

// deliver emits the first n rows of a table, or keeps them where they are few.
func (w *worker) deliver(t *table, n int) {
	if n == 0 {
		return
	}
	p, b := w.join, &w.batch
	b.Cols, b.N, b.Origin, b.Weights, b.Distinct = b.Cols[:0], n, nil, nil, p.once
	if p.weighted && t == &w.repeats {
		b.Weights = w.weights[:n]
	}
	for _, slot := range p.output {
		b.Cols = append(b.Cols, t.cols[slot][:n])
	}
	if p.origin {
		b.Origin = t.cols[p.OriginSlot()][:n]
	}
	switch {
	case w.kept.N == 0 && (n >= fewRows || w.run.limit > 0 || w.run.source.bound != nil):
		w.pass(b)
	default:
		if w.kept.N == 0 {
			w.kept.Cols = w.kept.Cols[:min(len(w.kept.Cols), len(b.Cols))] // the run before may have had others
			w.since, w.workThen = time.Now(), w.work
		}
		w.kept.Append(b, 0, n)
		w.handOn(false)
	}
}

// handOn emits the rows that were kept: all, or where they are many or have waited.
func (w *worker) handOn(all bool) {
	if len(w.join.lists) > 0 {
		w.handOnLists(all)
		return
	}
	if w.kept.N == 0 || !all && w.waits(w.kept.N) {
		return
	}
	w.pass(&w.kept.Batch)
	w.kept.Reset()
}

// pass emits a batch. What becomes of it may take long: where threads have become idle meanwhile, the worker looks for them soon.
func (w *worker) pass(b *match.Batch) {
	defer w.clock.leave(w.clock.enter(noStep))
	w.run.deliver(b)
	if w.join.workers.Free() {
		w.shareAt = min(w.shareAt, max(w.work, w.lookedAt+w.every/soonShare))
	}
}

// waits reports whether so many rows that are kept wait for others.
func (w *worker) waits(rows int) bool {
	return rows < fewRows && w.work-w.workThen < mostWork && (w.run.helpers.Running() == 0 || time.Since(w.since) < mostWait)
}

// seed begins with rows low … high-1 of the input that pass what the plan asks of seeds alone.
func (w *worker) seed(low, high int) {
	p, t := w.join, &w.tables[0]
	for row := low; row < high && !w.run.stop.Load(); row++ {
		for slot, col := range p.input.Cols {
			w.values[slot] = col[row]
		}
		if !w.seedPasses() {
			continue
		}
		t.reserve(1, p.carry[0], -1)
		for _, slot := range p.carry[0] {
			if slot == p.OriginSlot() {
				t.cols[slot][t.n] = dictionary.ID(row)
			} else {
				t.cols[slot][t.n] = w.values[slot]
			}
		}
		t.n++
	}
	w.extendRows(0, t, t.n)
	t.n = 0
}

// seedPasses tests the plan's conditions on seeded slots and constants.
func (w *worker) seedPasses() bool { return w.passes(w.join.Input) }

// passes tests conditions on bound slots; nil has none.
func (w *worker) passes(s *match.Step) bool {
	if s == nil {
		return true
	}
	for i := range s.Plan.Checks {
		c := &s.Plan.Checks[i]
		if w.graph.HasEdge(w.value(c.From), w.value(c.Label), w.value(c.To)) == c.Absent {
			return false
		}
	}
	return w.edgesDiffer(s.Plan.EdgeDistinct)
}
