package operator

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// stageFeed hands batches to the copies of some stages: at first in the caller's goroutine and, once it is known that a
// row takes long, to workers too. What comes out is emitted in the caller's goroutine, in the order of the batches; but where several goroutines find rows, which are in no
// order then, each takes its own through the stages and emits what comes of them, one at a time.
type stageFeed struct {
	x      *Execution
	own    *StageRun
	shared *sharedStages
	// out is where what comes out goes.
	out *Outlet
	// rows took so long; at next it is time to look whether workers are worth it.
	rows, next uint64
	asks       bool
	inline     Inline
	// busy is how many goroutines are at a batch.
	busy atomic.Int32
	idle schedule.Spares[*StageRun] // copies of the stages for batches aside
}

// aside takes a batch through the stages while another goroutine is at one, so that those who find rows do not wait for each other but where they emit.
func (f *stageFeed) aside(b *vector.Batch) (taken bool, err error) {
	defer f.busy.Add(-1)
	if f.busy.Add(1) == 1 {
		return false, nil
	}
	own := f.idle.Take(func() *StageRun { return NewStageRun(f.own.Stages) })
	out, err := own.Apply(f.x, b)
	if err == nil && out != nil {
		err = f.out.HandOn(out)
	}
	f.idle.Give(own)
	return true, err
}

// A stage looks whether workers are worth it after firstLook rows, and again when there were twice as many: they are where it has taken worthTime, which may be about what
// it takes for the rest. They get partRows at a time, so that an answer of a few batches is the work of many. Where patterns are run for each row, it looks after the firstPart, too, and
// workers get what takes partTime, but no less than that.
const (
	firstPart = 8
	firstLook = 1024
	partRows  = 1024
	partTime  = 200 * time.Microsecond
	worthTime = 150 * time.Microsecond
)

func (f *stageFeed) add(b *vector.Batch) (err error) {
	defer f.busy.Add(-1)
	f.busy.Add(1)
	for from := 0; from < b.N && err == nil; {
		if f.shared == nil && f.rows >= f.next {
			f.next = f.look(f.rows)
			f.share()
		}
		to := min(b.N, from+f.part())
		err = f.addPart(b.Part(from, to))
		from = to
	}
	return err
}

// look is after how many rows it is time to look again.
func (f *stageFeed) look(rows uint64) uint64 {
	if f.asks && rows == 0 {
		return f.first()
	}
	return max(2*rows, min(firstLook, f.x.Tuning.ShareFrom))
}

// first is how many rows patterns are run for before it is known what they take.
func (f *stageFeed) first() uint64 { return min(firstPart, f.x.Tuning.ShareFrom) }

// part is how many rows are taken through the stages at a time.
func (f *stageFeed) part() int {
	switch {
	case f.shared != nil && f.asks:
		return int(min(partRows, max(f.first(), f.rows*uint64(partTime)/uint64(max(1, f.inline.took)))))
	case f.shared != nil:
		return partRows
	case f.asks: // not all of a batch for the first row
		return int(max(f.first(), f.rows))
	}
	return math.MaxInt32
}

// addPart has a part of a batch taken by a worker, or takes it through the stages.
func (f *stageFeed) addPart(b *vector.Batch) error {
	if f.shared != nil {
		if taken, err := f.shared.take(b, f.out.Emit); taken || err != nil {
			return err
		}
		f.inline.Claim(f.x)
	}
	return f.apply(b)
}

// apply takes a batch through the stages at once.
func (f *stageFeed) apply(b *vector.Batch) (err error) {
	var out *vector.Batch
	err = f.inline.Do(func() error {
		out, err = f.own.Apply(f.x, b)
		return err
	})
	f.rows += uint64(b.N)
	if err != nil || out == nil {
		return err
	}
	return f.out.Emit(out)
}

// share lets workers have batches from now on, where that is worth while.
func (f *stageFeed) share() {
	each := f.x.Tuning.ShareTime
	costly := each < 0 || f.inline.took >= max(worthTime, time.Duration(f.rows)*each)
	if costly && f.x.Copies() > 1 && len(f.own.Stages) <= MostStages {
		f.shared = newSharedStages(f.x, f.own.Stages)
	}
}

// drain emits what workers were given.
func (f *stageFeed) drain() error {
	if f.shared == nil {
		return nil
	}
	return f.shared.drain(f.out.Emit)
}

