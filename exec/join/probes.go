package join

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/planner"
)

const (
	// A job has a chunk of left rows or, where they have several partners each, so few that it should find a chunk of solutions. One
	// that finds more than mostChunks is left to the caller, who emits them as they are found.
	mostChunks = 4
	// A round has jobsEach jobs for each goroutine, and a join that has no memory for fewestJobs none at all.
	jobsEach   = 4
	fewestJobs = 4
	// firstJobs is how many the first round has; each has twice as many as the one before.
	firstJobs = 2
	// mostSeeds is how many left rows a job has, at most, that the right pattern is matched for.
	mostSeeds = 1024
)

// errOver: a job finds more than it may keep.
var errOver = errors.New("join: too many solutions for one job")

// sharedProbes are left rows with which workers probe the table of a run, or that they match the right pattern for, in rounds of jobs: one is filled while the other one is
// worked on. What comes out is emitted in the caller's goroutine, in the order in which a run emits it by itself: left rows without a
// partner come at the end of their batch.
type sharedProbes struct {
	run              *run
	table            *vector.Table // nil: the right pattern is matched
	phases           *operator.Phases
	filling, working *probeRound
	// left rows had so many solutions, and so the next jobs have size rows.
	left, sent uint64
	size       int
	// chunk is how many rows a job has.
	chunk int
	// most is how many jobs the next round has: the first have few, so that no more rows are waited for than were there before.
	most int
	lone vector.BatchCopy
	held *limits.Account
	// full: there is no memory for it.
	full bool
}

// probeRound is some jobs, of which used have rows.
type probeRound struct {
	jobs []*probeJob
	used int
}

// probeJob is a copy of some left rows, and what came of them unless over: that the caller has to find.
type probeJob struct {
	left   vector.BatchCopy
	merger merger
	out    vector.BatchCopy
	lone   vector.BatchCopy
	over   bool
	// ends: its last row is the last of a batch, and no other may follow.
	ends bool
	// most is how many solutions it keeps.
	most int
}

// mostJobs is how many jobs the run has memory for, twice.
func (r *run) mostJobs() int {
	cells := (len(r.Join.Left.Columns()) + 1 + len(r.Join.Out) + 1 + r.Merged + 4) * r.x.Tuning.ChunkRows
	return int(min(int64(jobsEach*r.x.Copies()), r.x.JoinBytes()/int64(2*4*cells)))
}

func newSharedProbes(r *run, table *vector.Table) *sharedProbes {
	s := &sharedProbes{run: r, table: table, phases: operator.NewPhases(r.x), left: r.probed, sent: r.sent, most: firstJobs, chunk: r.x.Tuning.ChunkRows}
	if table == nil {
		s.left, s.chunk = uint64(r.fed-r.pending.N), min(mostSeeds, s.chunk)
	}
	s.held = r.x.Memory.Open("rows on their way through joins")
	s.filling, s.working = s.newRound(), s.newRound()
	s.resize()
	r.lone = s.keepLone
	return s
}

func (s *sharedProbes) newRound() *probeRound {
	r := &probeRound{}
	for range s.run.mostJobs() {
		j := &probeJob{most: mostChunks * s.run.x.Tuning.ChunkRows}
		j.merger = merger{Join: s.run.Join, x: s.run.x, emit: j.keep, lone: j.keepLone, most: s.run.most, prober: vector.Prober{Fixed: true}}
		r.jobs = append(r.jobs, j)
	}
	return r
}

// resize fits the size of jobs to how many solutions left rows have had.
func (s *sharedProbes) resize() {
	chunk := uint64(s.chunk)
	s.size = int(max(1, min(chunk, chunk*s.left/max(1, s.sent))))
}

// add takes rows into the round that is filled.
func (s *sharedProbes) add(b *vector.Batch) error {
	for from := 0; from < b.N; {
		j := s.filling.open(s.size, s.most)
		if j == nil {
			if err := s.turn(); err != nil {
				return err
			}
			continue
		}
		to := min(b.N, from+s.size-j.left.N)
		j.left.Append(b, from, to)
		from = to
		j.ends = s.run.Kind == planner.Left && from == b.N
	}
	s.phases.Ask()
	return nil
}

