package gpu

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// combination is the groups that a query's rows become on the device before they are handed out: rows that are equal are one, with the sum of
// their weights (bgp.MatchPlan.Combine).
type combination struct {
	*kernels.Combining
	q     *query
	image kernels.Address // a Combining, and a Listing behind it
	// out are the columns that groups are listed in: room of them.
	out  kernels.Address
	room int64
	// made is how many groups were handed out.
	made uint64
	// tallies: the groups are those of another combination, counted by one of their columns. They are handed out all at once or not at all.
	tallies bool
}

const (
	// mostFirstGroups are the slots of a table at first, where there are rows for as many; a table has growthOfGroups times as many when
	// it is half full.
	mostFirstGroups = 1 << 20
	leastGroups     = 16
	growthOfGroups  = 4
	// groupsShare is the share of the device's memory that one query's groups may take.
	groupsShare = 4
	// mostListed is how many groups are listed at a time: their columns fill the staging memory.
	mostListed = stagingBytes / 16
	// mostChunk is how many rows a block takes at a time.
	mostChunk = 4096
)

// Combines reports whether the device makes equal rows of a plan one before it hands them out: they have one column or two.
func Combines(plan *bgp.MatchPlan) bool {
	n := 0
	for i, slot := range plan.Output {
		if !slices.Contains(plan.Output[:i], slot) {
			n++
		}
	}
	return plan.Combine && plan.Inputs == 0 && (n == 1 || n == 2)
}

// combines reports whether a query's rows become groups.
func (q *query) combines() bool {
	return Combines(q.Plan) && q.task.Limit == 0 && (q.Plan.Once || q.task.Weighted)
}

// take hands the rows of the output columns out, or makes groups of them, those alone that pass what the plan says of their numbers.
func (q *query) take(state *kernels.State) error {
	few := state.Status == kernels.Done && state.Rows < q.d.options.CombineFrom && len(q.Plan.Lookups) == 0
	folding := q.sums != nil || q.d.folds(q.task) && (!few || q.sifting != nil)
	switch {
	case (!few || q.sifting != nil) && q.sifts(folding):
		return q.sift(state, folding)
	case folding:
		return q.sum(state.Rows)
	}
	return q.takeRows(state)
}

// takeRows hands the rows of the output columns out, or makes groups of them.
func (q *query) takeRows(state *kernels.State) error {
	switch {
	case q.groups != nil:
	case !q.combines() || q.uncombined || state.Status == kernels.Done && state.Rows < q.d.options.CombineFrom:
		return q.handOut(state)
	default:
		err := q.beginCombining(int64(state.Rows))
		if errors.Is(err, ErrOutOfMemory) {
			q.uncombined = true
			return q.handOut(state)
		}
		if err != nil {
			return err
		}
	}
	q.done += state.Rows
	return q.groups.takeRows(state.Rows)
}

// beginCombining makes a table that suits so many rows, or that grows.
func (q *query) beginCombining(rows int64) error {
	c, err := q.newCombination(rows)
	q.groups = c
	if errors.Is(err, ErrOutOfMemory) {
		err = errors.Join(err, c.close())
		q.groups = nil
	}
	return err
}

// firstSlots are those of a table that is made for so many rows, or grows.
func firstSlots(rows int64) int64 {
	return max(int64(1)<<bits.Len64(uint64(min(4*rows, mostFirstGroups)-1)), leastGroups)
}

// newCombination makes a table for so many rows, or one that grows. What it has taken is the caller's to close, with an error too.
func (q *query) newCombination(rows int64) (c *combination, err error) {
	slots := firstSlots(rows)
	c = &combination{q: q, Combining: &kernels.Combining{}, room: min(max(slots, kernels.ListChunk), mostListed)}
	if c.image, err = c.q.d.alloc(combiningBytes + kernels.Size[kernels.Listing]()); err == nil {
		c.out, err = c.q.d.alloc(16 * c.room)
	}
	if err == nil {
		err = c.open(slots)
	}
	return c, err
}

var combiningBytes = aligned(kernels.Size[kernels.Combining]())

// alloc takes memory of the device; give gives it back once the stream does not use it any more.
func (d *Device) alloc(bytes int64) (kernels.Address, error) {
	return d.partitions.alloc(bytes, d.memory.take)
}

func (d *Device) give(a kernels.Address) error {
	if a == 0 {
		return nil
	}
	return d.memory.give(a)
}

// open makes a table of so many slots, all free.
func (c *combination) open(slots int64) error {
	table, err := c.q.d.groups(slots * kernels.Size[kernels.Group]())
	if err != nil {
		return err
	}
	c.Groups, c.Mask = table, uint64(slots-1)
	return c.clear()
}

// groups takes memory for a query's groups.
func (d *Device) groups(bytes int64) (kernels.Address, error) {
	if bytes > d.memory.limit/groupsShare {
		return 0, fmt.Errorf("gpu: groups of %d bytes take too much: %w", bytes, ErrOutOfMemory)
	}
	return d.alloc(bytes)
}

