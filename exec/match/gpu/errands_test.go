package gpu

import (
	"context"
	"errors"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// slowHost is a driver that takes its time to give pinned memory, from a number of bytes on: until it is let.
type slowHost struct {
	kernels.Driver
	from       int64
	asked, let chan struct{}
}

func (d *slowHost) AllocHost(bytes int64) (*kernels.HostMemory, error) {
	if bytes >= d.from {
		select {
		case d.asked <- struct{}{}:
			<-d.let
		case <-d.let:
		}
	}
	return d.Driver.AllocHost(bytes)
}

// TestACancelledQueryDoesNotWaitForPinnedMemory: it ends while the system takes its time, for pages and for lists; what was begun is there for the next one or given
// back, and the device may be closed at once.
func TestACancelledQueryDoesNotWaitForPinnedMemory(t *testing.T) {
	t.Parallel()
	triangles, found := ringTriangles(t, 20_000)
	for name, c := range map[string]struct {
		m    *match.Match
		want uint64
		with match.Tuning
	}{
		"pages":     {ring(t, 20_000), 20_000 * 8 * 8 * 8, match.Tuning{AnyCost: true}},
		"triangles": {triangles, found, match.Tuning{AnyCost: true, TriplesFirst: true}},
	} {
		for _, again := range []bool{false, true} {
			slow := &slowHost{Driver: kernels.Emulate(64 << 20), from: 64 << 10, asked: make(chan struct{}), let: make(chan struct{})}
			d := open(t, Options{Driver: slow, tuning: tuning{arena: 300 << 10, inPages: true, Tuning: c.with}})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				_, err := d.Count(ctx, c.m)
				done <- err
			}()
			select {
			case <-slow.asked:
			case err := <-done:
				t.Fatalf("%s: it asks for no memory, %v", name, err)
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			close(slow.let)
			if again {
				count(t, d, c.m, c.want)
			}
			if err := d.Close(); err != nil || d.memory.inUse() != 0 {
				t.Errorf("%s: %v, %d bytes left", name, err, d.memory.inUse())
			}
		}
	}
}
