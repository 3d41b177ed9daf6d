package gpu

import (
	"context"
	"fmt"
	"math"
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

// layStep translates device step k.
func (j *join) layStep(k int, s *kernels.Step) error {
	from := j.steps[k]
	lists, distinct := from.Lists, from.Distinct
	var err error
	if sharing := j.sharing[k]; sharing != nil {
		lists, distinct = sharing.Lists, sharing.Distinct
		if err := j.laySiblings(k, s); err != nil {
			return err
		}
	}
	links, err := j.layLinks(k, lists)
	if err != nil {
		return err
	}
	s.Low, s.High = j.bounds(k, from)
	s.LinkCount = uint32(len(links))
	if s.Siblings != 0 {
		links = append(links, kernels.Link{Kind: uint32(kernels.List)}) // for its columns
	}
	for i := range links {
		if err := j.listColumns(&links[i], j.rows(k, j.capacity)); err != nil {
			return err
		}
	}
	s.Links = put(j.image, links)
	j.linked = append(j.linked, links[:s.LinkCount])
	if err := j.layConditions(k, from, distinct, s); err != nil {
		return err
	}
	if err := j.layCopies(k, s); err != nil {
		return err
	}
	rows := j.rows(k, j.capacity)
	for _, column := range []struct {
		at   *kernels.Address
		size int64
	}{{&s.Item, 4 * rows}, {&s.Prefix, 8 * (rows + 1)}, {&s.Choice, 2 * rows}} {
		if *column.at, err = j.lane.arena.take(column.size); err != nil {
			return err
		}
	}
	if signature := j.signatureOf(k); !signature.IsZero() {
		if s.Bitmap, err = j.r.filter(j.ctx, signature); err != nil {
			return err
		}
		j.variants[k] += "signature "
	}
	if slices.Contains(j.lossy, k) && j.seenWords > 0 {
		if s.Seen, err = j.lane.arena.take(8 * j.seenWords); err != nil {
			return err
		}
		s.SeenMask = uint32(j.seenWords - 1)
		if err := j.lane.stream.Zero(s.Seen, 8*j.seenWords); err != nil {
			return err
		}
		j.variants[k] += "once "
	}
	s.Tile = uint32(j.tile)
	s.Capacity, s.Strategy = uint64(j.capacity), j.d.options.strategy
	if k+1 < len(j.tables) {
		s.Capacity = uint64(j.rows(k+1, j.capacity))
	}
	if k == j.deviceSteps()-1 {
		err = j.layEnd(k, s)
		j.lengths = j.count && len(links) == 1 && s.DistinctCount+s.CheckCount+s.PairCount+s.FactorCount+s.BranchCount == 0 && s.Bitmap == 0 && s.Siblings == 0
	}
	j.tiles = append(j.tiles, s.Tile)
	return err
}

// laySiblings says where the candidates' siblings are.
func (j *join) laySiblings(k int, s *kernels.Step) (err error) {
	sharing := j.sharing[k]
	s.OwnLinks, s.OwnDistinct = uint32(sharing.OwnLists), uint32(sharing.OwnDistinct)
	if s.Siblings, err = j.column(j.first+sharing.From+1, j.Steps[sharing.From].Slot); err != nil {
		return err
	}
	if s.SiblingsFirst, err = j.column(k, j.firstSibling(sharing.From)); err != nil {
		return err
	}
	s.SiblingsEnd, err = j.column(k, j.endSibling(sharing.From))
	j.variants[k] += "siblings "
	return err
}

// layEnd makes the last step count, where it should, and gives it its factors.
func (j *join) layEnd(k int, s *kernels.Step) error {
	if j.count {
		s.Mode, s.Tile = kernels.Count, uint32(j.d.options.tile) // there is no table to be filled
	} else if len(j.out) == 0 {
		s.Capacity = math.MaxInt64 // rows without columns are only counted
	}
	return j.layGroups(k, j.groups(), s)
}

// branchWeights are the device's names of weights.
var branchWeights = [...]kernels.Weight{bgp.AtLeastOne: kernels.AtLeastOne, bgp.Some: kernels.Some, bgp.None: kernels.NoSolution}

// layBranch translates a branch whose weight is a matter of lengths and weights.
func (j *join) layBranch(k int, g *match.Group) (b kernels.Branch, err error) {
	b.Weight = branchWeights[g.Branch.Weight]
	factors := make([]kernels.Link, 0, len(g.Children)+1)
	if g.Never {
		factors = append(factors, empty())
	}
	for _, child := range g.Children {
		factor, err := j.layGroup(k, child)
		if err != nil {
			return b, err
		}
		factors = append(factors, factor)
	}
	b.Factors, b.FactorCount = put(j.image, factors), uint32(len(factors))
	if g.Test == nil {
		return b, nil
	}
	checks, pairs, err := j.layChecks(k, g.Test)
	b.Checks, b.CheckCount = put(j.image, checks), uint32(len(checks))
	b.Pairs, b.PairCount = put(j.image, pairs), uint32(len(pairs))
	return b, err
}

// layFactor translates a step whose candidates are counted by the length of their list.
func (j *join) layFactor(k int, s *match.Step) (kernels.Link, error) {
	links, err := j.layLinks(k, s.Lists)
	if err != nil {
		return kernels.Link{}, err
	}
	var except []kernels.Operand
	for i, o := range s.Distinct {
		if slices.Contains(s.Distinct[:i], o) {
			continue
		}
		operand, err := j.operand(k, o)
		if err != nil {
			return kernels.Link{}, err
		}
		except = append(except, operand)
	}
	factor := links[0]
	factor.Low, factor.High = j.bounds(k, s)
	factor.Except, factor.ExceptCount = put(j.image, except), uint32(len(except))
	return factor, nil
}

// layConditions translates everything of a step but its lists, as device step k sees it.
func (j *join) layConditions(k int, from *match.Step, distinct []bgp.Operand, s *kernels.Step) error {
	checks, pairs, err := j.layChecks(k, from)
	if err != nil {
		return err
	}
	differ, err := j.operands(k, distinct)
	if err != nil {
		return err
	}
	greater, err := j.slots(k, from.Above)
	if err != nil {
		return err
	}
	less, err := j.slots(k, from.Under)
	if err != nil {
		return err
	}
	s.Above, s.AboveCount = put(j.image, greater), uint32(len(greater))
	s.Under, s.UnderCount = put(j.image, less), uint32(len(less))
	s.Checks, s.CheckCount = put(j.image, checks), uint32(len(checks))
	s.Pairs, s.PairCount = put(j.image, pairs), uint32(len(pairs))
	s.Distinct, s.DistinctCount = put(j.image, differ), uint32(len(differ))
	return nil
}

// slots are the operands that read some slots.
func (j *join) slots(k int, slots []int) ([]kernels.Operand, error) {
	bound := make([]bgp.Operand, len(slots))
	for i, slot := range slots {
		bound[i] = bgp.Bound(slot)
	}
	return j.operands(k, bound)
}

// layChecks translates the edges that a step tests, and those that must differ.
func (j *join) layChecks(k int, from *match.Step) (checks []kernels.Check, pairs []kernels.Pair, err error) {
	for _, c := range from.Plan.Checks {
		if err := j.loadChecked(c.Label); err != nil {
			return nil, nil, err
		}
		check, err := j.check(k, c)
		if err != nil {
			return nil, nil, err
		}
		checks = append(checks, check)
	}
	for _, c := range from.Plan.EdgeDistinct {
		a, err := j.check(k, c[0])
		if err != nil {
			return nil, nil, err
		}
		b, err := j.check(k, c[1])
		if err != nil {
			return nil, nil, err
		}
		pairs = append(pairs, kernels.Pair{A: a, B: b})
	}
	return checks, pairs, nil
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

func (j *join) check(k int, c bgp.EdgeCheck) (kernels.Check, error) {
	from, err := j.operand(k, c.From)
	if err != nil {
		return kernels.Check{}, err
	}
	label, err := j.operand(k, c.Label)
	if err != nil {
		return kernels.Check{}, err
	}
	to, err := j.operand(k, c.To)
	return kernels.Check{From: from, Label: label, To: to, Absent: asFlag(c.Absent)}, err
}

// loadChecked loads both directions of the label of an edge that is tested, or all partitions for a variable.
func (j *join) loadChecked(label bgp.Operand) error {
	if !label.IsConstant() {
		return j.r.all(j.ctx)
	}
	for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
		at, used := j.r.place(label.Constant, dir)
		if !used {
			return nil
		}
		if _, err := j.r.load(j.ctx, at, false); err != nil {
			return err
		}
	}
	return nil
}

// layCopies hands on the slots that the next table holds.
func (j *join) layCopies(k int, s *kernels.Step) error {
	next, to := j.output, j.out
	if k+1 < j.deviceSteps() {
		next, to = j.tables[k+1], j.columns[k+1]
	}
	var copies []kernels.Copy
	for i, slot := range next {
		switch plan := k - j.first; {
		case slot == j.slot(k):
			s.Store = to[i]
			continue
		case slot == j.weightLow():
			s.WeightLow = to[i]
			continue
		case slot == j.weightHigh():
			s.WeightHigh = to[i]
			continue
		case plan >= 0 && slot == j.firstSibling(plan):
			s.GroupFirst = to[i]
			continue
		case plan >= 0 && slot == j.endSibling(plan):
			s.GroupEnd = to[i]
			continue
		}
		from, err := j.column(k, slot)
		if err != nil {
			return err
		}
		copies = append(copies, kernels.Copy{From: from, To: to[i]})
	}
	s.Copies, s.CopyCount = put(j.image, copies), uint32(len(copies))
	return nil
}
