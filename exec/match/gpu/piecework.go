package gpu

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// piecework is a count by a kernel whose blocks take pieces of work: squares, triangles.
type piecework struct {
	permit
	d     *Device
	lane  *lane
	trace *match.Trace
	image *image
	at    kernels.Address // of what the kernel reads besides the program
	bytes int64           // of that
}

func (d *Device) piecework(m *match.Match) piecework {
	return piecework{d: d, permit: permit{permits: d.permits}, trace: m.Trace}
}

// work runs a count on a lane of its own; errNotDense where there is no room for it. The permit is held.
func (q *piecework) work(ctx context.Context, bytes int64, run func(context.Context) (uint64, error)) (n uint64, err error) {
	q.bytes = aligned(kernels.Size[kernels.Program]() + bytes + 64)
	if q.lane, err = q.takeLane(ctx, q.d, q.d.lanes.size(q.bytes)); err != nil {
		return 0, err
	}
	err = section.Guard(func() (err error) {
		n, err = run(ctx)
		return err
	})
	if errors.Is(err, ErrOutOfMemory) {
		err = errNotDense
	}
	if err != nil {
		return 0, q.lane.dropAfter(err)
	}
	q.lane.release()
	return n, nil
}

// lay lays out an empty program, and what the kernel reads besides.
func lay[T any](q *piecework, what T) error {
	base, err := q.lane.arena.take(q.bytes)
	if err != nil {
		return err
	}
	q.image = &image{base: base}
	q.image.reserve(int(kernels.Size[kernels.Program]()))
	q.image.program().Mailbox = q.lane.mailboxAddress()
	q.at = put(q.image, []T{what})
	data := q.image.bytes()
	return q.lane.stream.Upload(base, q.lane.upload()[:copy(q.lane.upload(), data)])
}

// launch launches the kernel until all pieces are done.
func (q *piecework) launch(ctx context.Context, kernel kernels.Kernel, blocks int) (*kernels.State, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := q.wait(ctx); err != nil {
			return nil, err
		}
		if err := q.lane.stream.Launch(kernel, blocks, 0, q.image.base, q.at); err != nil {
			return nil, err
		}
		if err := q.lane.stream.Synchronize(); err != nil {
			return nil, err
		}
		q.pass()
		switch state := (*kernels.State)(unsafe.Pointer(&q.lane.mailbox()[0])); state.Status {
		case kernels.Sliced:
		case kernels.Done:
			if q.trace != nil {
				q.trace.Kernels += time.Duration(state.KernelTime)
			}
			return state, nil
		default:
			return nil, fmt.Errorf("gpu: a launch ended with status %d: %w", state.Status, ErrDeviceLost)
		}
	}
}
