package group

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// groupFeed hands the rows of a source to a run: at first in the caller's goroutine and, once there are many rows, to workers too.
// Where there are few groups, and will be, these group some of the rows each, else they have some of the groups each.
type groupFeed struct {
	run *run
	own *groupRows
	// singles have batches of which each row is a group.
	singles *singles
	shared  *sharedGroups
	parts   *groupParts
	// kept are the rows so far, as long as it is open which of the two it will be; nil where there is nothing to choose.
	kept *vector.Rows
	// at counts the source's rows; at next it is time to look whether workers are worth it.
	at   atomic.Uint64
	next uint64
	// busy is how many goroutines are at a batch for the parts.
	busy atomic.Int32
	// beside are the shared groups whose members take batches from whoever finds the rows; nil where there are none.
	beside atomic.Pointer[sharedGroups]
	// besideParts are the parts that whoever finds the rows takes them into; nil where there are none.
	besideParts atomic.Pointer[groupParts]
}

// worthHanding is how long a batch must be expected to take where it is handed to another goroutine, which is to be woken, instead of being grouped at once.
const worthHanding = 200 * time.Microsecond

// aside takes a batch from one of several goroutines that find rows: for a member that nobody uses, so that nobody waits for another one's, and nothing is copied; or for
// a worker, if there is a thread for one and batches take long.
func (f *groupFeed) aside(b *vector.Batch) (taken bool, err error) {
	if b.Folds == nil && f.run.single(b) {
		return true, f.singles.aside(b)
	}
	if parts := f.besideParts.Load(); parts != nil {
		defer f.busy.Add(-1)
		if f.busy.Add(1) == 1 {
			return false, nil // nobody else finds rows, or they are few: they are shared by workers, in their order
		}
		n := uint64(b.N)
		at := f.at.Add(n) - n
		return parts.aside(b, at)
	}
	t := f.beside.Load()
	if t == nil || !t.gate.TryRLock() {
		return false, nil
	}
	defer t.gate.RUnlock()
	if t.full.Load() || t.stopped.Load() || f.run.single(b) {
		return false, nil
	}
	if err := t.x.Ended(); err != nil {
		return false, err
	}
	n := uint64(b.N)
	at := f.at.Add(n) - n
	if t.dear(n) && t.hand(b, at, t.workers.Running()) {
		return true, nil
	}
	if len(t.jobs) > 0 { // they come first
		return false, nil
	}
	select {
	case m := <-t.idle:
		begun := time.Now()
		err = m.add(t.x, b, at)
		t.took.Add(int64(time.Since(begun)))
		if t.rows.Add(n) == n {
			t.x.Workers.Disclaim() // whoever finds rows groups them: no other worker is needed
		}
		t.idle <- m
		return true, err
	default:
		return false, nil
	}
}

func (f *groupFeed) add(b *vector.Batch) error {
	if f.shared != nil && f.shared.full.Load() {
		if err := f.gather(); err != nil {
			return err
		}
	}
	if f.at.Load() >= f.next {
		f.next *= 2
		if err := f.share(); err != nil {
			return err
		}
	}
	n := uint64(b.N)
	at := f.at.Add(n) - n
	if f.shared != nil {
		return f.shared.add(b, at)
	}
	if f.parts != nil {
		defer f.busy.Add(-1)
		f.busy.Add(1)
		return f.parts.add(b, at)
	}
	rows, err := f.own.of(f.run.x, b)
	if err != nil || rows == nil {
		return err
	}
	if f.kept != nil {
		if err := f.kept.AppendBatch(rows, f.run.x.Ended); err != nil {
			return err
		}
	}
	return f.run.add(rows, at)
}

// share lets workers have rows from now on, where that is worth while.
func (f *groupFeed) share() (err error) {
	if f.shared != nil || f.parts != nil || f.run.x.Alone() || len(f.own.stages.Stages) > operator.MostStages {
		return nil
	}
	kept := f.kept
	split := kept != nil && f.run.splits()
	switch shares := f.run.shares(f.at.Load()); {
	case shares && !(split && f.run.keepsComing(f.at.Load())):
		if f.shared, err = newSharedGroups(f.run, f.own.stages.Stages); err == nil {
			f.beside.Store(f.shared)
		}
	case split:
		if f.parts, err = newGroupParts(f.run, f.own.stages.Stages); err == nil {
			err = f.parts.replay(kept)
		}
		if err == nil {
			f.besideParts.Store(f.parts)
		}
	}
	f.kept = nil
	return err
}

