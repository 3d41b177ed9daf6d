package gpu

import (
	"math"
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// driven is the state of a join whose decisions, those of match.cu, the host makes, with a launch for every phase: because a plan reads
// partitions in pages, which come between the phases, or to tell what it costs.
type driven struct {
	frames []kernels.Frame
	levels []level
	state  kernels.State
	epoch  uint64
	trace  []kernels.StepTrace
	// counted is what the bound phase of the last step found, where that is all that counts (join.lengths).
	counted uint64
}

// level is the table that a device step reads, portion by portion.
type level struct {
	portions []portion
	rows     uint64 // of the table
	at       int    // the portion that is being joined
	bound    bool   // the frame tells of it, and its pages are where its lists are looked for
	found    int    // the portion, and one, whose rows were scanned for (tuning.scanned)
	made     int    // tables so far
	copied   uint64 // bytes of pages copied for the step
	flat     uint64 // rows and links whose list is read where it lies in host memory
	whole    uint64 // portions in all
}

// portion is a part of a table's rows that is joined at a time.
type portion struct {
	order kernels.Address // the rows, as u32; 0: the first ones
	scan  bool            // they are to be looked for, when its turn has come
	id    uint32          // its number among the windows'
	rows  uint64
	pages []pageOf // that are to be on the device
}

// hostDriven goes on with the join until it is done or its output is to be handed out.
func (q *query) hostDriven() (*kernels.State, error) {
	p := q.image.program()
	if q.driven == nil {
		if err := q.beginDriven(); err != nil {
			return nil, err
		}
	} else {
		q.driven.state.Rows = 0
		if err := q.lane.stream.Zero(q.image.base+stateOffset, 8); err != nil {
			return nil, err
		}
	}
	h := q.driven
	last := q.deviceSteps() - 1
	for h.state.Status = kernels.Running; h.state.Status == kernels.Running; {
		if err := q.ctx.Err(); err != nil {
			return nil, err
		}
		k := int(h.state.Level)
		if err := q.driveLevel(k); err != nil {
			return nil, err
		}
		left := func(k int) bool { return h.levels[k].at < len(h.levels[k].portions) }
		switch made := h.state.Counters[0]; {
		case p.Grow != 0 && k < last && made > 0 && 2*q.through(k) < 1:
			h.state.Status = kernels.Grow
			h.state.Counters[0] = uint64(float64(made) / max(q.through(k), 1e-9))
		case k == last && p.Limit > 0 && h.state.Emitted+h.state.Rows >= p.Limit:
			h.state.Status = kernels.Done
		case k == last && left(k):
			h.state.Status = kernels.OutputFull
			h.state.Emitted += h.state.Rows
		case k < last && made > 0:
			h.state.Level = uint32(k + 1)
			if err := q.enter(k+1, made); err != nil {
				return nil, err
			}
		case !left(k):
			for k > 0 && !left(k-1) {
				k--
			}
			if k == 0 {
				h.state.Status = kernels.Done
			} else {
				h.state.Level = uint32(k - 1)
			}
		}
	}
	h.state.KernelTime = 0
	for _, t := range h.trace {
		h.state.KernelTime += t.Nanoseconds
	}
	return &h.state, nil
}

// beginDriven begins with the rows that start uploaded.
func (q *query) beginDriven() error {
	n := q.deviceSteps()
	q.driven = &driven{frames: make([]kernels.Frame, n), levels: make([]level, n), trace: make([]kernels.StepTrace, n)}
	return q.enter(0, (*kernels.Frame)(q.image.at(q.image.program().Frames)).Rows)
}

// tickets are those that the portion of device step k has.
func (q *query) tickets(k int) uint64 {
	return q.image.program().Tickets(q.tiles[k], q.driven.frames[k].Candidates)
}

// through is the part of a table's candidates that are used up.
func (q *query) through(k int) float64 {
	lv, f := &q.driven.levels[k], &q.driven.frames[k]
	if lv.at == len(lv.portions) {
		return 1
	}
	rows, done := uint64(0), 0.0
	for i, part := range lv.portions {
		rows += part.rows
		switch {
		case i < lv.at:
			done += float64(part.rows)
		case i == lv.at:
			done += float64(part.rows) * float64(f.Next) / float64(max(q.tickets(k), 1))
		}
	}
	return done / float64(max(rows, 1))
}

// enter begins with a table that a step has made for device step k.
func (q *query) enter(k int, rows uint64) error {
	lv := &q.driven.levels[k]
	q.driven.trace[k].RowsIn += rows
	lv.at, lv.bound, lv.found, lv.rows = 0, false, 0, rows
	lv.made++
	q.driven.frames[k] = kernels.Frame{Rows: rows}
	lv.portions = append(lv.portions[:0], portion{rows: rows})
	if q.streaming == nil {
		return nil
	}
	return q.split(k, rows)
}

// driveLevel joins portions of device step k until its table is used up, the next one is full, or enough rows came out.
func (q *query) driveLevel(k int) error {
	h, p := q.driven, q.image.program()
	lv, f := &h.levels[k], &h.frames[k]
	out, limit := q.image.base+stateOffset, uint64(math.MaxUint64)
	h.state.Counters[0] = 0
	if k < q.deviceSteps()-1 {
		out += countersOffset
		if err := q.lane.stream.Zero(out, 8); err != nil {
			return err
		}
	} else if p.Limit > 0 {
		limit = p.Limit - h.state.Emitted
	}
	before := h.made(k, q)
	for lv.at < len(lv.portions) {
		begun := time.Now()
		if err := q.phases(k, out, limit); err != nil {
			return err
		}
		h.trace[k].Nanoseconds += uint64(time.Since(begun))
		if f.Next < q.tickets(k) {
			if h.state.Expired[0] == 0 {
				break
			}
		} else {
			h.trace[k].Candidates += f.Candidates
			lv.at++
			lv.bound = false
			f.Next = 0
		}
		if err := q.ctx.Err(); err != nil {
			return err
		}
	}
	h.trace[k].RowsOut += h.made(k, q) - before
	return nil
}

// made is how many rows device step k has made since the counter was set back.
func (h *driven) made(k int, q *query) uint64 {
	if k == q.deviceSteps()-1 {
		return h.state.Rows
	}
	return h.state.Counters[0]
}

// stateOffset is where State lies in a Program: it is the last field.
var stateOffset = kernels.Address(kernels.Size[kernels.Program]() - kernels.Size[kernels.State]())

// Where Counters and Expired lie in a State.
var (
	countersOffset = kernels.Address(unsafe.Offsetof(kernels.State{}.Counters))
	expiredOffset  = kernels.Address(unsafe.Offsetof(kernels.State{}.Expired))
)

// phases runs bound, where it is due, and extend of the portion of device step k, and fetches what they counted.
func (q *query) phases(k int, out kernels.Address, limit uint64) error {
	if err := q.wait(q.ctx); err != nil {
		return err
	}
	defer q.pass()
	h, p, s, base := q.driven, q.image.program(), q.lane.stream, q.image.base
	lv, f := &h.levels[k], &h.frames[k]
	scratch := q.lane.scratch()
	at := p.Frames + kernels.Address(k)*kernels.Address(kernels.Size[kernels.Frame]())
	begins := !lv.bound
	if begins {
		part := &lv.portions[lv.at]
		if err := q.fetch(k, part); err != nil {
			return err
		}
		if err := q.scan(k, lv); err != nil {
			return err
		}
		f.Rows = part.rows
		if err := s.Upload(at, scratch[:copy(scratch, kernels.Bytes(h.frames[k:k+1]))]); err != nil {
			return err
		}
		h.epoch++
		if err := s.Launch(q.kernel(kernels.BoundPhase, kernels.BoundPhase, kernels.BoundPaged), q.blocks, 0, base, uint64(k), part.rows, h.epoch, part.order); err != nil {
			return err
		}
		lv.bound = true
	}
	last := k == q.deviceSteps()-1
	if !last || !q.lengths {
		if err := s.Zero(base+stateOffset+expiredOffset, 4); err != nil {
			return err
		}
		if err := s.Launch(q.kernel(kernels.ExtendPhase, kernels.ExtendBranches, kernels.ExtendPaged), q.blocks, 0, base, uint64(k), out, limit, uint64(q.d.options.slice)); err != nil {
			return err
		}
	}
	if begins { // only now: what the launches wait for would stand behind the pages in the bus's queue
		if err := q.fetchAhead(k); err != nil {
			return err
		}
	}
	stateBytes, frameBytes := scratch[:kernels.Size[kernels.State]()], scratch[kernels.Size[kernels.State]():][:kernels.Size[kernels.Frame]()]
	if err := s.Download(stateBytes, base+stateOffset); err != nil {
		return err
	}
	if err := s.Download(frameBytes, at); err != nil {
		return err
	}
	if err := s.Synchronize(); err != nil {
		return err
	}
	now, st := (*kernels.State)(unsafe.Pointer(&stateBytes[0])), &h.state
	*f = *(*kernels.Frame)(unsafe.Pointer(&frameBytes[0]))
	st.Rows, st.Counters[0], st.Expired = now.Rows, now.Counters[0], now.Expired
	st.Count, st.CountHigh, st.Overflowed = now.Count, now.CountHigh, now.Overflowed
	if last {
		st.Counters[0] = 0
	}
	if last && q.lengths { // every member counts
		h.counted += f.Candidates
		f.Next = q.tickets(k)
	}
	if q.lengths {
		st.Count, st.CountHigh = h.counted&math.MaxUint32, h.counted>>32
	}
	f.Next = min(f.Next, q.tickets(k))
	return nil
}
