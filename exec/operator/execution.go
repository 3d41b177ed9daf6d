package operator

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/terms"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Execution is what the operators of a running plan share. It serves one run, and is not safe for concurrent use but by
// stages, which read it.
type Execution struct {
	// Ctx is the run's; its end ends the matchers.
	Ctx context.Context
	// Ended says why the query must end; nil while it may go on.
	Ended limits.Ended
	// Memory is what the query may hold, and Disk where its temporary files are.
	Memory *limits.Budget
	Disk   *vector.Disk
	// Terms has the terms that the query computes, Env what expressions read.
	Terms *terms.Terms
	Env   *expr.Env
	// Joins is how many joins the plan has so far.
	Joins *atomic.Int64
	// Workers is the query's share of the processor's threads, and Tuning has numbers of the operators.
	Workers *schedule.Share
	Tuning  Tuning
	// Single keeps every operator to one goroutine.
	Single bool
	// Matches counts what matchers take.
	Matches *limits.Meter
	// Analyze keeps measurements.
	Analyze bool
	// Parameters are the values that EXISTS gives to its pattern, and Frame numbers these values; Frames counts them.
	Parameters    map[string]dictionary.ID
	Frame, Frames uint64
	*Common
	*Endings
}

// Common is what all goroutines of a run have in common, whatever else is their own: the numbers of its solutions, and the blank nodes that it has made. It is safe for
// concurrent use.
type Common struct {
	serial    atomic.Uint64 // of the last blank node
	solutions atomic.Uint32 // that have numbers

	mu     sync.Mutex
	blanks map[blankKey]dictionary.ID // that BNODE made for labels
}

// Solutions gives so many solutions numbers that no others of the run have, and returns the first of them.
func (c *Common) Solutions(n int) uint32 { return c.solutions.Add(uint32(n)) - uint32(n) }

// Endings are what is left to be done once operators run no more. They are safe for concurrent use.
type Endings struct {
	mu      sync.Mutex
	cleanup []func()
}

// AtEnd has something done when the operators that the execution is for, which are the query's, or those of one part of it, run no more.
func (e *Endings) AtEnd(do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cleanup = append(e.cleanup, do)
}

// End does it.
func (e *Endings) End() {
	for _, do := range e.cleanup {
		do()
	}
}

// Briefly calls do with an execution of operators that run no more after it.
func (x *Execution) Briefly(do func(x *Execution) error) error {
	own := *x
	own.Endings = &Endings{}
	defer own.End()
	err := do(&own)
	x.Frames = own.Frames
	return err
}

// Beside makes own the execution of a goroutine that may run operators of its own beside the others: what it gives to parameters, they do not see. Alone: it asks
// for no other goroutines. Frames of own go on.
func (x *Execution) Beside(own *Execution, alone bool) {
	frames, parameters := own.Frames, own.Parameters
	*own = *x
	own.Frames, own.Parameters = max(frames, x.Frames), nil
	if len(x.Parameters) > 0 {
		if own.Parameters = parameters; parameters == nil {
			own.Parameters = map[string]dictionary.ID{}
		}
		clear(own.Parameters)
		maps.Copy(own.Parameters, x.Parameters)
	}
	if alone {
		own.Workers, own.Single = nil, true
	}
}

// Joins hold rows of their own between their inputs and their outputs, and a chain of n joins that bind a variable each has
// n of them, up to n columns wide. Together they may have joinRows bytes, and no more than a quarter of the query's.
const (
	joinRows   = 64 << 20
	fewestRows = 16
	// MostRows is the most rows that a join keeps at a time.
	MostRows = 32768
)

// JoinBytes is how many bytes of rows on their way a join may hold.
func (x *Execution) JoinBytes() int64 {
	return min(joinRows, x.Memory.Limit()/4) / max(1, x.Joins.Load())
}

// RowsAtOnce is how many rows of so many columns a join may merge, or keep waiting, at a time.
func (x *Execution) RowsAtOnce(width int) int {
	return int(min(MostRows, max(fewestRows, x.JoinBytes()/int64(8*max(1, width)))))
}

// Checked is do, for batches that come from disk: each checks whether the query has ended.
func (x *Execution) Checked(do func(*vector.Batch) error) func(*vector.Batch) error {
	return func(b *vector.Batch) error {
		if err := x.Ended(); err != nil {
			return err
		}
		return do(b)
	}
}
