package gpu

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// storage is the memory that something takes on the device, and that it takes in pinned host memory where the device is full.
type storage struct {
	device []kernels.Address
	host   []*kernels.HostMemory
	// passing: it is likely to be given back soon, so that the next finds it (budget.take).
	passing bool
}

func (s *storage) hostBytes() (n int64) {
	for _, m := range s.host {
		n += int64(len(m.Data))
	}
	return n
}

// release gives it back.
func (s *storage) release(d *Device, give func(kernels.Address) error) error {
	var errs []error
	for _, a := range s.device {
		errs = append(errs, give(a))
	}
	for _, m := range s.host {
		errs = append(errs, d.pinned.free(m))
	}
	s.device, s.host = nil, nil
	return errors.Join(errs...)
}
