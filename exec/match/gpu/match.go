package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// Match implements match.Matcher.
func (d *Device) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	if countsAlone(m) {
		n, err := d.Count(ctx, m)
		if err != nil {
			return err
		}
		return emitMany(n, emit)
	}
	if len(m.Plan.Lookups) > 0 {
		return d.lookUp(ctx, m, emit)
	}
	return d.matchRows(ctx, m, nil, emit)
}

// matchRows is Match of a plan whose rows are looked up in some tables, or none.
func (d *Device) matchRows(ctx context.Context, m *match.Match, tables []*table, emit func(*match.Batch) error) error {
	if m.Plan.Fold != nil && !(d.folds(m) && d.numbers.hasCode(m.Plan, m.Dictionary)) {
		m = unfolded(m)
	}
	_, err := d.run(ctx, m, emits{emit: emit, tables: tables})
	if errors.Is(err, errUnfolded) {
		_, err = d.run(ctx, unfolded(m), emits{emit: emit, tables: tables})
	}
	return err
}

// emits is what becomes of the solutions of a match: they are counted, or emitted, those that tables leave. Where keep is not nil it takes the groups that rows became
// in place of emit, which has what is no group of these.
type emits struct {
	count  bool
	emit   func(*match.Batch) error
	tables []*table
	keep   func(*combination)
}

// unfolded is a match of which the rows themselves are asked for.
func unfolded(m *match.Match) *match.Match {
	rows := *m
	rows.Plan = m.Plan.Unfolded()
	return &rows
}

// countsAlone reports whether nothing but the number of a match's rows is asked for.
func countsAlone(m *match.Match) bool {
	return len(m.Plan.Output) == 0 && m.Plan.Inputs == 0 && m.Limit == 0
}

// emitMany emits n rows of no columns.
func emitMany(n uint64, emit func(*match.Batch) error) error {
	for n > 0 {
		part := min(n, math.MaxInt32)
		if err := emit(&match.Batch{N: int(part)}); err != nil {
			return err
		}
		n -= part
	}
	return nil
}

// Count implements match.Matcher.
func (d *Device) Count(ctx context.Context, m *match.Match) (uint64, error) {
	return d.run(ctx, m, emits{count: true})
}

// run carries a match out and returns how many solutions it counted or emitted.
func (d *Device) run(ctx context.Context, m *match.Match, to emits) (n uint64, err error) {
	begun, count := time.Now(), to.count
	if m.Plan.Empty || m.Plan.Inputs > 0 && (m.Input == nil || m.Input.N == 0) {
		return 0, ctx.Err()
	}
	err = d.use(func() (err error) {
		options := d.options
		s := newShape(m, count, &options)
		if m.Trace != nil {
			*m.Trace = match.Trace{Backend: d.Name(), Steps: make([]match.StepTrace, len(m.Plan.Steps))}
		}
		if s.Never {
			return ctx.Err()
		}
		if s.Triangle != nil && d.paysTriples(m, s, &options) {
			if n, err = d.countTriangles(ctx, m, s.Triangle); !errors.Is(err, errNotDense) {
				return err
			}
		}
		if s.Dense != nil {
			if n, err = d.countDense(ctx, m, s.Dense); !errors.Is(err, errNotDense) {
				return err
			}
			options.NoDense = true
			s = newShape(m, count, &options)
		}
		if s.Squares != nil {
			if n, err = d.countSquares(ctx, m, s.Squares); !errors.Is(err, errNotDense) {
				return err
			}
		}
		weights, s, err := d.weights(m, count, s)
		if err != nil {
			return err
		}
		defer func() {
			if failed := weights.give(); err == nil {
				err = failed
			}
		}()
		r, err := d.read(m.Graph)
		if err != nil {
			return err
		}
		defer func() {
			if failed := r.end(); err == nil {
				err = failed
			}
		}()
		if there, err := r.pinReach(ctx, m, s); err != nil {
			return err
		} else if !there {
			if s, err = r.joinLeaves(ctx, m, count, s); err != nil {
				return err
			}
		}
		q := &query{task: m, emit: d.lanes.handsOut(to.emit), lookups: to.tables, keep: to.keep, trace: m.Trace, permit: permit{permits: d.permits}}
		defer func() {
			if failed := errors.Join(q.groups.close(), q.sums.close(), q.top.close(), q.sifting.close(), q.endStreaming()); err == nil {
				err = failed
			}
		}()
		if err := q.wait(ctx); err != nil {
			return err
		}
		defer q.pass()
		s.reads(d, m)
		want := d.arenaFor(s, m)
		l, err := q.takeLane(ctx, d, want)
		if err != nil {
			return err
		}
		if l.arena.size < want {
			q.grown = mostGrown // there is no room for larger ones either
		}
		if err := q.lay(ctx, d, r, l, s, weights); err != nil {
			return err
		}
		if q.trace != nil {
			q.trace.Upload = r.waiting
		}
		err = section.Guard(func() (err error) {
			n, err = q.run()
			return err
		})
		if err != nil {
			return q.lane.dropAfter(err)
		}
		q.lane.release()
		return nil
	})
	if m.Trace != nil {
		m.Trace.Elapsed = time.Since(begun)
	}
	return n, err
}

