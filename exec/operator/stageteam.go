package operator

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// stageFeed hands batches to the copies of some stages: at first in the caller's goroutine and, once it is known that a
// row takes long, to a team. What comes out is emitted in the caller's goroutine, in the order of the batches.
type stageFeed struct {
	x    *Execution
	own  *StageRun
	team *stageTeam
	emit func(*vector.Batch) error
	// rows took so long; at next it is time to ask for a team again.
	rows, next uint64
	took       time.Duration
}

func (f *stageFeed) add(b *vector.Batch) error {
	if f.team == nil && f.rows >= f.next {
		f.next *= 2
		if f.took.Nanoseconds() >= int64(f.rows)*int64(TeamNanoseconds) && len(f.own.Stages) <= TeamStages {
			f.team = newStageTeam(f.x, f.own.Stages)
		}
	}
	if f.team != nil {
		return f.team.send(b, f.emit)
	}
	began := time.Now()
	out, err := f.own.Apply(f.x, b)
	f.took += time.Since(began)
	f.rows += uint64(b.N)
	if err != nil || out == nil {
		return err
	}
	return f.emit(out)
}

// drain emits what the team still works on.
func (f *stageFeed) drain() error {
	if f.team == nil {
		return nil
	}
	for f.team.first < f.team.last {
		if err := f.team.next(f.emit); err != nil {
			return err
		}
	}
	return nil
}

// close ends the team. The uppermost stage is measured by who runs it.
func (f *stageFeed) close() {
	below := len(f.own.Stages) - 1
	f.own.Report(f.x, below)
	if f.team == nil {
		return
	}
	f.team.end()
	for i := range f.team.ring {
		f.team.ring[i].stages.Report(f.x, below)
	}
}

// stageTeam is goroutines that take batches through stages. Jobs first … last-1, counted from the beginning, are being
// worked on or done; each has a place in the ring, and copies of the stages whose output stays until it is used again.
type stageTeam struct {
	x           *Execution
	size        int
	ring        []stageJob
	first, last int
	jobs        chan *stageJob
	held        *limits.Account
	wait        sync.WaitGroup
	stopped     atomic.Bool
}

type stageJob struct {
	batch  BatchCopy
	stages *StageRun
	out    *vector.Batch
	err    error
	done   chan struct{}
}

// newStageTeam starts a team; nil where the machine is busy.
func newStageTeam(x *Execution, stages []Stage) *stageTeam {
	size := Enlist()
	if size == 0 {
		return nil
	}
	t := &stageTeam{x: x, size: size, ring: make([]stageJob, 3*size), jobs: make(chan *stageJob, 3*size), held: x.Memory.Open("filter or bind")}
	for i := range t.ring {
		t.ring[i].stages, t.ring[i].done = NewStageRun(stages), make(chan struct{}, 1)
	}
	t.wait.Add(size)
	for range size {
		go t.work()
	}
	return t
}

// send gives a copy of a batch to the team and emits what is done.
func (t *stageTeam) send(b *vector.Batch, emit func(*vector.Batch) error) error {
	for t.last-t.first == len(t.ring) || t.first < t.last && len(t.at(t.first).done) > 0 {
		if err := t.next(emit); err != nil {
			return err
		}
	}
	j := t.at(t.last)
	before := j.batch.Bytes()
	j.batch.Copy(b)
	t.held.Hold(t.held.Held + j.batch.Bytes() - before)
	t.last++
	t.jobs <- j
	return nil
}

func (t *stageTeam) at(job int) *stageJob { return &t.ring[job%len(t.ring)] }

// next waits for the first job and emits what came of it.
func (t *stageTeam) next(emit func(*vector.Batch) error) error {
	j := t.at(t.first)
	<-j.done
	t.first++
	if j.err != nil || j.out == nil {
		return j.err
	}
	return emit(j.out)
}

// work is one goroutine.
func (t *stageTeam) work() {
	defer t.wait.Done()
	for j := range t.jobs {
		if !t.stopped.Load() {
			j.out, j.err = t.do(j)
		}
		j.done <- struct{}{}
	}
}

func (t *stageTeam) do(j *stageJob) (out *vector.Batch, err error) {
	defer Recovered(&err, Guard())
	return j.stages.Apply(t.x, &j.batch.Batch)
}

// end waits for the goroutines; what they have not begun is left.
func (t *stageTeam) end() {
	t.stopped.Store(true)
	close(t.jobs)
	t.wait.Wait()
	Dismiss(t.size)
	t.held.Close()
}
