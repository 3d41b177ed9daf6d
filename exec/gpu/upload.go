package gpu

import (
	"runtime"
	"sync"

	"github.com/rdfgpu/rdfgpu/kernels"
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
		n := copyParallel(buffer, data)
		if err := r.stream.Synchronize(); err != nil { // the other buffer has arrived
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

// copyParallel is copy by several goroutines.
func copyParallel(dst, src []byte) int {
	n := min(len(dst), len(src))
	part := n/min(sendThreads, runtime.GOMAXPROCS(0)) + 1
	var wg sync.WaitGroup
	for low := 0; low < n; low += part {
		wg.Go(func() { copy(dst[low:min(low+part, n)], src[low:min(low+part, n)]) })
	}
	wg.Wait()
	return n
}
