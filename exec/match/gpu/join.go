package gpu

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// join is a match plan translated for the device, its tables cut out of a lane's arena.
type join struct {
	*shape
	ctx   context.Context
	d     *Device
	r     *reading
	lane  *lane
	image *image

	blocks, tile int
	// capacity is the rows of the largest tables; shape.rows those of each.
	capacity int64
	// columns are the addresses of each table's columns, in the order of shape.tables; out those of the output.
	columns [][]kernels.Address
	out     []kernels.Address
	// numbers are those that weighings make, which lie in the image from weighingsAt on.
	numbers     *numbers
	weighings   []kernels.Weighing
	weighingsAt kernels.Address
	// linked are the links of each device step, tiles the most candidates of a ticket; lengths: the last one counts what its bound phase finds.
	linked  [][]kernels.Link
	tiles   []uint32
	lengths bool
	// variants say what each device step does, for explain, and behind them each weighing.
	variants []string
	// narrow is how many blocks a small query starts with, or one among others, for a launch of the time slice, unless it has more candidates than widen.
	narrow int
	widen  uint64
	slice  time.Duration
	// lossy are the device steps behind which repeats are dropped, each by a table of seenWords words.
	lossy     []int
	seenWords int64
}

// newJoin translates a plan.
func newJoin(ctx context.Context, d *Device, r *reading, l *lane, m *match.Match, s *shape, n *numbers) (*join, error) {
	j := &join{shape: s, ctx: ctx, d: d, r: r, lane: l, numbers: n}
	j.variants = make([]string, j.deviceSteps()+len(j.made))
	j.layTables(m)
	if err := j.takeTables(); err != nil {
		return nil, err
	}
	if err := j.layProgram(m); err != nil {
		return nil, err
	}
	if len(j.image.bytes()) > int(j.imageBytes()) {
		return nil, fmt.Errorf("gpu: the plan's %d bytes do not fit their %d", len(j.image.bytes()), j.imageBytes())
	}
	return j, nil
}

// takeTables cuts the columns out of the arena.
func (j *join) takeTables() error {
	base, err := j.lane.arena.take(j.imageBytes())
	if err != nil {
		return err
	}
	j.image = &image{base: base}
	column := func(rows int64) kernels.Address {
		if err != nil {
			return 0
		}
		var at kernels.Address
		at, err = j.lane.arena.take(4 * rows)
		return at
	}
	for k, table := range j.tables {
		columns := make([]kernels.Address, len(table))
		for i := range columns {
			columns[i] = column(j.rows(k, j.capacity))
		}
		j.columns = append(j.columns, columns)
	}
	for range j.output {
		j.out = append(j.out, column(j.capacity))
	}
	return err
}

// layProgram writes the image.
func (j *join) layProgram(m *match.Match) error {
	n := j.deviceSteps()
	im := j.image
	im.reserve(int(kernels.Size[kernels.Program]()))
	frames := im.reserve(n * int(kernels.Size[kernels.Frame]()))
	traces := im.reserve(n * int(kernels.Size[kernels.StepTrace]()))
	outputs := put(im, j.out)
	steps := make([]kernels.Step, n)
	for k := range steps {
		if err := j.layStep(k, &steps[k]); err != nil {
			return err
		}
	}
	stepsAt := put(im, steps)
	if err := j.layWeighings(); err != nil {
		return err
	}
	chunks := (j.capacity + kernels.Block - 1) / kernels.Block
	flags, err := j.lane.arena.take(4 * chunks)
	if err != nil {
		return err
	}
	sums, err := j.lane.arena.take(32 * chunks)
	if err != nil {
		return err
	}
	p := im.program()
	*p = kernels.Program{
		Steps: stepsAt, Frames: frames, Traces: traces, Flags: flags, Sums: sums,
		Partitions: j.r.table, Incident: j.r.address(j.r.incident(pcsr.Out)), Outputs: outputs,
		Mailbox: j.lane.mailboxAddress(), MailboxWords: uint64(mailboxBytes-kernels.Size[kernels.State]()) / 4,
		Slice: uint64(j.slice), Widen: j.widen,
		StepCount: uint32(n), OutputCount: uint32(len(j.out)), Blocks: uint32(j.blocks),
		Few: uint32(j.d.options.few),
	}
	if j.d.options.noMailbox {
		p.MailboxWords = 0
	}
	// Every block may go as far beyond its ticket as a row is kept whole.
	each := j.least() / int64(j.blocks)
	if whole := 3*each/4 - int64(j.tile); whole > int64(j.tile) {
		p.Whole = uint32(min(whole, kernels.MaxWhole))
	} else if each >= 2*int64(j.tile) {
		p.Whole = uint32(min(j.tile, kernels.MaxWhole))
	}
	p.State.Epoch = 1
	return nil
}

// column is the column of a slot in the table of device step k.
func (j *join) column(k, slot int) (kernels.Address, error) {
	if k < len(j.tables) {
		if i := slices.Index(j.tables[k], slot); i >= 0 {
			return j.columns[k][i], nil
		}
	}
	return 0, fmt.Errorf("gpu: step %d of the plan reads slot %d, which is not bound before it", k-j.first, slot)
}

// operand translates an operand that device step k reads.
func (j *join) operand(k int, o bgp.Operand) (kernels.Operand, error) {
	switch {
	case o.IsConstant():
		return kernels.Operand{Constant: o.Constant}, nil
	case o.Slot == j.slot(k):
		return kernels.Operand{Kind: kernels.Candidate}, nil
	}
	at, err := j.column(k, o.Slot)
	return kernels.Operand{Column: at, Kind: kernels.Column}, err
}

// slots are the operands that read some slots.
func (j *join) slots(k int, slots []int) ([]kernels.Operand, error) {
	bound := make([]bgp.Operand, len(slots))
	for i, slot := range slots {
		bound[i] = bgp.Bound(slot)
	}
	return j.operands(k, bound)
}

// operands translates operands that device step k reads.
func (j *join) operands(k int, all []bgp.Operand) ([]kernels.Operand, error) {
	var out []kernels.Operand
	for _, o := range all {
		operand, err := j.operand(k, o)
		if err != nil {
			return nil, err
		}
		out = append(out, operand)
	}
	return out, nil
}
