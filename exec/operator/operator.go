package operator

import (
	"time"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Operator is one node of a physical plan. It pushes its solutions to emit, batch by batch; an error from emit ends
// it at once and is returned. Operators run one at a time, in the goroutine of the caller, but for stages, of which
// copies may run at the same time.
//
// An operator of a node with seeds is seeded: seed holds one column for each of them, and what it emits are
// its solutions that agree with a row of the seed, Origin naming the row. Without inputs seed is nil.
type Operator interface {
	// Columns names what the batches bind, in order.
	Columns() []string
	// Run emits the solutions; it is called by way of the function Run.
	Run(x *Execution, seed *vector.Batch, emit func(*vector.Batch) error) error
	// Stats is what was measured of it.
	Stats() *Measures
}

// Take takes a batch, or leaves it to who offers it. It may be called by several goroutines at once; the batch is theirs again afterwards, and one that was left may be offered
// again.
type Take = func(*vector.Batch) (taken bool, err error)

// Aside is an operator whose solutions may be taken from several goroutines at once.
type Aside interface {
	Operator
	// Aside has the next run, and those after it, offer each batch to take, in place of emit, where take takes it; nil: none. It may ignore that.
	Aside(take Take)
}

// RunAside is Run; where several goroutines find the rows, some batches go to take, at the same time as others and as emit's. An analysed plan
// measures what is emitted, and takes nothing aside.
func RunAside(o Operator, x *Execution, seed *vector.Batch, emit func(*vector.Batch) error, take Take) error {
	if seed != nil || x.Analyze || x.Alone() {
		return Run(o, x, seed, emit)
	}
	if s, ok := o.(Stage); ok {
		return RunStageAside(s, x, nil, emit, take)
	}
	if on, ok := o.(Aside); ok {
		on.Aside(take)
		defer on.Aside(nil)
	}
	return Run(o, x, nil, emit)
}

// Base is what every operator has.
type Base struct {
	// Out names the columns of its batches.
	Out      []string
	Measured *Measures
}

// Columns names what the batches bind.
func (b *Base) Columns() []string { return b.Out }

// Stats is what was measured of the operator.
func (b *Base) Stats() *Measures { return b.Measured }

// Run runs an operator and, when the plan is analysed, records rows and time.
// The time includes what the operator's inputs took and leaves out what its consumer took. Each batch checks
// whether the query has ended.
func Run(o Operator, x *Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if err := x.Ended(); err != nil {
		return err
	}
	if !x.Analyze {
		return o.Run(x, seed, func(b *vector.Batch) error {
			if err := x.Ended(); err != nil {
				return err
			}
			return emit(b)
		})
	}
	n := o.Stats()
	began, downstream := time.Now(), time.Duration(0)
	err := o.Run(x, seed, func(b *vector.Batch) error {
		if n.Rows += uint64(b.N); len(b.Lists) > 0 {
			n.Rows += b.AllSolutions() - uint64(b.N)
		}
		if err := x.Ended(); err != nil {
			return err
		}
		at := time.Now()
		err := emit(b)
		downstream += time.Since(at)
		return err
	})
	n.Runs++
	n.Elapsed += time.Since(began) - downstream
	return err
}
