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

// piecework is a count by a kernel whose blocks take pieces of work: neighbourhoods, squares, triangles.
type piecework struct {
	permit
	d     *Device
	lane  *lane
	trace *match.Trace
	image *image
	at    kernels.Address // of what the kernel reads besides the program
}

// pieces is what is counted so.
type pieces interface {
	// ready makes what the kernel reads, and returns how much memory a lane should have; errNotDense where there is no room.
	ready(ctx context.Context, r *reading) (bytes int64, err error)
	// run counts, on the lane.
	run(ctx context.Context) (uint64, error)
}

// countPieces counts a match by pieces of work; errNotDense where there is no room. q is what p has.
func (d *Device) countPieces(ctx context.Context, m *match.Match, p pieces, q *piecework) (n uint64, err error) {
	r, err := d.read(m.Graph)
	if err != nil {
		return 0, err
	}
	defer func() {
		if failed := r.end(); err == nil {
			err = failed
		}
	}()
	if m.Trace != nil {
		defer func() { m.Trace.Upload = r.waiting }()
	}
	*q = piecework{d: d, permit: permit{permits: d.permits}, trace: m.Trace}
	if err := q.wait(ctx); err != nil {
		return 0, err
	}
	defer q.pass()
	bytes, err := p.ready(ctx, r)
	if err != nil {
		return 0, err
	}
	if q.lane, err = q.takeLane(ctx, d, d.lanes.size(bytes)); err != nil {
		return 0, err
	}
	err = section.Guard(func() (err error) {
		n, err = p.run(ctx)
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

// imageBytes is what the program takes, and what a kernel reads besides.
func imageBytes[T any]() int64 {
	return aligned(kernels.Size[kernels.Program]() + kernels.Size[T]() + 64)
}

// lay lays out an empty program, and what the kernel reads besides.
func lay[T any](q *piecework, what T) error {
	base, err := q.lane.arena.take(imageBytes[T]())
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
	return q.launchBeside(ctx, kernel, blocks, func() error { return nil })
}

// launchBeside is launch, and calls f once while the first launch runs.
func (q *piecework) launchBeside(ctx context.Context, kernel kernels.Kernel, blocks int, f func() error) (*kernels.State, error) {
	for begun := false; ; begun = true {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := q.wait(ctx); err != nil {
			return nil, err
		}
		if err := q.lane.stream.Launch(kernel, blocks, 0, q.image.base, q.at); err != nil {
			return nil, err
		}
		var beside error
		if !begun {
			beside = f()
		}
		if err := errors.Join(q.lane.stream.Synchronize(), beside); err != nil {
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
