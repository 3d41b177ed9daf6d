package exec

import (
	"slices"
	"time"
)

// stage is an operator that turns each batch of its input into at most one batch, looking at nothing else, so that
// goroutines can run copies of it on different batches at the same time.
type stage interface {
	operator
	// below is its input.
	below() operator
	// forks reports whether copies may run at the same time.
	forks() bool
	// fork returns a copy: it maps a batch to one that is valid until the next call, nil where no row is left.
	fork() func(x *execution, b *Batch) (*Batch, error)
}

// stagesOf returns the stages at the top of a plan, lowest first, and the operator below them.
func stagesOf(op operator) (stages []stage, source operator) {
	for {
		s, ok := op.(stage)
		if !ok || !s.forks() {
			slices.Reverse(stages)
			return stages, op
		}
		stages, op = append(stages, s), s.below()
	}
}

// runStage runs a stage and those below it, on several goroutines where there is much to do.
func runStage(s stage, x *execution, seed *Batch, emit func(*Batch) error) error {
	stages, source := stagesOf(s)
	if len(stages) == 0 || x.options.Unoptimised {
		apply := s.fork()
		return measured(s.below(), x, seed, func(b *Batch) error {
			out, err := apply(x, b)
			if err != nil || out == nil {
				return err
			}
			return emit(out)
		})
	}
	f := &stageFeed{x: x, own: newStageRun(stages), next: x.options.Operators.ShareFrom, emit: emit}
	defer f.close()
	if err := runSource(x, source, stages[:len(stages)-1], seed, f.add); err != nil {
		return err
	}
	return f.drain()
}

// runSource runs the operator below some stages, which somebody else runs, and counts that as a run of them.
func runSource(x *execution, source operator, stages []stage, seed *Batch, emit func(*Batch) error) error {
	before := source.stats().Elapsed
	err := measured(source, x, seed, emit)
	if x.analyze {
		for _, s := range stages {
			s.stats().Runs++
			s.stats().Elapsed += source.stats().Elapsed - before
		}
	}
	return err
}

// stageRun is copies of some stages for one goroutine, with what they measured.
type stageRun struct {
	stages []stage
	copies []func(*execution, *Batch) (*Batch, error)
	rows   []uint64
	took   []time.Duration
}

func newStageRun(stages []stage) *stageRun {
	r := &stageRun{stages: stages, rows: make([]uint64, len(stages)), took: make([]time.Duration, len(stages))}
	for _, s := range stages {
		r.copies = append(r.copies, s.fork())
	}
	return r
}

// apply takes a batch through all stages; nil where no row is left.
func (r *stageRun) apply(x *execution, b *Batch) (*Batch, error) {
	for i, apply := range r.copies {
		began := time.Time{}
		if x.analyze {
			began = time.Now()
		}
		var err error
		if b, err = apply(x, b); err != nil || b == nil {
			return nil, err
		}
		r.rows[i] += uint64(b.N)
		if x.analyze {
			r.took[i] += time.Since(began)
		}
	}
	return b, x.alive()
}

// report adds what the copies of the first n stages measured to their measures. Times of several goroutines add
// up.
func (r *stageRun) report(x *execution, n int) {
	if !x.analyze {
		return
	}
	for i, s := range r.stages[:n] {
		s.stats().Rows += r.rows[i]
		for _, above := range r.stages[i:n] {
			above.stats().Elapsed += r.took[i]
		}
	}
}