// query is one run of a join.
type query struct {
	*join
	permit
	task  *match.Match
	emit  func(*match.Batch) error
	trace *match.Trace
	// done is the rows of earlier parts of the input, counted or emitted.
	done       uint64
	base, part int      // first input row of the part that runs, and how many
	grown      int      // times that the tables grew
	weights    []uint64 // of the batch that is handed out

	// groups are what rows become before they are handed out; nil where they do not, or not yet. uncombined: there is no memory for that.
	groups *combination
	sums   *summation // what rows are folded to; nil where they are not, or not yet
	// top is what selects the first rows; nil where nothing does, or not yet. unselected: it cannot tell them.
	top        *selection
	unselected bool
	uncombined bool
	// lookups are the tables that rows are looked up in. keep takes the groups when all are made; nil: they are handed out.
	lookups []*table
	keep    func(*combination)
	// sifting is what leaves out rows; nil where nothing does, or not yet. unsifted: it cannot tell them. passed: those that are handed out pass.
	sifting          *sifting
	unsifted, passed bool

	driven    *driven    // of hostDriven; nil where the device decides
	streaming *streaming // nil where nothing is read in pages
}

// lay lays the join's tables out in a lane's arena; the lane is given back where that fails.
func (q *query) lay(ctx context.Context, d *Device, r *reading, l *lane, s *shape, n *numbers) error {
	var j *join
	var pages *streaming
	err := section.Guard(func() (err error) {
		if j, err = newJoin(ctx, d, r, l, q.task, s, n); err != nil || len(r.views) == 0 {
			return err
		}
		if r.reached {
			j.variants[min(j.first, len(j.variants)-1)] += fmt.Sprintf("pages: %d MB copied before ", r.brought>>20)
		}
		if pages = j.newStreaming(); pages == nil && !r.reached {
			r.pinAll()
		}
		return errors.Join(r.publishViews(l), l.stream.Synchronize()) // the pinned memory is used again
	})
	if err != nil {
		return l.dropAfter(err)
	}
	q.join, q.streaming = j, pages // where it fails while tables grow, the query still has those it had
	return nil
}

// run carries out the join over the input, as many rows at a time as the first table holds.
func (q *query) run() (uint64, error) {
	rows := 1
	if q.Plan.Inputs > 0 {
		rows = q.task.Input.N
	}
	first := int(q.rows(0, q.capacity))
	for q.base = 0; q.base < rows; q.base += first {
		q.part = min(rows-q.base, first)
		if err := q.start(); err != nil {
			return q.done, err
		}
		if err := q.drive(); err != nil {
			return q.done, err
		}
		if !q.count && q.task.Limit > 0 && q.done >= q.task.Limit {
			break
		}
	}
	if q.sums != nil {
		return q.done, q.sums.handOut()
	}
	if q.groups != nil && q.keep != nil {
		q.keep(q.groups)
		q.groups = nil
	}
	if q.groups != nil {
		return q.done, q.groups.handOut(q.groups.made == 0)
	}
	return q.done, nil
}

// start uploads the program and the rows of the part of the input.
func (q *query) start() error {
	p, n := q.image.program(), q.part
	p.State = kernels.State{Epoch: 1}
	p.Grow = 0
	if q.mayGrow() {
		p.Grow = 1
	}
	if err := q.letPagesGo(); err != nil {
		return err
	}
	q.driven = nil
	// Flags of whoever had the memory before must not count, nor those of the part before, or of a run that found its tables too small.
	if err := q.lane.stream.Zero(p.Flags, 4*((q.capacity+kernels.Block-1)/kernels.Block)); err != nil {
		return err
	}
	if q.task.Limit > 0 && !q.count {
		p.Limit = q.task.Limit - q.done
	}
	*(*kernels.Frame)(q.image.at(p.Frames)) = kernels.Frame{Rows: uint64(n)}
	data := q.image.bytes()
	if len(data) <= uploadBytes {
		data = q.lane.upload()[:copy(q.lane.upload(), data)]
	}
	if err := q.lane.stream.Upload(q.image.base, data); err != nil {
		return err
	}
	var sent [][]dictionary.ID // until they have arrived
	for i, slot := range q.tables[0] {
		column := make([]dictionary.ID, 0)
		if slot == q.OriginSlot() {
			for r := range n {
				column = append(column, dictionary.ID(q.base+r))
			}
		} else {
			column = q.task.Input.Cols[slot][q.base : q.base+n]
		}
		sent = append(sent, column)
		if err := q.lane.stream.Upload(q.columns[0][i], kernels.Bytes(column)); err != nil {
			return errors.Join(err, q.lane.stream.Synchronize())
		}
	}
	if len(sent) > 0 {
		if err := q.lane.stream.Synchronize(); err != nil {
			return err
		}
		runtime.KeepAlive(sent)
	}
	return q.weigh()
}

