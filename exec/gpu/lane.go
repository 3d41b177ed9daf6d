package gpu

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// The pinned host memory of a lane: what goes to the device, what small results come back through, what large results
// come back through.
const (
	uploadBytes  = 256 << 10
	mailboxBytes = 64 << 10
	stagingBytes = 8 << 20
)

// lane is a stream and the memory of the query that uses it. Idle lanes are kept.
type lane struct {
	d      *Device
	stream kernels.Stream
	host   *kernels.HostMemory
	arena  arena
}

func (l *lane) upload() []byte                  { return l.host.Data[:uploadBytes] }
func (l *lane) mailbox() []byte                 { return l.host.Data[uploadBytes:][:mailboxBytes] }
func (l *lane) mailboxAddress() kernels.Address { return l.host.Device + uploadBytes }
func (l *lane) staging() []byte                 { return l.host.Data[uploadBytes+mailboxBytes:] }

// Sizes of arenas: small queries get one that is made quickly, others a share of what is left.
const (
	smallArena = 64 << 20
	largeArena = 8 << 30
)

// lane returns an idle lane or a new one, with an arena that suits the cost of the query, or a smaller one where the
// memory is short.
func (d *Device) lane(cost float64) (*lane, error) {
	want := d.options.Arena
	if want == 0 {
		want = min(smallArena, d.memory.limit/8)
		if cost > smallCost {
			want = min(largeArena, d.memory.limit/4)
		}
	}
	want = max(want, minArena)
	if l := d.idle(want); l != nil {
		return l, nil
	}
	l := &lane{d: d}
	var err error
	if l.stream, err = d.driver.NewStream(); err != nil {
		return nil, err
	}
	if l.host, err = d.driver.AllocHost(uploadBytes + mailboxBytes + stagingBytes); err != nil {
		return nil, errors.Join(err, l.stream.Close())
	}
	if err := l.grow(want); err != nil {
		return nil, errors.Join(err, l.free())
	}
	return l, nil
}

// smallCost is the estimated number of candidates up to which a small arena does.
const smallCost = 200_000

// idle takes the smallest idle lane whose arena is large enough.
func (d *Device) idle(want int64) *lane {
	d.mu.Lock()
	defer d.mu.Unlock()
	best := -1
	for i, l := range d.lanes {
		if l.arena.size >= want && (best < 0 || l.arena.size < d.lanes[best].arena.size) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	l := d.lanes[best]
	d.lanes = append(d.lanes[:best], d.lanes[best+1:]...)
	return l
}

// grow gives the lane an arena of the wanted size, or half of it, and so on; idle lanes are freed when memory is short.
func (l *lane) grow(want int64) error {
	for {
		base, err := l.d.memory.alloc(want, 0)
		switch {
		case err == nil:
			l.arena = arena{base: base, size: aligned(want)}
			return nil
		case !errors.Is(err, ErrOutOfMemory):
			return err
		case l.d.dropIdle():
		case want/2 < minArena:
			return err
		default:
			want /= 2
		}
	}
}

// dropIdle frees one idle lane.
func (d *Device) dropIdle() bool {
	d.mu.Lock()
	if len(d.lanes) == 0 {
		d.mu.Unlock()
		return false
	}
	l := d.lanes[0]
	d.lanes = d.lanes[1:]
	d.mu.Unlock()
	return l.free() == nil
}

// release keeps the lane for the next query.
func (l *lane) release() {
	l.arena.used = 0
	l.d.mu.Lock()
	l.d.lanes = append(l.d.lanes, l)
	l.d.mu.Unlock()
}

func (l *lane) free() error {
	var errs []error
	if l.host != nil {
		errs = append(errs, l.d.driver.FreeHost(l.host))
	}
	errs = append(errs, l.d.memory.free(l.arena.base), l.stream.Close())
	return errors.Join(errs...)
}
