package exec

import (
	"runtime"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// teamFrom is how many rows an operator takes by itself before several goroutines may take over the rest, and
// teamNanoseconds how long a row must have taken a stage.
var (
	teamFrom        = 2 * vector.BatchRows
	teamNanoseconds = 50
)

// teamSize is the most goroutines that work for one operator.
const teamSize = 16

// teamStages is the most stages that a team has copies of: each takes the memory of a batch.
const teamStages = 16

// teamMembers is how many goroutines of the process work for operators: a machine that is busy gains nothing from more.
var teamMembers atomic.Int32

// enlist returns how many goroutines an operator may start: 0 where the machine is busy or has one thread. They are to
// be dismissed.
func enlist() int {
	threads := runtime.GOMAXPROCS(0)
	size := min(threads, teamSize)
	if size < 2 {
		return 0
	}
	if teamMembers.Add(int32(size)) > int32(2*threads) {
		dismiss(size)
		return 0
	}
	return size
}

func dismiss(size int) { teamMembers.Add(-int32(size)) }

// batchCopy is a batch of its own memory, used again and again.
type batchCopy struct {
	vector.Batch
	origin  []uint32
	weights []uint64
}

func (c *batchCopy) copy(b *vector.Batch) {
	for len(c.Cols) < len(b.Cols) {
		c.Cols = append(c.Cols, []dictionary.ID{})
	}
	for i, col := range b.Cols {
		c.Cols[i] = append(c.Cols[i][:0], col...)
	}
	c.N, c.Origin, c.Weights = b.N, nil, nil
	if b.Origin != nil {
		c.origin = append(c.origin[:0], b.Origin...)
		c.Origin = c.origin
	}
	if b.Weights != nil {
		c.weights = append(c.weights[:0], b.Weights...)
		c.Weights = c.weights
	}
}

func (c *batchCopy) bytes() int64 {
	sum := int64(cap(c.origin))*4 + int64(cap(c.weights))*8
	for _, col := range c.Cols {
		sum += int64(cap(col)) * 4
	}
	return sum
}
