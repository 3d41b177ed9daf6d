package cpu

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// rowLoop is what a worker has still to do at a level: rows of a table, from next to end-1, and of one row (in work since before next) the
// candidates that are not in the table of the next level yet.
type rowLoop struct {
	table     *table
	next, end int
	row       int
	set       []pcsr.Vertex
}

func (l *rowLoop) begin(t *table, n int) { l.table, l.next, l.end = t, 0, n }
func (l *rowLoop) stop()                 { l.next, l.end, l.set = 0, 0, nil }

// setLoop is what a worker has still to do of a group's candidates, from next to end-1, and who counts others of them.
type setLoop struct {
	set       []pcsr.Vertex
	next, end int
	// whole: all solutions are counted, not only the first.
	whole bool
	// most, where set has members of a list that are not narrowed down yet, is how many solutions are enough, else 0; over says that there are, once several workers count them.
	most  uint64
	over  *atomic.Bool
	forks []*fork
}

// fork is some of a group's candidates that another worker counts for a partial match. The set stays its owner's, who waits for done.
type fork struct {
	group  *group
	values []dictionary.ID
	set    []pcsr.Vertex
	done   chan struct{}
	total  uint64
	// over and most are those of members that are not narrowed down yet; over is nil of candidates.
	over *atomic.Bool
	most uint64
}

// share gives work to idle threads, if there are any: chunks of the source to as many as there are, or of all that the worker has still to
// do the later half of what is outermost, where the parts are largest; where that is few parts, the half of what is in the next one too, for
// it may be nearly all.
func (w *worker) share() {
	w.look()
	w.yield()
	if w.tuning.looks != nil {
		w.tuning.looks(w.run)
	}
	if w.run.source.left() {
		w.run.startAll(w.run.expected(w.work))
		return
	}
	if w.shareLoops() {
		w.shareAt = w.work + w.every/soonShare
	}
}

// A worker that counts looks whether there are idle threads about every lookTime: after as many members of lists as have taken so long, but no more than tuning.often, nor
// less than a leastShare of it; after an offer that was taken, a soonShare of that is enough. Where lists are short and lie anywhere, some hundred take as long as
// ten thousand do that lie in order. (Of rows, what becomes of them takes most of the time, and fewer at a time cost more.)
const (
	lookTime   = 50 * time.Microsecond
	leastShare = 32
	soonShare  = 4
)

// lookSoon has a worker of a count that begins look for idle threads after a share of what it would do before.
func (w *worker) lookSoon(share int) {
	w.shareAt, w.lookedAt, w.looked = w.tuning.often/share, 0, time.Now()
}

// look decides when the worker looks next.
func (w *worker) look() {
	if w.run.emit != nil {
		w.lookedAt, w.shareAt = w.work, w.work+w.every
		return
	}
	now := time.Now()
	if took := now.Sub(w.looked); took > 0 && !w.looked.IsZero() {
		every := float64(w.work-w.lookedAt) * float64(lookTime) / float64(took)
		w.every = max(w.tuning.often/leastShare, min(w.tuning.often, int(every)))
	}
	w.looked, w.lookedAt = now, w.work
	w.shareAt = w.work + w.every
}

// fewParts is up to how many rows or candidates are few to be given away.
const fewParts = 8

// shareLoops gives away some of what the worker has still to do, and tells whether there were threads for all that it gave.
func (w *worker) shareLoops() bool {
	for level := range w.levels[:w.join.prefix+1] {
		l := &w.levels[level]
		if n := max(l.end-l.next, len(l.set)); n > 0 {
			if !w.shareRows(level, l) {
				return false
			}
			if n > 2*fewParts {
				return true
			}
		}
	}
	for i := range w.sets {
		l := &w.sets[i]
		if n := l.end - l.next; n > 0 && l.whole || n > w.tuning.fewMembers && l.most > 0 {
			if !w.shareSet(w.join.numbered[i], l) {
				return false
			}
			if n > 2*fewParts*w.join.numbered[i].piece() {
				return true
			}
		}
	}
	return true
}

// shareRows gives away rows of a level, or candidates of its last row, if there is a thread.
func (w *worker) shareRows(level int, l *rowLoop) bool {
	if !w.run.helpers.Reserve() {
		return false
	}
	if l.next == l.end {
		half := len(l.set) / 2
		row, set := l.table.part(w.join.columns(level), l.row, l.row+1), slices.Clone(l.set[half:])
		l.set = l.set[:half]
		w.run.start(func(w *worker) {
			w.push(level+1, row, 0, set)
			w.drain()
		})
		return true
	}
	half := l.next + (l.end-l.next)/2
	rows := l.table.part(w.join.columns(level), half, l.end)
	l.end = half
	w.run.start(func(w *worker) {
		w.extendRows(level, rows, rows.n)
		w.drain()
	})
	return true
}

// columns are the slots that the tables of a level keep.
func (p *join) columns(level int) []int {
	columns := p.carry[level]
	if level > 0 && p.keeps[level] {
		columns = append(columns[:len(columns):len(columns)], p.steps[level-1].Slot)
	}
	return columns
}

// waitersOfThread is how many workers may wait for forks, for each thread: they keep their memory.
const waitersOfThread = 3

// shareSet gives away candidates of a group, if there is a thread.
func (w *worker) shareSet(g *group, l *setLoop) bool {
	if int(w.run.waiting.Load()) >= waitersOfThread*w.join.workers.Limit() || !w.run.helpers.Reserve() {
		return false
	}
	half := l.next + (l.end-l.next)/2
	f := &fork{group: g, values: slices.Clone(w.values), set: l.set[half:l.end], done: make(chan struct{})}
	if l.most > 0 {
		if l.over == nil {
			l.over = &atomic.Bool{}
		}
		f.over, f.most = l.over, l.most // w.most may be that of a branch of a member
	}
	l.end = half
	l.forks = append(l.forks, f)
	w.run.start(func(w *worker) { w.countFork(f) })
	return true
}

// countFork counts what another worker gave away.
func (w *worker) countFork(f *fork) {
	defer close(f.done)
	defer w.clock.leave(w.clock.enter(f.group.index()))
	copy(w.values, f.values)
	if f.over != nil {
		f.total = w.countMembersOf(f)
		return
	}
	f.total = w.countSet(f.group, f.set)
}

// collect waits for the forks of a loop and adds up what they counted. The thread is others' meanwhile.
func (w *worker) collect(l *setLoop) (total uint64) {
	defer w.clock.leave(w.clock.enter(noStep))
	for _, f := range l.forks {
		w.await(f)
		total = add(total, f.total)
	}
	l.forks = l.forks[:0]
	return total
}

// await returns when a fork was counted.
func (w *worker) await(f *fork) {
	select {
	case <-f.done:
		return
	default:
	}
	w.run.waiting.Add(1)
	w.join.workers.Leave()
	<-f.done
	w.join.workers.Enter()
	w.run.waiting.Add(-1)
}
