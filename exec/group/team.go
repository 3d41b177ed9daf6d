package group

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// TeamShare is how many rows there must have been for each thing that the results of a team of groups are merged by (a
// group, a value of a DISTINCT).
var TeamShare = 8

// groupFeed hands the rows of a source to a run: at first in the caller's goroutine and, once it is known that
// there are many rows in few groups, to a team.
type groupFeed struct {
	run  *run
	own  *groupRows
	team *groupTeam
	// at counts the source's rows; at next it is time to ask for a team again.
	at, next uint64
}

func (f *groupFeed) add(b *vector.Batch) error {
	if f.team != nil && f.team.full.Load() {
		if err := f.gather(); err != nil {
			return err
		}
	}
	if f.at >= f.next {
		f.next *= 2
		if err := f.share(); err != nil {
			return err
		}
	}
	at := f.at
	f.at += uint64(b.N)
	if f.team != nil {
		return f.team.send(b, at)
	}
	rows, err := f.own.of(f.run.x, b)
	if err != nil || rows == nil {
		return err
	}
	return f.run.add(rows, at)
}

// share starts a team where that is worth while.
func (f *groupFeed) share() (err error) {
	if f.team == nil && f.run.shares(f.at) && len(f.own.stages.Stages) <= operator.TeamStages {
		f.team, err = newGroupTeam(f.run, f.own.stages.Stages)
	}
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
	return r.parts == nil && uint64(held)*uint64(TeamShare) <= rows
}

// gather ends the team and merges what it found.
func (f *groupFeed) gather() error {
	if f.team == nil {
		return nil
	}
	team := f.team
	f.next = ^uint64(0)
	if err := team.end(); err != nil {
		return err
	}
	for _, m := range team.members {
		for _, s := range m.run.states {
			if !s.merges() {
				return errAgain
			}
		}
	}
	f.team = nil
	for _, m := range team.members {
		f.run.merge(m.run)
		m.rows.stages.Report(f.run.x, len(f.own.stages.Stages))
		m.run.close()
	}
	return f.run.account()
}

// close ends the team, if the feed ended before its rows did.
func (f *groupFeed) close() {
	if f.team != nil {
		_ = f.team.end()
		for _, m := range f.team.members {
			m.run.close()
		}
		f.team = nil
	}
	f.own.stages.Report(f.run.x, len(f.own.stages.Stages))
}

// groupTeam is goroutines that group some of the rows each.
type groupTeam struct {
	x       *operator.Execution
	members []groupMember
	jobs    chan *groupJob
	free    chan *groupJob
	held    *limits.Account
	wait    sync.WaitGroup
	ended   bool
	// full: a member holds more than it may.
	full    atomic.Bool
	stopped atomic.Bool
	mu      sync.Mutex
	err     error
}

type groupMember struct {
	run  *run
	rows *groupRows
}

// groupJob is a copy of a batch of the source; the first row is row at of it.
type groupJob struct {
	batch operator.BatchCopy
	at    uint64
}

// newGroupTeam starts a team beside a run; nil where the machine is busy.
func newGroupTeam(r *run, stages []operator.Stage) (*groupTeam, error) {
	size := operator.Enlist()
	if size == 0 {
		return nil, nil
	}
	t := &groupTeam{x: r.x, jobs: make(chan *groupJob, size), free: make(chan *groupJob, 3*size), held: r.x.Memory.Open("group")}
	for range cap(t.free) {
		t.free <- &groupJob{}
	}
	for range size {
		run, err := r.newRun(r.x, 0)
		if err != nil {
			operator.Dismiss(size)
			return nil, err
		}
		run.team = t
		t.members = append(t.members, groupMember{run, newGroupRows(r.Group, stages)})
	}
	t.wait.Add(size)
	for _, m := range t.members {
		go t.work(m)
	}
	return t, nil
}

// send gives a copy of a batch to the team.
func (t *groupTeam) send(b *vector.Batch, at uint64) error {
	if t.stopped.Load() {
		return t.end()
	}
	j := <-t.free
	before := j.batch.Bytes()
	j.batch.Copy(b)
	j.at = at
	t.held.Hold(t.held.Held + j.batch.Bytes() - before)
	t.jobs <- j
	return nil
}

// work is one member's goroutine. After a failure the jobs are only taken away.
func (t *groupTeam) work(m groupMember) {
	defer t.wait.Done()
	for j := range t.jobs {
		if !t.stopped.Load() {
			if err := t.do(m, j); err != nil {
				t.fail(err)
			}
		}
		t.free <- j
	}
}

func (t *groupTeam) do(m groupMember, j *groupJob) (err error) {
	defer operator.Recovered(&err, operator.Guard())
	rows, err := m.rows.of(t.x, &j.batch.Batch)
	if err != nil || rows == nil {
		return err
	}
	return m.run.add(rows, j.at)
}

func (t *groupTeam) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
	t.stopped.Store(true)
}

// end waits until all jobs are done and says why one of them failed.
func (t *groupTeam) end() error {
	if !t.ended {
		t.ended = true
		close(t.jobs)
		t.wait.Wait()
		operator.Dismiss(len(t.members))
		t.held.Close()
	}
	return t.err
}
