package operator

import (
	"runtime"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// TeamFrom is how many rows an operator takes by itself before several goroutines may take over the rest, and
// TeamNanoseconds how long a row must have taken a stage.
var (
	TeamFrom        = 2 * vector.BatchRows
	TeamNanoseconds = 50
)

// teamSize is the most goroutines that work for one operator.
const teamSize = 16

// TeamStages is the most stages that a team has copies of: each takes the memory of a batch.
const TeamStages = 16

// teamMembers is how many goroutines of the process work for operators: a machine that is busy gains nothing from more.
var teamMembers atomic.Int32

// Enlist returns how many goroutines an operator may start: 0 where the machine is busy or has one thread. They are to
// be dismissed.
func Enlist() int {
	threads := runtime.GOMAXPROCS(0)
	size := min(threads, teamSize)
	if size < 2 {
		return 0
	}
	if teamMembers.Add(int32(size)) > int32(2*threads) {
		Dismiss(size)
		return 0
	}
	return size
}

// Dismiss takes goroutines off the count.
func Dismiss(size int) { teamMembers.Add(-int32(size)) }

// BatchCopy is a batch of its own memory, used again and again.
type BatchCopy struct {
	vector.Batch
	origin  []uint32
	weights []uint64
}

// Copy takes over the rows of a batch.
func (c *BatchCopy) Copy(b *vector.Batch) {
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

// Bytes is the memory that the copy takes.
func (c *BatchCopy) Bytes() int64 {
	sum := int64(cap(c.origin))*4 + int64(cap(c.weights))*8
	for _, col := range c.Cols {
		sum += int64(cap(col)) * 4
	}
	return sum
}