// open returns a job of fewer than size rows, nil where there is none among the first ones.
func (r *probeRound) open(size, most int) *probeJob {
	if r.used > 0 && r.jobs[r.used-1].left.N < size && !r.jobs[r.used-1].ends {
		return r.jobs[r.used-1]
	}
	if r.used == min(most, len(r.jobs)) {
		return nil
	}
	r.used++
	return r.jobs[r.used-1]
}

// turn waits for the round that is worked on, begins the one that was filled, and emits what came of the first.
func (s *sharedProbes) turn() error {
	if err := s.phases.Finish(); err != nil {
		return err
	}
	s.filling, s.working = s.working, s.filling
	s.most = min(2*s.most, len(s.filling.jobs))
	jobs := s.working.jobs[:s.working.used]
	s.phases.Start(operator.Phase{Units: len(jobs), Do: func(i int) error { return s.find(jobs[i]) }})
	return s.emit(s.filling)
}

// drain emits what is left.
func (s *sharedProbes) drain() error {
	if err := s.turn(); err != nil {
		return err
	}
	return s.turn()
}

func (s *sharedProbes) close() {
	s.phases.Close()
	s.held.Close()
}

// find finds what a job may keep.
func (s *sharedProbes) find(j *probeJob) (err error) {
	if s.table != nil {
		err = j.merger.probeTable(&j.left.Batch, s.table)
	} else if j.merger.own, err = s.run.own(); err == nil {
		err = j.merger.seed(&j.left.Batch)
		s.run.owns.Give(j.merger.own)
	}
	if j.over = err == errOver || err == vector.ErrIndex; j.over {
		return nil
	}
	return err
}

// keep is what the job's merger emits to.
func (j *probeJob) keep(b *vector.Batch) error {
	if j.out.N+b.N > j.most {
		return errOver
	}
	j.out.Append(b, 0, b.N)
	return nil
}

// keepLone is what it emits left rows without a partner to.
func (j *probeJob) keepLone(b *vector.Batch) error {
	j.lone.Append(b, 0, b.N)
	return nil
}

func (s *sharedProbes) keepLone(b *vector.Batch) error {
	s.lone.Append(b, 0, b.N)
	return nil
}

// emit emits what came of a round, and empties it.
func (s *sharedProbes) emit(r *probeRound) error {
	var bytes int64
	for _, j := range r.jobs[:r.used] {
		bytes += j.left.Bytes() + j.out.Bytes() + j.lone.Bytes() + vector.Bytes(&j.merger.out)
		if err := s.emitJob(j); err != nil {
			return err
		}
		j.empty()
	}
	if r.used > 0 {
		s.full = !s.held.Hold(2*bytes) || s.full
	}
	r.used = 0
	s.resize()
	return nil
}

func (j *probeJob) empty() {
	j.left.Reset()
	j.out.Reset()
	j.lone.Reset()
	j.ends = false
}

func (s *sharedProbes) emitJob(j *probeJob) error {
	s.left += uint64(j.left.N)
	if err := s.emitPairs(j); err != nil {
		return err
	}
	if s.run.Kind == planner.Left && !j.ends || s.lone.N == 0 {
		return nil
	}
	err := s.run.emit(&s.lone.Batch)
	s.lone.Reset()
	return err
}

// again does what a job found too much for.
func (s *sharedProbes) again(j *probeJob) error {
	if s.table == nil {
		return s.run.merger.seed(&j.left.Batch)
	}
	return s.run.probeTable(&j.left.Batch, s.table)
}

// emitPairs emits what came of a job but for the left rows without a partner, which are put to those of the jobs before.
func (s *sharedProbes) emitPairs(j *probeJob) error {
	if j.over {
		before := s.run.sent
		err := s.again(j)
		s.sent += s.run.sent - before
		return err
	}
	s.lone.Append(&j.lone.Batch, 0, j.lone.N)
	if s.sent += uint64(j.out.N + j.lone.N); j.out.N == 0 {
		return nil
	}
	return s.run.emit(&j.out.Batch)
}