// at is the image's memory at a device address.
func (im *image) at(a kernels.Address) unsafe.Pointer {
	return unsafe.Pointer(&im.words[(a-im.base)/8])
}

// drive launches until the join is done, and hands its output out whenever the device stops with some.
func (q *query) drive() error {
	blocks := q.narrow
	for {
		if err := q.ctx.Err(); err != nil {
			return err
		}
		state, err := q.launch(blocks)
		if err != nil {
			return err
		}
		switch state.Status {
		case kernels.Sliced:
			blocks = q.partOfGrid(len(q.d.permits) + 1)
			continue
		case kernels.Widen:
			blocks = q.blocks
			continue
		case kernels.Grow:
			if err := q.grow(state); err != nil {
				return err
			}
			blocks = q.blocks
			continue
		case kernels.Overflow:
			return fmt.Errorf("gpu: a table of %d rows overflowed: %w", q.capacity, ErrOutOfMemory)
		case kernels.OutputFull, kernels.Done:
		default:
			return fmt.Errorf("gpu: a launch ended with status %d: %w", state.Status, ErrDeviceLost)
		}
		if q.count {
			high, n := bits.Mul64(state.Solutions(), q.Automorphisms)
			if high != 0 || state.Solutions() == math.MaxUint64 || q.done+n < n {
				return match.ErrTooMany
			}
			q.done += n
		} else {
			if err := q.keepTables(); err != nil {
				return err
			}
			if err := q.take(state); err != nil {
				return err
			}
		}
		if state.Status == kernels.Done {
			return q.traceSteps(state)
		}
	}
}

// launch runs the device until it stops and returns the state it left.
func (q *query) launch(blocks int) (*kernels.State, error) {
	if q.d.options.hostDriven || q.streaming != nil {
		return q.hostDriven()
	}
	if err := q.wait(q.ctx); err != nil {
		return nil, err
	}
	defer q.pass()
	shared := q.deviceSteps() * int(kernels.Size[kernels.Frame]())
	if err := q.lane.stream.Launch(q.kernel(kernels.Match, kernels.MatchBranches, kernels.MatchPaged), blocks, shared, q.image.base); err != nil {
		return nil, err
	}
	if err := q.lane.stream.Synchronize(); err != nil {
		return nil, err
	}
	return (*kernels.State)(unsafe.Pointer(&q.lane.mailbox()[0])), nil
}

// kernel is the one that runs the query's steps, of those for plans without branches and weights, with some, and with partitions in pages.
func (q *query) kernel(plain, branches, paged kernels.Kernel) kernels.Kernel {
	if len(q.r.views) > 0 {
		return paged
	}
	if len(q.branches)+len(q.made) > 0 {
		return branches
	}
	return plain
}

// handOut emits the rows of the output columns.
func (q *query) handOut(state *kernels.State) error {
	rows := state.Rows
	if limit := q.task.Limit; limit > 0 {
		rows = min(rows, limit-q.done)
	}
	q.done += rows
	if rows == 0 {
		return nil
	}
	if len(q.out) == 0 {
		return emitMany(rows, q.emit)
	}
	if state.InMailbox != 0 {
		data := q.lane.mailbox()[kernels.Size[kernels.State]():]
		return q.emitColumns(data, int(state.Rows), int(rows))
	}
	if q.selects(rows) {
		if done, err := q.handOutTop(state); done || err != nil {
			return err
		}
	}
	return q.handOutColumns(q.out, rows)
}

