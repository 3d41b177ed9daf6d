package gpu

import (
	"errors"
	"fmt"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// hostBudget counts the pinned host memory that partitions and lists take, which the system cannot use for anything else: more than the limit is refused with
// ErrUnfit, so that the processor matches, which reads mapped files.
type hostBudget struct {
	driver kernels.Driver
	limit  int64 // 0: none

	mu   sync.Mutex
	used int64
}

// hostShare is the share of the machine's memory that may be pinned.
const hostShare = 2

func newHostBudget(driver kernels.Driver, limit int64) *hostBudget {
	if limit == 0 {
		limit = machine.Memory() / hostShare
	}
	return &hostBudget{driver: driver, limit: limit}
}

// alloc takes memory that is given back with free. Kernels may read some bytes behind it.
func (b *hostBudget) alloc(bytes int64) (*kernels.HostMemory, error) {
	bytes += quadBytes
	b.mu.Lock()
	used, fits := b.used, b.limit == 0 || b.used+bytes <= b.limit
	if fits {
		b.used += bytes
	}
	b.mu.Unlock()
	if !fits {
		return nil, fmt.Errorf("gpu: %d bytes of pinned memory asked for, %d of %d in use: %w", bytes, used, b.limit, ErrUnfit)
	}
	m, err := b.driver.AllocHost(bytes)
	if err != nil {
		b.give(bytes)
		if errors.Is(err, kernels.ErrLost) {
			return nil, err
		}
		return nil, fmt.Errorf("gpu: the system gives no pinned memory: %w: %w", ErrUnfit, err)
	}
	return m, nil
}

func (b *hostBudget) give(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
}

func (b *hostBudget) free(m *kernels.HostMemory) error {
	b.give(int64(len(m.Data)))
	return b.driver.FreeHost(m)
}