// clear frees all slots.
func (c *combination) clear() error {
	c.Used = 0
	return c.q.lane.stream.Zero(c.Groups, int64(c.Mask+1)*kernels.Size[kernels.Group]())
}

// takers is how many blocks of a kernel take rows into a table of so many slots, from how many groups on they stop, how many rows a block takes at a time, and how many
// groups it keeps near: what blocks may make beyond those that the table may use is a quarter of the slots, half of that of rows and half of what they keep near.
func (d *Device) takers(k kernels.Kernel, slots uint64) (blocks int, most uint64, chunk, near uint32) {
	eighth := slots / 8
	n := min(max(eighth/kernels.NearGroups, 1), uint64(d.rowBlocks[k]))
	each := eighth / n
	return int(n), slots / 2, uint32(min(each, mostChunk)), uint32(min(uint64(1)<<(bits.Len64(each)-1), kernels.NearGroups))
}

// listers is how many blocks of a kernel list a table of so many slots into so much room.
func (d *Device) listers(k kernels.Kernel, slots, room int64) int {
	return max(1, min(int(min(slots, room)/kernels.ListChunk)/2, d.rowBlocks[k]))
}

// takeRows makes groups of the rows of the output columns.
func (c *combination) takeRows(rows uint64) error {
	out := c.q.out
	c.First, c.Second, c.Sums = out[0], 0, 1
	if c.q.Plan.Once {
		c.Sums = 0
	}
	if c.q.weighted {
		c.WeightLow, c.WeightHigh = out[len(out)-2], out[len(out)-1]
		out = out[:len(out)-2]
	}
	if len(out) == 2 {
		c.Second = out[1]
	}
	began := time.Now()
	err := c.takeColumns(rows)
	if t := c.q.trace; t != nil {
		t.Combined.Rows += rows
		t.Combined.Elapsed += time.Since(began)
	}
	return err
}

// takeColumns makes groups of the rows of the columns that are set.
func (c *combination) takeColumns(rows uint64) error {
	c.Rows, c.Slice = rows, uint64(c.q.d.options.slice)
	for c.Next = 0; c.Next < rows; {
		if err := c.launch(); err != nil {
			return err
		}
		if c.Used >= c.Most && c.Next < rows {
			if err := c.makeRoom(); err != nil {
				return err
			}
		}
	}
	return nil
}

// launch has blocks take rows until the table is full, or for a slice of time.
func (c *combination) launch() error {
	var blocks int
	blocks, c.Most, c.Chunk, c.Near = c.q.d.takers(kernels.CombineRows, c.Mask+1)
	return c.run(func(s kernels.Stream) error { return s.Launch(kernels.CombineRows, blocks, 0, c.image) })
}

// run carries a launch out that reads the Combining, and fetches what became of it.
func (c *combination) run(launch func(kernels.Stream) error) error {
	return exchange(c.q, c.image, c.Combining, launch)
}

// exchange copies a value to the device for a launch, and back.
func exchange[T any](q *query, at kernels.Address, value *T, launch func(kernels.Stream) error) error {
	if err := q.ctx.Err(); err != nil {
		return err
	}
	if err := q.wait(q.ctx); err != nil {
		return err
	}
	defer q.pass()
	size := kernels.Size[T]()
	pinned := (*T)(unsafe.Pointer(&q.lane.upload()[0]))
	*pinned = *value
	stream := q.lane.stream
	err := stream.Upload(at, q.lane.upload()[:size])
	if err == nil {
		err = launch(stream)
	}
	if err == nil {
		err = stream.Download(q.lane.upload()[:size], at)
	}
	if err == nil {
		err = stream.Synchronize()
	}
	*value = *pinned
	return err
}

// makeRoom makes a larger table of one that is full or, where there is no memory for it, hands its groups out.
func (c *combination) makeRoom() error {
	full, slots := c.Groups, int64(c.Mask+1)
	used := c.Used
	err := c.open(slots * growthOfGroups)
	if errors.Is(err, ErrOutOfMemory) && !c.tallies {
		if err := c.handOut(false); err != nil {
			return err
		}
		return c.clear()
	}
	if err != nil {
		return err
	}
	c.Used = used
	return c.q.move(kernels.MoveGroups, c.run, c.image, full, slots)
}

// move takes the groups of a table of so many slots, which it gives back, over to that at image.
func (q *query) move(k kernels.Kernel, run func(func(kernels.Stream) error) error, image, full kernels.Address, slots int64) error {
	blocks := int(min(int64(q.d.rowBlocks[k]), slots/kernels.Block+1))
	err := run(func(s kernels.Stream) error { return s.Launch(k, blocks, 0, image, full, uint64(slots)) })
	return errors.Join(err, q.d.give(full))
}

