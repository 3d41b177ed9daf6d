package gpu

import (
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// estimateMargin: tables have so many times the rows that the plan expects in its largest, as estimates go wrong; pagedMargin where that would take more
// than the large arenas and the plan reads pages, which want the memory too.
const (
	estimateMargin = 4
	pagedMargin    = 1.5
)

// arenaFor is the memory that a query's tables should have. A plan that expects too little gets more when a table is full
// (query.grow).
func (d *Device) arenaFor(s *shape, m *match.Match) int64 {
	if d.options.arena != 0 {
		return aligned(max(d.options.arena, minArena))
	}
	rows := 0.0
	for k := s.first; k < len(s.steps); k++ {
		if !s.count || k < len(s.steps)-1 { // the last step of a count makes no rows
			rows = max(rows, estimateMargin*s.steps[k].Plan.EstimatedRows)
		}
	}
	if m.Input != nil {
		rows = max(rows, float64(m.Input.N))
	}
	most := d.mostRows()
	if rows < float64(most) {
		most = int64(rows)
	}
	if s.small != nil && s.tableBytes(most) > d.lanes.large {
		snug := aligned(s.tableBytes(min(most, int64(min(rows*pagedMargin/estimateMargin, 1e12)))))
		return max(min(snug, d.lanes.most/alignment*alignment, largeArena), minArena) // pages come once for each table
	}
	if m.Plan.Cost > bgp.GPULargeCost {
		return d.lanes.size(max(s.tableBytes(most), d.lanes.middle))
	}
	return d.lanes.snug(s.tableBytes(most))
}

// mostRows is the number of rows from which larger tables gain nothing: four tickets' output of every block.
func (d *Device) mostRows() int64 { return 4 * kernels.MaxTile * int64(d.blocks) }

// mostGrown is how often a query's tables may grow.
const mostGrown = 3

// mayGrow reports whether a launch should end as soon as a table permits out to be much too small: nothing is handed out yet,
// and larger tables may be had.
func (q *query) mayGrow() bool {
	return q.grown < mostGrown && q.base == 0 && q.done == 0 && q.d.options.arena == 0 && q.lane.arena.size < q.d.lanes.large
}

// growOffset is where Grow lies in a Program.
var growOffset = kernels.Address(unsafe.Offsetof(kernels.Program{}.Grow))

// keepTables ends growing: rows are handed out, which beginning again would find again.
func (q *query) keepTables() error {
	p := q.image.program()
	if p.Grow == 0 {
		return nil
	}
	p.Grow = 0
	return q.lane.stream.Zero(q.image.base+growOffset, 4)
}

// grow begins again with larger tables, as large as the launch asks for; with the same where there is no room for others.
func (q *query) grow(state *kernels.State) error {
	q.grown++
	if q.trace != nil {
		q.trace.Kernels += time.Duration(state.KernelTime)
	}
	rows := min(state.Counters[0], uint64(q.d.mostRows()))
	want := q.d.lanes.size(max(q.tableBytes(int64(rows)), 2*q.lane.arena.size))
	l, err := q.d.lanes.whole(want)
	if err != nil {
		return err
	}
	if l == nil {
		q.grown = mostGrown
		return q.start()
	}
	small := q.lane
	if err := q.endStreaming(); err != nil {
		return err
	}
	if err := q.lay(q.ctx, q.d, q.r, l, q.shape, q.numbers); err != nil {
		return err
	}
	small.release()
	return q.start()
}

// tableBytes is the memory that tables of so many rows take, with all that lies beside them.
func (s *shape) tableBytes(rows int64) int64 { return rows*s.perRow() + s.overhead() }

// perRow is the memory of one row of every table.
func (s *shape) perRow() int64 {
	n := int64(4*len(s.output)) + 1 // the look-back flags and sums of 256 rows
	for k := range s.tables {
		n += (s.rowBytes(k)*s.rows(k, smallShare) + smallShare - 1) / smallShare
	}
	return n
}

// smallShare is the part of the largest tables' rows that a small one has.
const smallShare = 8

// rows is how many the table of device step k has where the largest have so many: the first has one where there is no input.
func (s *shape) rows(k int, capacity int64) int64 {
	switch {
	case k == 0 && s.Plan.Inputs == 0:
		return 1
	case s.small != nil && s.small[k]:
		return max(capacity/smallShare, 1)
	}
	return capacity
}

// reads prepares the tables for partitions that are read in pages, which come for each table of the largest: those of which few rows are
// expected are small.
func (s *shape) reads(d *Device, m *match.Match) {
	if !d.readsPages(m) {
		return
	}
	expected, most := make([]float64, len(s.tables)), 0.0
	for k := range s.tables {
		if k > s.first {
			expected[k] = s.steps[k-1].Plan.EstimatedRows
			most = max(most, expected[k])
		}
	}
	s.small = make([]bool, len(s.tables))
	for k := s.first + 1; k < len(s.tables); k++ {
		s.small[k] = expected[k]*smallShare < most
	}
}

// overhead is what does not grow with the rows.
func (s *shape) overhead() int64 {
	n := s.imageBytes() + int64(alignment)*int64(12*s.deviceSteps()+len(s.output)+8)
	for k := range s.tables {
		n += int64(alignment) * int64(len(s.tables[k])+2*s.links(k)+4)
		n += s.rowBytes(k) // tables of one row
	}
	return n
}

// imageBytes bounds the size of the image: program, steps and constants.
func (s *shape) imageBytes() int64 {
	n := kernels.Size[kernels.Program]() + int64(len(s.output))*8 + 4096
	n += int64(s.deviceSteps()) * (kernels.Size[kernels.Step]() + kernels.Size[kernels.Frame]() + kernels.Size[kernels.StepTrace]() + 512)
	n += int64(len(s.made)) * (kernels.Size[kernels.Weighing]() + 64)
	n += int64(len(s.Plan.Branches)) * (kernels.Size[kernels.Branch]() + kernels.Size[kernels.Link]() + 64)
	for _, step := range addSteps(s.steps[:len(s.steps):len(s.steps)], s.groups()) {
		n += int64(len(step.Lists)+2) * (kernels.Size[kernels.Link]() + 16)
		n += int64(len(step.Plan.Checks))*kernels.Size[kernels.Check]() + int64(len(step.Plan.EdgeDistinct))*kernels.Size[kernels.Pair]()
		n += int64(len(step.Distinct)+len(step.Above)+len(step.Under)) * 16
		n += int64(s.Plan.Inputs+len(s.Steps)+1) * 32
		for i := range step.Lists {
			if inImage(&step.Lists[i]) {
				n += int64(len(step.Lists[i].Members)) * 4
			}
		}
	}
	return aligned(n)
}

// addSteps adds the steps of groups, and what tests branches.
func addSteps(all []*match.Step, groups []*match.Group) []*match.Step {
	for _, g := range groups {
		if g.Step != nil {
			all = append(all, g.Step)
		} else if g.Test != nil {
			all = append(all, g.Test)
		}
		all = addSteps(all, g.Children)
	}
	return all
}
