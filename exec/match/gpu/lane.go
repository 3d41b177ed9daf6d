package gpu

import (
	"errors"
	"time"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// The pinned host memory of a lane: what goes to the device, what small results come back through; and what large results
// come back through, made when the first one does; and what goes to and fro between two phases that the host decides about.
const (
	uploadBytes  = 256 << 10
	mailboxBytes = 64 << 10
	stagingBytes = 8 << 20
	scratchBytes = 4 << 10
)

// lane is a stream and the memory of the query that uses it. Idle lanes are kept (pool).
type lane struct {
	d      *Device
	stream kernels.Stream
	copies kernels.Stream // what pages come on; nil until it is needed
	host   *kernels.HostMemory
	large  *kernels.HostMemory // the staging memory; nil until it is needed
	arena  arena
	since  time.Time // it is idle
}

func (l *lane) upload() []byte                  { return l.host.Data[:uploadBytes] }
func (l *lane) mailbox() []byte                 { return l.host.Data[uploadBytes:][:mailboxBytes] }
func (l *lane) scratch() []byte                 { return l.host.Data[uploadBytes+mailboxBytes:][:scratchBytes] }
func (l *lane) mailboxAddress() kernels.Address { return l.host.Device + uploadBytes }

func (l *lane) staging() ([]byte, error) {
	if l.large == nil {
		m, err := l.d.driver.AllocHost(stagingBytes)
		if err != nil {
			return nil, err
		}
		l.large = m
	}
	return l.large.Data, nil
}

func (l *lane) copying() (kernels.Stream, error) {
	var err error
	if l.copies == nil {
		l.copies, err = l.d.driver.NewStream()
	}
	return l.copies, err
}

// newLane makes a lane around an arena, which is its from then on, also where that fails.
func (d *Device) newLane(a arena) (*lane, error) {
	l := &lane{d: d, arena: a}
	var err error
	if l.stream, err = d.driver.NewStream(); err == nil {
		l.host, err = d.driver.AllocHost(uploadBytes + mailboxBytes + scratchBytes)
	}
	if err != nil {
		return nil, errors.Join(err, l.free())
	}
	return l, nil
}

func (l *lane) free() error {
	var errs []error
	for _, m := range []*kernels.HostMemory{l.host, l.large} {
		if m != nil {
			errs = append(errs, l.d.driver.FreeHost(m))
		}
	}
	errs = append(errs, l.d.lanes.freeArena(l.arena))
	for _, s := range []kernels.Stream{l.stream, l.copies} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// release keeps the lane for the next query.
func (l *lane) release() {
	l.arena.used = 0
	l.d.lanes.put(l)
}

// dropAfter gives a lane back after an error: kept where its stream is idle, freed otherwise.
func (l *lane) dropAfter(err error) error {
	if l.stream.Synchronize() == nil {
		l.release()
		return err
	}
	return errors.Join(err, l.free())
}
