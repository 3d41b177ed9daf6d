package cpu

import (
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// worker is what one goroutine needs to run a join. Workers are used again, with their memory, which shares no line of the cache with another's: it is written
// all the time.
type worker struct {
	_   apart
	run *run
	// permit is that of a helper; nil for the goroutine of the caller.
	permit *schedule.Worker
	tuning *tuning
	join   *join
	graph  *pcsr.Graph
	most   uint64
	// values is the partial match at hand, by slot.
	values  []dictionary.ID
	scratch []scratch // by step of the plan
	memos   []memo    // by group
	watched []watch   // lists that may become hubs, by places
	often   int       // after how many times that it has come to the worker a list becomes a hub
	number  uint64    // of the run that the worker served last
	tables  []table   // by level; the last is the output
	repeats table
	weights []uint64 // of the rows of repeats, where they are asked for
	batch   match.Batch
	// kept are rows that were found and not handed on yet, the first of them at since, after workThen.
	kept     vector.BatchCopy
	listed   listed // those with lists
	since    time.Time
	workThen int
	clock    clock
	// work counts list members read; at shareAt the worker looks for an idle thread, for what levels and sets tell.
	work, shareAt int
	// looked is when the worker looked last, with lookedAt members read; every is after how many it looks.
	looked          time.Time
	lookedAt, every int
	levels          []rowLoop // by level
	sets            []setLoop // by group
	// alone: the run has one thread.
	alone   bool
	counted uint64
	// cuts are the parts of lists that were found, by cut of the join; cutEntries and cutRoom are what all of them have.
	cuts       []cutTable
	cutEntries []cutEntry
	cutRoom    []pcsr.Vertex
	_          apart
}

// apart keeps what lies on one side of it from sharing a line of the cache, or the one fetched with it, with what lies on the other.
type apart [128]byte

// worker returns a worker ready for a run.
func (m *Matcher) worker(r *run) *worker {
	w, _ := m.workers.Get().(*worker)
	if w == nil {
		w = &worker{}
	}
	r.charge(1)
	p := r.join
	w.run, w.tuning, w.join, w.graph, w.most = r, &m.tuning, p, p.Graph, r.most
	w.work, w.shareAt, w.counted, w.alone = 0, m.tuning.quiet, 0, p.workers.Limit() < 2
	w.looked, w.lookedAt, w.every = time.Time{}, m.tuning.quiet, m.tuning.often
	w.values = extend(w.values, len(p.Plan.Slots)+1)[:len(p.Plan.Slots)+1]
	w.clock.reset(p.counters != nil, len(p.Plan.Steps))
	w.scratch = extend(w.scratch, len(p.Plan.Steps))
	for _, s := range p.steps {
		c := &w.scratch[s.Index]
		c.reset()
		c.last, c.lists = extend(c.last, len(s.deps))[:0], extend(c.lists, len(s.Lists)+1)[:0]
	}
	w.tables = extend(w.tables, p.prefix+1)
	for i := range w.tables[:p.prefix+1] {
		w.tables[i].shape(len(p.Plan.Slots) + 1)
	}
	w.repeats.shape(len(p.Plan.Slots) + 1)
	if len(p.lists) > 0 {
		w.listed.open(p)
	}
	w.levels = extend(w.levels, p.prefix+1)
	w.sets = extend(w.sets, len(p.steps)+len(p.Plan.Branches))
	w.memos = extend(w.memos, len(p.steps)+len(p.Plan.Branches))
	w.often = min(m.tuning.oftenMark, max(1, 2*m.tuning.oftenMark/p.workers.Limit()))
	if w.number == r.number {
		return w
	}
	w.number = r.number
	w.renewCuts(len(p.cuts))
	for i := range w.memos {
		w.memos[i].calls, w.memos[i].hits, w.memos[i].off = 0, 0, false
	}
	return w
}

// extend returns a slice of n elements at least, the first those of s. Its memory is apart from other memory.
func extend[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:max(n, len(s))]
	}
	var element T
	between := int(unsafe.Sizeof(apart{})/unsafe.Sizeof(element)) + 1
	out := make([]T, n+2*between)[between : between+n : between+n]
	copy(out, s)
	return out
}

func (c *scratch) reset() {
	c.valid, c.hasSet, c.hasNumber, c.common = false, false, false, nil
	c.rowsIn, c.candidates, c.rowsOut = 0, 0, 0
}

