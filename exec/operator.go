package exec

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/terms"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// operator is one node of a physical plan. It pushes its solutions to emit, batch by batch; an error from emit ends
// it at once and is returned. Operators run one at a time, in the goroutine of the caller, but for stages, of which
// copies may run at the same time.
//
// An operator of a node with seeds is seeded: seed holds one column for each of them, and what it emits are
// its solutions that agree with a row of the seed, Origin naming the row. Without inputs seed is nil.
type operator interface {
	// columns names what the batches bind, in order.
	columns() []string
	run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error
	// stats is what was measured of it.
	stats() *measures
}

// base is what every operator has.
type base struct {
	out      []string
	measured *measures
}

func (b *base) columns() []string { return b.out }

func (b *base) stats() *measures { return b.measured }

// execution is what the operators of a running plan share.
type execution struct {
	ctx context.Context
	// ended says why the query must end; nil while it may go on.
	ended  limits.Ended
	memory *limits.Budget
	terms  *terms.Terms
	env    *expr.Env
	disk   *vector.Disk
	// joins is how many joins the plan has so far.
	joins *atomic.Int64
	// sortedRuns is how many sorted runs a sort keeps apart: each is an open file.
	sortedRuns int
	// single keeps every operator to one goroutine.
	single bool
	// matches counts what matchers take.
	matches *limits.Meter
	// analyze keeps measurements.
	analyze bool
	// blanks are the nodes that BNODE made for labels; serial numbers all that the query makes.
	blanks map[blankKey]dictionary.ID
	serial uint64
	// parameters are the values that EXISTS gives to its pattern, and frame numbers these values; frames counts them.
	parameters    map[string]dictionary.ID
	frame, frames uint64
	// cleanup are run when the query ends.
	cleanup []func()
}

// Joins hold rows of their own between their inputs and their outputs, and a chain of n joins that bind a variable each has
// n of them, up to n columns wide. Together they may have joinRows bytes, and no more than a quarter of the query's.
const (
	joinRows   = 64 << 20
	fewestRows = 16
	// MostRows is the most rows that a join keeps at a time.
	MostRows = 32768
)

// rowsAtOnce is how many rows of so many columns a join may merge, or keep waiting, at a time.
func (x *execution) rowsAtOnce(width int) int {
	share := min(joinRows, x.memory.Limit()/4) / max(1, x.joins.Load())
	return int(min(MostRows, max(fewestRows, share/int64(8*max(1, width)))))
}

// checked is do, for batches that come from disk: each checks whether the query has ended.
func (x *execution) checked(do func(*vector.Batch) error) func(*vector.Batch) error {
	return func(b *vector.Batch) error {
		if err := x.ended(); err != nil {
			return err
		}
		return do(b)
	}
}

// measured runs an operator and, when the plan is analysed, records rows and time.
// The time includes what the operator's inputs took and leaves out what its consumer took. Each batch looks at the
// context.
func measured(o operator, x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if err := x.ended(); err != nil {
		return err
	}
	if !x.analyze {
		return o.run(x, seed, func(b *vector.Batch) error {
			if err := x.ended(); err != nil {
				return err
			}
			return emit(b)
		})
	}
	n := o.stats()
	began, downstream := time.Now(), time.Duration(0)
	err := o.run(x, seed, func(b *vector.Batch) error {
		n.Rows += uint64(b.N)
		if err := x.ended(); err != nil {
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

// fewColumns is up to how many columns are searched one after the other.
const fewColumns = 32

// indexes returns the position of each name in columns, -1 where it is missing.
func indexes(columns, names []string) []int {
	out := make([]int, len(names))
	if len(columns) > fewColumns {
		at := make(map[string]int, len(columns))
		for i, c := range columns {
			at[c] = i
		}
		for i, v := range names {
			out[i] = -1
			if c, ok := at[v]; ok {
				out[i] = c
			}
		}
		return out
	}
	for i, v := range names {
		out[i] = indexOf(columns, v)
	}
	return out
}

func indexOf(columns []string, v string) int {
	for i, c := range columns {
		if c == v {
			return i
		}
	}
	return -1
}

// projection picks columns of batches in another order; a missing column is unbound.
type projection struct {
	from []int
	out  vector.Batch
}

// of returns the picked columns as a batch, valid until the next call.
func (p *projection) of(b *vector.Batch) *vector.Batch {
	p.out.Cols = p.out.Cols[:0]
	for _, c := range p.from {
		if c < 0 {
			p.out.Cols = append(p.out.Cols, vector.Unbound(b.N))
		} else {
			p.out.Cols = append(p.out.Cols, b.Cols[c])
		}
	}
	p.out.N, p.out.Origin, p.out.Weights = b.N, b.Origin, b.Weights
	return &p.out
}
