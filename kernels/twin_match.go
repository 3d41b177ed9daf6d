package kernels

import "time"

// match is match.cu's machine, run by one block that stands for all.
func (t *twin) match() {
	st := &t.p.State
	begun := time.Now()
	t.clock = sliced(t.p.Slice)
	st.Status = Running
	for st.Status == Running {
		t.turn()
	}
	st.KernelTime += uint64(time.Since(begun))
	t.post()
	if st.Status == OutputFull {
		st.Emitted += st.Rows
		st.Rows = 0
	}
}

// turn runs one bound and one extend phase, or the latter alone, and decides what is next.
func (t *twin) turn() {
	st := &t.p.State
	k, last := uint64(st.Level), uint64(t.p.StepCount-1)
	frame := in[Frame](t.memory, t.p.Frames, k)
	trace := in[StepTrace](t.memory, t.p.Traces, k)
	if st.Action == DoBound {
		t.boundPhase(int(k), frame.Rows, 0)
		frame.Next = 0
		trace.RowsIn += frame.Rows
		trace.Candidates += frame.Candidates
		if t.blocks < uint64(t.p.Blocks) && frame.Candidates > t.p.Widen {
			st.Status, st.Action = Widen, DoExtend
			return
		}
	}
	made := uint64(0)
	out, limit := &made, ^uint64(0)
	if k == last {
		out = &st.Rows
		if t.p.Limit != 0 {
			limit = t.p.Limit - st.Emitted
		}
	}
	before := *out
	expired := t.extend(int(k), frame, out, limit)
	trace.RowsOut += *out - before
	t.decide(k, last, *out, expired)
}

func (t *twin) decide(k, last, made uint64, expired bool) {
	st := &t.p.State
	frame := func(i uint64) *Frame { return in[Frame](t.memory, t.p.Frames, i) }
	tickets := func(i uint64) uint64 {
		return t.p.Tickets(in[Step](t.memory, t.p.Steps, i).Tile, frame(i).Candidates)
	}
	left := func(i uint64) bool { return frame(i).Next < tickets(i) }
	st.Action = DoExtend
	next, all := frame(k).Next, tickets(k)
	switch {
	case t.p.Grow != 0 && k < last && made > 0 && !expired && 2*next < all:
		st.Status = Grow
		st.Counters[0] = made * (all/max(next, 1) + 1)
	case k == last && t.p.Limit != 0 && st.Emitted+made >= t.p.Limit:
		st.Status = Done
	case k == last && left(k) && !expired:
		st.Status = OutputFull
	case k == last && left(k):
	case k < last && made > 0:
		st.Level = uint32(k + 1)
		*frame(k + 1) = Frame{Rows: made}
		st.Action = DoBound
	case !left(k):
		up := k
		for up > 0 && !left(up-1) {
			up--
		}
		if up == 0 {
			st.Status = Done
		} else {
			st.Level = uint32(up - 1)
		}
	}
	if st.Status == Running && expired {
		st.Status = Sliced
	}
}

// post writes the state, and the output where it is small, to the mailbox.
func (t *twin) post() {
	if t.p.Mailbox == 0 {
		return
	}
	st := &t.p.State
	rows := uint64(0)
	if st.Status == Done || st.Status == OutputFull {
		rows = st.Rows
	}
	st.InMailbox = 0
	data := t.p.Mailbox + uint64(Size[State]())
	if rows*uint64(t.p.OutputCount) <= t.p.MailboxWords {
		st.InMailbox = 1
		for i := range uint64(t.p.OutputCount) {
			for r := range rows {
				*in[uint32](t.memory, data, i*rows+r) = t.word(*in[Address](t.memory, t.p.Outputs, i), r)
			}
		}
	}
	*in[State](t.memory, t.p.Mailbox, 0) = *st
}
