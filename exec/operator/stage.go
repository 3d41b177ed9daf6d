package operator

import (
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Stage is an operator that turns each batch of its input into at most one batch, looking at nothing else, so that
// goroutines can run copies of it on different batches at the same time.
type Stage interface {
	Operator
	// Below is its input.
	Below() Operator
	// Forks reports whether copies may run at the same time.
	Forks() bool
	// Asks reports whether it runs patterns (EXISTS), so that each row may take long.
	Asks() bool
	// Fork returns a copy: it maps a batch to one that is valid until the next call, nil where no row is left.
	Fork() func(x *Execution, b *vector.Batch) (*vector.Batch, error)
}

// StagesOf returns the stages at the top of a plan, lowest first, and the operator below them.
func StagesOf(op Operator) (stages []Stage, source Operator) {
	for {
		s, ok := op.(Stage)
		if !ok || !s.Forks() {
			slices.Reverse(stages)
			return stages, op
		}
		stages, op = append(stages, s), s.Below()
	}
}

// RunStage runs a stage and those below it, on several goroutines where there is much to do.
func RunStage(s Stage, x *Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return RunStageAside(s, x, seed, emit, nil)
}

// RunStageAside is RunStage; what comes of batches that several goroutines find is offered to take, which may be nil, before emit has it.
func RunStageAside(s Stage, x *Execution, seed *vector.Batch, emit func(*vector.Batch) error, take Take) error {
	stages, source := StagesOf(s)
	if len(stages) == 0 || x.Single {
		apply := s.Fork()
		return Run(s.Below(), x, seed, func(b *vector.Batch) error {
			out, err := apply(x, b)
			if err != nil || out == nil {
				return err
			}
			return emit(out)
		})
	}
	f := &stageFeed{x: x, own: NewStageRun(stages), asks: slices.ContainsFunc(stages, Stage.Asks), out: NewOutlet(x, emit, take)}
	defer f.close()
	f.next = f.look(0)
	if on, ok := source.(Aside); ok && seed == nil && !x.Analyze && x.Copies() > 1 && len(stages) <= MostStages { // which measures what is emitted
		on.Aside(f.aside)
		defer on.Aside(nil)
	}
	if err := RunSource(x, source, stages[:len(stages)-1], seed, f.add); err != nil {
		return err
	}
	return f.drain()
}

// RunSource runs the operator below some stages, which somebody else runs, and counts that as a run of them.
func RunSource(x *Execution, source Operator, stages []Stage, seed *vector.Batch, emit func(*vector.Batch) error) error {
	before := source.Stats().Elapsed
	err := Run(source, x, seed, emit)
	if x.Analyze {
		for _, s := range stages {
			s.Stats().Runs++
			s.Stats().Elapsed += source.Stats().Elapsed - before
		}
	}
	return err
}

// StageRun is copies of some stages for one goroutine, with what they measured.
type StageRun struct {
	Stages []Stage
	copies []func(*Execution, *vector.Batch) (*vector.Batch, error)
	rows   []uint64
	took   []time.Duration
}

// NewStageRun makes copies of stages.
func NewStageRun(stages []Stage) *StageRun {
	r := &StageRun{Stages: stages, rows: make([]uint64, len(stages)), took: make([]time.Duration, len(stages))}
	for _, s := range stages {
		r.copies = append(r.copies, s.Fork())
	}
	return r
}

// Apply takes a batch through all stages; nil where no row is left.
func (r *StageRun) Apply(x *Execution, b *vector.Batch) (*vector.Batch, error) {
	for i, apply := range r.copies {
		began := time.Time{}
		if x.Analyze {
			began = time.Now()
		}
		var err error
		if b, err = apply(x, b); err != nil || b == nil {
			return nil, err
		}
		r.rows[i] += uint64(b.N)
		if x.Analyze {
			r.took[i] += time.Since(began)
		}
	}
	return b, x.Ended()
}

// Report adds what the copies of the first n stages measured to their measures. Times of several goroutines add
// up.
func (r *StageRun) Report(x *Execution, n int) {
	if !x.Analyze {
		return
	}
	for i, s := range r.Stages[:n] {
		s.Stats().Rows += r.rows[i]
		for _, above := range r.Stages[i:n] {
			above.Stats().Elapsed += r.took[i]
		}
	}
}