// shares reports whether runs of some of the rows each are worth being merged, after so many rows.
func (r *run) shares(rows uint64) bool {
	held := r.groups.Rows.N
	for _, s := range r.states {
		if !s.merges() {
			return false
		}
		held += s.distinct()
	}
	return r.parts == nil && uint64(held)*uint64(max(0, r.x.Tuning.GroupRows)) <= rows
}

// newGroupEvery: one new group in how many rows makes many groups in the end: rows often come with those of a group together, so
// that few groups at first say little.
const newGroupEvery = 64

// keepsComing reports whether new groups come as fast as before, after so many rows: merging them, and computing their results, would
// be one goroutine's work.
func (r *run) keepsComing(rows uint64) bool {
	known, _ := slices.BinarySearch(r.first, rows/2)
	return r.x.Tuning.GroupRows > 0 && uint64(len(r.first)-known)*newGroupEvery >= rows/2
}

// gather ends the workers and merges what it found.
func (f *groupFeed) gather() error {
	if f.parts != nil {
		return f.parts.drain()
	}
	if f.shared == nil {
		return nil
	}
	shared := f.shared
	f.next = ^uint64(0)
	f.beside.Store(nil)
	if err := shared.end(); err != nil {
		return err
	}
	for _, m := range shared.members {
		for _, s := range m.run.states {
			if !s.merges() {
				return errAgain
			}
		}
	}
	f.shared = nil
	runs := []*run{f.run}
	for _, m := range shared.members {
		m.rows.stages.Report(f.run.x, len(f.own.stages.Stages))
		runs = append(runs, m.run)
	}
	err := mergeAll(runs)
	for _, r := range runs[1:] {
		r.close()
	}
	if err != nil {
		return err
	}
	return f.run.account()
}

// mergeAll merges runs into the first of them: where they have many groups, in pairs, by several goroutines, and then what comes of these.
func mergeAll(runs []*run) error {
	x, groups := runs[0].x, 0
	for _, r := range runs {
		groups += r.groups.Rows.N
	}
	if uint64(groups) < x.Tuning.ShareFrom || x.Alone() {
		for _, r := range runs[1:] {
			runs[0].merge(r)
		}
		return nil
	}
	for apart := 1; apart < len(runs); apart *= 2 {
		pairs := (len(runs) + apart - 1) / (2 * apart)
		if err := x.Each(pairs, func(i int) error { return runs[2*apart*i].swallow(runs[2*apart*i+apart]) }); err != nil {
			return err
		}
	}
	return nil
}

// swallow merges another run, whose memory is free then.
func (r *run) swallow(of *run) error {
	r.merge(of)
	if err := r.x.Ended(); err != nil {
		return err
	}
	of.groups.Release()
	of.groups, of.first, of.states = nil, nil, nil
	of.held.Hold(0)
	r.held.Hold(r.bytes()) // where it is too much, the last one goes on from disk, or ends
	return nil
}

// close ends the workers, if the feed ended before its rows did.
func (f *groupFeed) close() {
	if f.shared != nil {
		f.shared.stopped.Store(true)
		_ = f.shared.end()
		for _, m := range f.shared.members {
			m.run.close()
		}
		f.shared = nil
	}
	if f.parts != nil {
		f.parts.close()
	}
	f.own.stages.Report(f.run.x, len(f.own.stages.Stages))
}

// sharedGroups are members that group some of the rows each. Each is used by one goroutine at a time: the first by the caller,
// the others by workers.
type sharedGroups struct {
	x       *operator.Execution
	members []*groupMember
	idle    chan *groupMember
	jobs    chan *groupJob // those that nobody has begun
	free    chan *groupJob
	workers schedule.Group
	// took is how long members took for rows of batches aside.
	took atomic.Int64
	rows atomic.Uint64
	// gate is open for batches aside until the end.
	gate    sync.RWMutex
	holding sync.Mutex // guards held
	held    *limits.Account
	inline  operator.Inline
	ended   bool
	err     error
	// full: a member holds more than it may.
	full    atomic.Bool
	stopped atomic.Bool
}

type groupMember struct {
	run  *run
	rows *groupRows
}

// groupJob is a copy of a batch of the source; the first row is row at of it.
type groupJob struct {
	batch vector.BatchCopy
	at    uint64
}