// handOut emits the groups; all: there are no others, before or after them.
func (c *combination) handOut(all bool) error {
	if all && c.q.Plan.Tally > 0 && c.Second != 0 {
		if done, err := c.handOutTally(); done || err != nil {
			return err
		}
	}
	if err := c.list(func(l *kernels.Listing) error { return c.emit(l, all) }); err != nil {
		return err
	}
	c.made += c.Used
	if t := c.q.trace; t != nil {
		t.Combined.Groups = c.made
	}
	return nil
}

// handOutTally emits how many groups there are of each value of one of their columns (bgp.MatchPlan.Tally); false, with nothing emitted,
// where there is no memory for them.
func (c *combination) handOutTally() (done bool, err error) {
	t, err := c.tally()
	defer func() {
		if closed := t.close(); err == nil { // an error of emit is returned as it is
			err = closed
		}
	}()
	if errors.Is(err, ErrOutOfMemory) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, t.handOut(true)
}

// tally makes groups of one column of the groups: the caller closes what it returns, with an error too.
func (c *combination) tally() (*combination, error) {
	began := time.Now()
	t, err := c.q.newCombination(int64(c.Used))
	t.tallies, t.Sums = true, 1
	if err == nil {
		err = c.list(func(l *kernels.Listing) error {
			if t.First = l.First; slices.Index(c.q.output, c.q.Plan.Output[c.q.Plan.Tally-1]) == 1 {
				t.First = l.Second
			}
			return t.takeColumns(l.Listed)
		})
	}
	if trace := c.q.trace; trace != nil {
		trace.Combined.Elapsed += time.Since(began)
	}
	return t, err
}

// list writes the groups out as columns, as many at a time as there is room for, and calls take with each part that is not empty.
func (c *combination) list(take func(*kernels.Listing) error) error {
	l := c.listing()
	return listed(c.q, kernels.ListGroups, c.image+kernels.Address(combiningBytes), c.room, l, &l.Next, l.Mask, &l.Listed, func() error { return take(l) })
}

// listed carries a listing of a table of mask+1 slots out, as many groups at a time as there is room for, and calls take with each part that is not empty.
func listed[L any](q *query, k kernels.Kernel, at kernels.Address, room int64, l *L, next *uint64, mask uint64, n *uint64, take func() error) error {
	blocks := q.d.listers(k, int64(mask+1), room)
	for *next <= mask {
		*n = 0
		err := exchange(q, at, l, func(s kernels.Stream) error { return s.Launch(k, blocks, 0, at) })
		if err == nil && *n > 0 {
			err = take()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listing lists the groups' columns in out: first the weights.
func (c *combination) listing() *kernels.Listing {
	l := &kernels.Listing{Groups: c.Groups, Mask: c.Mask, Room: uint64(c.room)}
	at := c.out
	if c.Sums != 0 {
		l.Weights = at
	}
	l.First = at + 8*kernels.Address(c.room)
	if c.Second != 0 {
		l.Second = at + 12*kernels.Address(c.room)
	}
	return l
}

// emit fetches groups that were listed and hands them out.
func (c *combination) emit(l *kernels.Listing, all bool) error {
	n := int64(l.Listed)
	began := time.Now()
	staging, err := c.q.lane.staging()
	if err != nil {
		return err
	}
	columns := [][]dictionary.ID{fetched[dictionary.ID](staging[8*c.room:], n), fetched[dictionary.ID](staging[12*c.room:], n)}
	b := &match.Batch{N: int(n), Distinct: all && !c.tallies, Tally: c.tallies, Passed: c.q.allPassed(), Cols: make([][]dictionary.ID, len(c.q.Plan.Output))}
	if c.tallies {
		b.Cols[c.q.Plan.Tally-1] = columns[0]
	} else {
		b.Cols = c.q.columnsOf(func(i int) []dictionary.ID { return columns[i] })
	}
	stream := c.q.lane.stream
	err = stream.Download(kernels.Bytes(columns[0]), l.First)
	if err == nil && l.Second != 0 {
		err = stream.Download(kernels.Bytes(columns[1]), l.Second)
	}
	if err == nil && l.Weights != 0 {
		b.Weights = fetched[uint64](staging, n)
		err = stream.Download(kernels.Bytes(b.Weights), l.Weights)
	}
	if err == nil {
		err = stream.Synchronize()
	}
	if err != nil {
		return err
	}
	if t := c.q.trace; t != nil {
		t.Download += time.Since(began)
	}
	return c.q.emitParts(b)
}

// fetched is n values at the front of pinned memory.
func fetched[T any](data []byte, n int64) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), n)
}

// close gives the memory back, if there is some; nothing runs any more.
func (c *combination) close() error {
	if c == nil {
		return nil
	}
	err := errors.Join(c.q.d.give(c.image), c.q.d.give(c.out), c.q.d.give(c.Groups))
	c.image, c.out, c.Groups = 0, 0, 0
	return err
}