// close waits for the workers. The uppermost stage is measured by who runs it.
func (f *stageFeed) close() {
	below := len(f.own.Stages) - 1
	f.own.Report(f.x, below)
	if f.shared == nil {
		return
	}
	f.shared.end()
	for i := range f.shared.ring {
		f.shared.ring[i].stages.Report(f.x, below)
	}
}

// sharedStages are batches that workers, and the caller where it would wait for them, take through stages. Jobs first …
// last-1, counted from the beginning, are being worked on or done; each has a place in the ring, and copies of the stages
// whose output stays until it is used again.
type sharedStages struct {
	x           *Execution
	ring        []stageJob
	first, last int
	jobs        chan *stageJob // those that nobody has begun
	workers     schedule.Group
	held        *limits.Account
	stopped     atomic.Bool
}

type stageJob struct {
	batch  vector.BatchCopy
	stages *StageRun
	out    *vector.Batch
	err    error
	done   chan struct{}
}

func newSharedStages(x *Execution, stages []Stage) *sharedStages {
	places := 3 * x.Copies()
	t := &sharedStages{x: x, ring: make([]stageJob, places), jobs: make(chan *stageJob, places), held: x.Memory.Open("filter or bind")}
	t.workers = schedule.Group{Share: x.Workers, Failed: func() { t.stopped.Store(true) }}
	for i := range t.ring {
		t.ring[i].stages, t.ring[i].done = NewStageRun(stages), make(chan struct{}, 1)
	}
	return t
}

// pending reports whether there are jobs whose output has not been emitted.
func (t *sharedStages) pending() bool { return t.first < t.last }

// take emits what is done, and takes a copy of a batch. Where there is no worker for it, it emits all and leaves the batch to
// the caller.
func (t *sharedStages) take(b *vector.Batch, emit func(*vector.Batch) error) (taken bool, err error) {
	if t.last-t.first == len(t.ring) {
		t.x.Workers.Claim()
	}
	for t.last-t.first == len(t.ring) || t.pending() && len(t.at(t.first).done) > 0 {
		if err := t.next(emit); err != nil {
			return false, err
		}
	}
	reserved := t.workers.Reserve()
	if !reserved && t.workers.Running() == 0 {
		return false, t.drain(emit)
	}
	j := t.at(t.last)
	before := j.batch.Bytes()
	j.batch.Copy(b)
	t.held.Hold(t.held.Held + j.batch.Bytes() - before)
	t.last++
	t.jobs <- j
	if reserved {
		t.workers.Start(t.work)
	}
	return true, nil
}

// drain emits what comes of all jobs.
func (t *sharedStages) drain(emit func(*vector.Batch) error) error {
	for t.pending() {
		if err := t.next(emit); err != nil {
			return err
		}
	}
	return nil
}

func (t *sharedStages) at(job int) *stageJob { return &t.ring[job%len(t.ring)] }

// next waits for the first job and emits what came of it.
func (t *sharedStages) next(emit func(*vector.Batch) error) error {
	j := t.at(t.first)
	t.await(j)
	t.first++
	if j.err != nil || j.out == nil {
		return j.err
	}
	return emit(j.out)
}

// await returns when a job is done; meanwhile the caller does those that nobody has begun.
func (t *sharedStages) await(j *stageJob) {
	for len(j.done) == 0 {
		select {
		case other := <-t.jobs:
			t.do(other)
			continue
		default:
		}
		t.x.Workers.Leave()
		<-j.done
		t.x.Workers.Enter()
		return
	}
	<-j.done
}

// work is one worker: it does jobs until there are none.
func (t *sharedStages) work(w *schedule.Worker) error {
	for w.Keep() {
		select {
		case j := <-t.jobs:
			t.do(j)
		default:
			return nil
		}
	}
	return nil
}

// do does one job. After the end jobs are only taken away.
func (t *sharedStages) do(j *stageJob) {
	if !t.stopped.Load() {
		j.err = schedule.Guard(func() (err error) {
			j.out, err = j.stages.Apply(t.x, &j.batch.Batch)
			return err
		})
	}
	j.done <- struct{}{}
}

// end waits for the workers; what they have not begun is left.
func (t *sharedStages) end() {
	t.stopped.Store(true)
	t.x.Workers.Disclaim()
	_ = t.workers.Wait() // a job keeps its error
	t.held.Close()
}
