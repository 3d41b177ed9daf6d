package gpu

import (
	"context"
	"errors"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// slowHost is a driver that takes its time to give pinned memory, from a number of bytes on: until it is let.
type slowHost struct {
	kernels.Driver
	from       int64
	skip       int // so many before are not slow
	asked, let chan struct{}
}

func (d *slowHost) AllocHost(bytes int64) (*kernels.HostMemory, error) {
	if ofLane := bytes == uploadBytes+mailboxBytes+scratchBytes || bytes == stagingBytes; bytes >= d.from && !ofLane { // of which there are few, and small
		if d.skip--; d.skip >= 0 {
			return d.Driver.AllocHost(bytes)
		}
		select {
		case d.asked <- struct{}{}:
			<-d.let
		case <-d.let:
		}
	}
	return d.Driver.AllocHost(bytes)
}

// TestACancelledQueryDoesNotWaitForPinnedMemory: it ends while the system takes its time, for pages, for lists and for signatures; what was begun is there for the next one or given
// back, and the device may be closed at once.
func TestACancelledQueryDoesNotWaitForPinnedMemory(t *testing.T) {
	t.Parallel()
	triangles, found := ringTriangles(t, 20_000)
	const n = 30_000
	var edges []pcsr.Edge
	for v := range uint32(n) {
		edges = append(edges, pcsr.Edge{From: v, To: v % 7})
		if v%20 == 0 {
			edges = append(edges, pcsr.Edge{From: v, Label: 1, To: v % 5})
		}
	}
	g, err := pcsr.Build(n, 2, edges)
	if err != nil || g.Signatures().Rows() == 0 {
		t.Fatal(err, "or no signatures")
	}
	for name, c := range map[string]struct {
		m    *match.Match
		want uint64
		with tuning
	}{
		"pages":      {ring(t, 20_000), 20_000 * 8 * 8 * 8, tuning{inPages: true}},
		"triangles":  {triangles, found, tuning{inPages: true, Tuning: match.Tuning{TriplesFirst: true}}},
		"signatures": {forks(t, g), n / 20, tuning{graphs: 1, signatures: true}},
	} {
		c.with.arena, c.with.AnyCost = 300<<10, true
		skip, asks, step := 0, true, 1
		if testing.Short() {
			step = 6
		}
		for ; asks; skip += step {
			for _, again := range []bool{false, true} {
				slow := &slowHost{Driver: kernels.Emulate(64 << 20), from: 64 << 10, skip: skip, asked: make(chan struct{}), let: make(chan struct{})}
				asks = cancelWhileAsking(t, name, slow, c.with, c.m, func(d *Device) {
					if again {
						count(t, d, c.m, c.want)
					}
				})
			}
		}
		if skip < 2*step {
			t.Errorf("%s: it asks for no memory", name)
		}
	}
}

// cancelWhileAsking cancels a count while it waits for pinned memory, and does what comes then; false where it does not ask for any.
func cancelWhileAsking(t *testing.T, name string, slow *slowHost, with tuning, m *match.Match, then func(*Device)) (asks bool) {
	d := open(t, Options{Driver: slow, tuning: with})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := d.Count(ctx, m)
		done <- err
	}()
	select {
	case <-slow.asked:
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		asks = true
	case err := <-done:
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	close(slow.let)
	then(d)
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%s: %v, %d bytes left", name, err, d.memory.inUse())
	}
	return asks
}
