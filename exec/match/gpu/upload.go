package gpu

import (
	"errors"
	"runtime"

	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
	"golang.org/x/sync/errgroup"
)

// Large arrays go to the device through two pinned buffers in turn: while one is on its way, the other is filled by
// several goroutines, which also take the page faults of a mapped file.
const (
	sendBytes   = 32 << 20
	sendThreads = 8
)

// send copies data to the device and waits for it.
func (r *resident) send(at kernels.Address, data []byte) error {
	if len(data) < sendBytes/8 || !r.stage() {
		if err := r.stream.Upload(at, data); err != nil {
			return err
		}
		return r.stream.Synchronize()
	}
	for i := 0; len(data) > 0; i++ {
		buffer := r.staging[i%2].Data
		n, err := copyParallel(buffer, data)
		if err := errors.Join(r.stream.Synchronize(), err); err != nil { // the other buffer has arrived
			return err
		}
		if err := r.stream.Upload(at, buffer[:n]); err != nil {
			return err
		}
		data, at = data[n:], at+kernels.Address(n)
	}
	return r.stream.Synchronize()
}

// stage makes the pinned buffers; false where the system has none to give.
func (r *resident) stage() bool {
	for i := range r.staging {
		if r.staging[i] == nil {
			m, err := r.d.driver.AllocHost(sendBytes)
			if err != nil {
				return false
			}
			r.staging[i] = m
			r.host = append(r.host, m)
		}
	}
	return true
}

// copyParallel is copy by several goroutines; the error is section.ErrDamaged, of a mapped file that was cut.
func copyParallel(dst, src []byte) (int, error) {
	n := min(len(dst), len(src))
	part := n/min(sendThreads, runtime.GOMAXPROCS(0)) + 1
	var group errgroup.Group
	for low := 0; low < n; low += part {
		high := min(low+part, n)
		group.Go(func() error {
			return section.Guard(func() error {
				copy(dst[low:high], src[low:high])
				return nil
			})
		})
	}
	return n, group.Wait()
}