// handOutColumns emits rows of columns on the device.
func (q *query) handOutColumns(out []kernels.Address, rows uint64) error {
	begun := time.Now()
	staging, err := q.lane.staging()
	if err != nil {
		return err
	}
	step := stagingBytes / 4 / len(out)
	for first := 0; first < int(rows); first += step {
		if err := q.ctx.Err(); err != nil {
			return err
		}
		n := min(step, int(rows)-first)
		for i, column := range out {
			if err := q.lane.stream.Download(staging[4*step*i:][:4*n], column+4*kernels.Address(first)); err != nil {
				return err
			}
		}
		if err := q.lane.stream.Synchronize(); err != nil {
			return err
		}
		if q.trace != nil {
			q.trace.Download += time.Since(begun)
		}
		if err := q.emitColumns(staging, step, n); err != nil {
			return err
		}
		begun = time.Now()
	}
	return nil
}

// emitColumns emits n rows that lie column by column, stride rows apart.
func (q *query) emitColumns(data []byte, stride, n int) error {
	column := func(i int) []uint32 { return unsafe.Slice((*uint32)(unsafe.Pointer(&data[4*stride*i])), n) }
	b := match.Batch{N: n, Cols: q.columnsOf(column), Passed: q.passed}
	if q.Plan.Inputs > 0 {
		b.Origin = column(len(q.output) - 1)
	}
	if i := slices.Index(q.output, q.weightLow()); i >= 0 {
		q.weights = q.weights[:0]
		for r, low := range column(i) {
			q.weights = append(q.weights, uint64(column(i + 1)[r])<<32|uint64(low))
		}
		b.Weights = q.weights
	}
	return q.emitParts(&b)
}

// columnsOf are the columns of a batch, of those of the output.
func (q *query) columnsOf(column func(i int) []dictionary.ID) [][]dictionary.ID {
	cols := make([][]dictionary.ID, len(q.Plan.Output))
	for i, slot := range q.Plan.Output {
		cols[i] = column(slices.Index(q.output, slot))
	}
	return cols
}

// emitRows is the most rows that are emitted at once: those who take them look at the time between two batches, and have workers do some each.
const emitRows = match.BatchRows

// emitParts emits a batch in parts of emitRows.
func (q *query) emitParts(b *match.Batch) error {
	if b.N <= emitRows {
		return q.emit(b)
	}
	part := match.Batch{Cols: make([][]dictionary.ID, len(b.Cols)), Distinct: b.Distinct, Tally: b.Tally, Passed: b.Passed}
	for from := 0; from < b.N; from += emitRows {
		to := min(from+emitRows, b.N)
		part.N = to - from
		for i, column := range b.Cols {
			if column != nil {
				part.Cols[i] = column[from:to]
			}
		}
		if b.Origin != nil {
			part.Origin = b.Origin[from:to]
		}
		if b.Weights != nil {
			part.Weights = b.Weights[from:to]
		}
		if err := q.emit(&part); err != nil {
			return err
		}
		if err := q.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// traceSteps fetches what every step measured.
func (q *query) traceSteps(state *kernels.State) error {
	if q.trace == nil {
		return nil
	}
	q.trace.Kernels += time.Duration(state.KernelTime)
	traces, err := q.stepTraces()
	if err != nil {
		return err
	}
	for k := range len(q.steps) - q.first {
		t, s := traces[k+q.first], &q.trace.Steps[k]
		s.RowsIn += t.RowsIn
		s.Candidates += t.Candidates
		s.RowsOut += t.RowsOut
		s.Elapsed += time.Duration(t.Nanoseconds)
		s.Variant = strings.TrimSpace(q.variants[k+q.first])
		s.Bytes += q.bytes(k+q.first, t)
	}
	for k := len(q.steps) - q.first; k < len(q.trace.Steps); k++ {
		q.trace.Steps[k].Variant = "counted"
	}
	for i, w := range q.made {
		q.trace.Steps[w.Step.Index].Variant = strings.TrimSpace("weighed " + q.variants[len(q.steps)+i])
	}
	return nil
}

// stepTraces are what the device steps measured.
func (q *query) stepTraces() ([]kernels.StepTrace, error) {
	if q.driven != nil {
		for k := range q.driven.levels {
			q.variants[k] += q.driven.levels[k].variant()
		}
		return q.driven.trace, nil
	}
	traces := make([]kernels.StepTrace, q.deviceSteps())
	if err := q.lane.stream.Download(kernels.Bytes(traces), q.image.program().Traces); err != nil {
		return nil, err
	}
	return traces, q.lane.stream.Synchronize()
}

// bytes is the memory traffic of a step as extend.cuh and bound.cuh count it, without the lists that are searched.
func (q *query) bytes(k int, t kernels.StepTrace) uint64 {
	links, kept := uint64(q.links(k)), uint64(len(q.output))
	if k+1 < len(q.tables) {
		kept = uint64(len(q.tables[k+1]))
	}
	return t.RowsIn*(44*links+28) + t.Candidates*4 + t.RowsOut*8*kept
}