// release hands the worker back, without anything that points into the graph.
func (w *worker) release() {
	if w.counted > 0 {
		w.run.addTotal(w.counted)
	}
	for _, s := range w.join.steps {
		c := &w.scratch[s.Index]
		if k := w.join.counters; k != nil {
			k[s.Index].rowsIn.Add(c.rowsIn)
			k[s.Index].candidates.Add(c.candidates)
			k[s.Index].rowsOut.Add(c.rowsOut)
			k[s.Index].nanoseconds.Add(int64(w.clock.spent[s.Index]))
		}
		for i := range c.marks {
			c.marks[i].forget()
		}
		for i := range c.partials {
			c.partials[i].renew(nil)
			c.partials[i].valid = false
		}
		c.set, c.common, c.based = nil, nil, false
		clear(c.lists)
		clear(c.lookup)
	}
	clear(w.levels)
	clear(w.sets)
	w.run.charge(-1)
	m, large := w.run.matcher, w.run.tableBytes > largeTables
	w.run, w.join, w.graph, w.permit = nil, nil, nil, nil
	if !large {
		m.workers.Put(w)
	}
}

// chunks runs chunks of the source until there are none.
func (w *worker) chunks() {
	for !w.run.stop.Load() && w.keep() {
		low, high, ok := w.run.source.take()
		if !ok {
			break
		}
		if w.work >= w.shareAt {
			w.share()
		}
		w.chunk(low, high)
		w.drain()
		w.handOn(false)
	}
	w.handOn(true)
}

// keep reports whether the worker may begin another chunk. The caller's always may, if perhaps not at once.
func (w *worker) keep() bool {
	if w.permit != nil {
		return w.permit.Keep()
	}
	w.join.workers.Yield()
	return true
}

// yield lets others have the thread if they need it.
func (w *worker) yield() {
	defer w.clock.leave(w.clock.enter(noStep))
	w.join.workers.Yield()
}

// chunk begins with places low … high-1 of the source.
func (w *worker) chunk(low, high int) {
	switch p := w.join; {
	case p.input != nil:
		w.seed(low, high)
	case p.prefix == 0:
		w.tables[0].n = 1
		w.finish(&w.tables[0], 1)
	default:
		w.first(low, high)
	}
}

// first binds the first step to the chunk's members.
func (w *worker) first(low, high int) {
	s, src := w.join.steps[0], &w.run.source
	defer w.clock.leave(w.clock.enter(s.Index))
	c := &w.scratch[s.Index]
	c.lists, c.lookup = c.lists[:0], c.lookup[:0]
	if src.rows != nil {
		c.buf = src.rows.AppendVertices(c.buf[:0], src.first+low, src.first+high)
		c.lists = append(c.lists, c.buf)
	} else {
		c.lists = append(c.lists, src.list[low:high])
	}
	for i, l := range s.static {
		if src.rows != nil || i > 0 {
			c.lists = append(c.lists, l.list)
		}
	}
	c.candidates += uint64(high - low)
	w.work += high - low
	c.set, c.hasSet, c.valid = w.filter(s, c, c.lists[0]), true, true
	set := w.distinctSet(s)
	c.rowsOut += uint64(len(set))
	w.push(1, nil, 0, set)
}

// drain passes on the rows that wait in the tables.
func (w *worker) drain() {
	for level := 1; level <= w.join.prefix; level++ {
		w.flush(level)
	}
}

// flush passes on the rows that wait at a level.
func (w *worker) flush(level int) {
	t := &w.tables[level]
	if t.n > 0 {
		w.extendRows(level, t, t.n)
		t.n = 0
	}
}

// extendRows joins the first n rows of a table with the level's step, or finishes them.
func (w *worker) extendRows(level int, t *table, n int) {
	if level == w.join.prefix {
		w.finish(t, n)
		return
	}
	s := w.join.steps[level]
	defer w.clock.leave(w.clock.enter(s.Index))
	c, l := &w.scratch[s.Index], &w.levels[level]
	l.begin(t, n)
	if s.stretch {
		w.extendTogether(level, s, t)
		l.stop()
		return
	}
	for row := 0; row < l.end && !w.run.stop.Load(); row++ {
		l.next = row + 1
		if w.work >= w.shareAt {
			w.share()
		}
		for _, slot := range s.Reads {
			w.values[slot] = t.cols[slot][row]
		}
		set := w.distinctSet(s)
		c.rowsOut += uint64(len(set))
		if len(set) > 0 {
			w.push(level+1, t, row, set)
		}
	}
	l.stop()
}

// push appends to a level's table one row for each member of set: the given row of t, extended. Full tables are
// passed on.
func (w *worker) push(level int, t *table, row int, set []pcsr.Vertex) {
	p, out := w.join, &w.tables[level]
	carry, slot := p.carry[level], -1
	if p.keeps[level] {
		slot = p.steps[level-1].Slot
	}
	for len(set) > 0 {
		n := min(len(set), w.run.capacity-out.n)
		out.reserve(n, carry, slot)
		for _, c := range carry {
			fill(out.cols[c], out.n, n, t.cols[c][row])
		}
		if slot >= 0 {
			copy(out.cols[slot][out.n:out.n+n], set)
		}
		out.n += n
		set = set[n:]
		if out.n >= w.run.capacity {
			l := &w.levels[level-1]
			l.table, l.row, l.set = t, row, set
			if w.flush(level); w.run.stop.Load() {
				return
			}
			set, l.set = l.set, nil
		}
	}
}