// newSharedGroups returns members beside a run.
func newSharedGroups(r *run, stages []operator.Stage) (*sharedGroups, error) {
	size := r.x.Copies()
	t := &sharedGroups{x: r.x, idle: make(chan *groupMember, size), jobs: make(chan *groupJob, 3*size), free: make(chan *groupJob, 3*size)}
	t.workers = schedule.Group{Share: r.x.Workers, Failed: func() { t.stopped.Store(true) }}
	for range cap(t.free) {
		t.free <- &groupJob{}
	}
	for range size {
		run, err := r.newRun(r.x, 0)
		if err != nil {
			return nil, err
		}
		run.full = &t.full
		t.members = append(t.members, &groupMember{run, newGroupRows(r.Group, stages)})
	}
	for _, m := range t.members[1:] {
		t.idle <- m
	}
	t.held = r.x.Memory.Open("group")
	return t, nil
}

// add gives a copy of a batch to the workers. Where they have enough, the caller does a job itself. Every member gets its rows
// in the order of the source: the caller takes a batch past the jobs only when there are none.
func (t *sharedGroups) add(b *vector.Batch, at uint64) error {
	if t.stopped.Load() {
		return t.end()
	}
	own := t.members[0]
	aside := t.rows.Load() > 0
	if len(t.free) == 0 {
		if !aside {
			t.x.Workers.Claim()
		}
		if done, err := t.one(own); err != nil {
			return err
		} else if !done {
			return own.add(t.x, b, at)
		}
	}
	if t.hand(b, at, cap(t.jobs)) {
		return nil
	}
	if err := t.drain(own); err != nil {
		return err
	}
	if !aside && len(t.idle) > 0 {
		t.inline.Claim(t.x)
	}
	return t.inline.Do(func() error { return own.add(t.x, b, at) })
}

// dear reports whether so many rows are expected to take long.
func (t *sharedGroups) dear(rows uint64) bool {
	known := t.rows.Load()
	return known > 0 && time.Duration(t.took.Load()/int64(known)*int64(rows)) > worthHanding
}

// hand makes a job of a copy of a batch, for a worker for which there is a thread, or for those that there are where fewer than most jobs wait for them. It waits for
// nobody.
func (t *sharedGroups) hand(b *vector.Batch, at uint64, most int) bool {
	var j *groupJob
	select {
	case j = <-t.free:
	default:
		return false
	}
	reserved := len(t.idle) > 0 && t.workers.Reserve()
	if !reserved && (t.workers.Running() == 0 || len(t.jobs) >= most) {
		t.free <- j
		return false
	}
	before := j.batch.Bytes()
	j.batch.Copy(b)
	j.at = at
	t.holding.Lock()
	t.held.Hold(t.held.Held + j.batch.Bytes() - before)
	t.holding.Unlock()
	t.jobs <- j
	if reserved {
		t.workers.Start(t.work)
	}
	return true
}

// add groups the rows of a batch of the source.
func (m *groupMember) add(x *operator.Execution, b *vector.Batch, at uint64) error {
	rows, err := m.rows.of(x, b)
	if err != nil || rows == nil {
		return err
	}
	return m.run.add(rows, at)
}

// work is one worker: it does jobs until there are none, with a member that nobody uses.
func (t *sharedGroups) work(w *schedule.Worker) error {
	select {
	case m := <-t.idle:
		defer func() { t.idle <- m }()
		for w.Keep() {
			if done, err := t.one(m); err != nil || !done {
				return err
			}
		}
	default:
	}
	return nil
}

// drain does jobs with a member until there are none.
func (t *sharedGroups) drain(m *groupMember) error {
	for {
		if done, err := t.one(m); err != nil || !done {
			return err
		}
	}
}

// one does a job with a member; not so where there is none, or something has failed.
func (t *sharedGroups) one(m *groupMember) (done bool, err error) {
	if t.stopped.Load() {
		return false, nil
	}
	select {
	case j := <-t.jobs:
		err := m.add(t.x, &j.batch.Batch, j.at)
		t.free <- j
		return err == nil, err
	default:
		return false, nil
	}
}

// end waits until all jobs are done and says why one of them failed.
func (t *sharedGroups) end() error {
	if !t.ended {
		t.ended = true
		t.gate.Lock() // who is at a batch aside ends it, and nobody begins another
		t.x.Workers.Disclaim()
		t.workers.Do(func() error { return t.drain(t.members[0]) })
		t.err = t.workers.Wait()
		t.held.Close()
	}
	return t.err
}
