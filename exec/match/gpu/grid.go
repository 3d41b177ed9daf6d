package gpu

import (
	"math"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// layTables decides how many rows the tables have and how many blocks may add to them at a time.
func (j *join) layTables(m *match.Match) {
	perRow, overhead := j.perRow(), j.overhead()
	overhead += j.laySeen(m)
	j.capacity = min(max((j.lane.arena.left()-overhead)/perRow, 1), math.MaxInt32)
	if j.d.options.rows > 0 {
		j.capacity = min(j.capacity, int64(j.d.options.rows))
	}
	j.tile, j.blocks = j.d.options.tile, j.d.blocks
	least := j.least()
	for j.tile > kernels.Block && least < 4*int64(j.tile)*int64(j.blocks) {
		j.tile /= 2
	}
	j.tile = int(max(min(int64(j.tile), least/2), 1))
	j.blocks = int(max(min(int64(j.blocks), least/2/int64(j.tile)), 1))
	o := &j.d.options
	j.narrow, j.widen, j.slice = j.blocks, bgp.GPUWidenCost, o.slice
	switch part := j.partOfGrid(len(j.d.permits)); {
	case m.Plan.Cost < bgp.GPUNarrowCost:
		j.narrow = min(j.blocks, narrowBlocks)
	case part < j.blocks:
		j.narrow, j.widen, j.slice = part, math.MaxUint64, min(o.slice, partSlice)
	}
}

// partOfGrid is how many blocks a launch may have where so many queries, this one included, have a permit to launch.
func (j *join) partOfGrid(queries int) int {
	o := &j.d.options
	if o.parts <= 1 || queries < o.partsFrom {
		return j.blocks
	}
	return min(j.blocks, max(narrowBlocks, j.blocks/min(o.parts, queries)))
}

// partSlice is the time of a launch that began with a part of the grid: the next has a larger one, where others have ended.
const partSlice = 500 * time.Microsecond

// least is the rows of the smallest table that a step adds to.
func (j *join) least() int64 {
	n := j.capacity
	for k := 1; k < len(j.tables); k++ {
		n = min(n, j.rows(k, j.capacity))
	}
	return n
}

// narrowBlocks is how many blocks a query of little cost starts with.
const narrowBlocks = 32
