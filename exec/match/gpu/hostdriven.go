package gpu

import (
	"math"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// hostDriven makes the decisions of match.cu on the host, with a launch for every phase. It is what a query would cost
// without the machine on the device.
func (q *query) hostDriven() (*kernels.State, error) {
	p := q.image.program()
	frames := make([]kernels.Frame, q.deviceSteps())
	state := &kernels.State{}
	frames[0].Rows = (*kernels.Frame)(q.image.at(p.Frames)).Rows
	rows := q.image.base + stateOffset // State.Rows
	if q.hostFrames != nil {
		frames, state = q.hostFrames, q.hostState
		state.Rows = 0
		if err := q.lane.stream.Zero(rows, 8); err != nil {
			return nil, err
		}
	}
	q.hostFrames, q.hostState = frames, state
	last := q.deviceSteps() - 1
	for state.Status = kernels.Running; state.Status == kernels.Running; {
		k := int(state.Level)
		if err := q.hostPhases(k, state, frames); err != nil {
			return nil, err
		}
		left := func(k int) bool { return frames[k].Next < p.Tickets(frames[k].Candidates) }
		state.Action = kernels.DoExtend
		switch made := state.Counters[0]; {
		case k == last && p.Limit > 0 && state.Emitted+state.Rows >= p.Limit:
			state.Status = kernels.Done
		case k == last && left(k):
			state.Status = kernels.OutputFull
			state.Emitted += state.Rows
		case k < last && made > 0:
			state.Level, state.Action = uint32(k+1), kernels.DoBound
			frames[k+1] = kernels.Frame{Rows: made}
		case !left(k):
			for k > 0 && !left(k-1) {
				k--
			}
			if k == 0 {
				state.Status = kernels.Done
			} else {
				state.Level = uint32(k - 1)
			}
		}
	}
	return state, nil
}

// stateOffset is where State lies in a Program: it is the last field.
var stateOffset = kernels.Address(kernels.Size[kernels.Program]() - kernels.Size[kernels.State]())

// hostPhases runs bound, where it is due, and extend of device step k, and fetches what they counted.
func (q *query) hostPhases(k int, state *kernels.State, frames []kernels.Frame) error {
	p, s, base := q.image.program(), q.lane.stream, q.image.base
	size := kernels.Address(kernels.Size[kernels.Frame]())
	at := p.Frames + kernels.Address(k)*size
	if state.Action == kernels.DoBound {
		if err := s.Upload(at, kernels.Bytes(frames[k:k+1])); err != nil {
			return err
		}
		q.hostEpoch++
		if err := s.Launch(kernels.BoundPhase, q.blocks, 0, base, uint64(k), frames[k].Rows, q.hostEpoch); err != nil {
			return err
		}
	}
	out, limit := base+stateOffset, uint64(math.MaxUint64)
	if k < q.deviceSteps()-1 {
		out += countersOffset
		if err := s.Zero(out, 8); err != nil {
			return err
		}
	} else if p.Limit > 0 {
		limit = p.Limit - state.Emitted
	}
	if err := s.Launch(q.kernel(kernels.ExtendPhase, kernels.ExtendBranches), q.blocks, 0, base, uint64(k), out, limit, math.MaxInt64); err != nil {
		return err
	}
	var now [1]kernels.State
	if err := s.Download(kernels.Bytes(now[:]), base+stateOffset); err != nil {
		return err
	}
	if err := s.Download(kernels.Bytes(frames[k:k+1]), at); err != nil {
		return err
	}
	if err := s.Synchronize(); err != nil {
		return err
	}
	state.Rows, state.Counters[0] = now[0].Rows, now[0].Counters[0]
	state.Count, state.CountHigh, state.Overflowed = now[0].Count, now[0].CountHigh, now[0].Overflowed
	if k == q.deviceSteps()-1 {
		state.Counters[0] = 0
	}
	frames[k].Next = min(frames[k].Next, p.Tickets(frames[k].Candidates))
	return nil
}

// countersOffset is where Counters lie in a State.
var countersOffset = kernels.Address(unsafe.Offsetof(kernels.State{}.Counters))
