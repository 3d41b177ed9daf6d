package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
)

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

// in runs the query over a reading, in a lane that it waits for.
func (q *query) in(ctx context.Context, d *Device, r *reading, s *shape, weights *numbers) (n uint64, err error) {
	if err := q.wait(ctx); err != nil {
		return 0, err
	}
	defer q.pass()
	s.reads(d, q.task)
	want := d.arenaFor(s, q.task)
	l, err := q.takeLane(ctx, d, want)
	if err != nil {
		return 0, err
	}
	if l.arena.size < want {
		q.grown = mostGrown // there is no room for larger ones either
	}
	if err := q.lay(ctx, d, r, l, s, weights); err != nil {
		return 0, err
	}
	if q.trace != nil {
		q.trace.Upload = r.waiting
	}
	err = section.Guard(func() (err error) {
		n, err = q.run()
		return err
	})
	if err != nil {
		return n, q.lane.dropAfter(err)
	}
	q.lane.release()
	return n, nil
}

// close gives back what rows became and were tested by; nothing runs any more.
func (q *query) close() error {
	return errors.Join(q.groups.close(), q.sums.close(), q.top.close(), q.sifting.close(), q.endStreaming())
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
		if err = r.publishViews(l); pages == nil || err != nil {
			return err // the pinned memory is used again when the launch behind it is through
		}
		return l.stream.Synchronize() // for other pages it is used again before
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
