package gpu

import (
	"fmt"
	"sync"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// minArena is the smallest memory that a query's tables are given.
const minArena = 256 << 10

// alignment of everything that is allocated or cut out of an arena.
const alignment = 256

func aligned(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// budget counts the device memory taken, so that it stays below what the process may take.
type budget struct {
	driver kernels.Driver
	limit  int64

	mu    sync.Mutex
	used  int64
	sizes map[kernels.Address]int64
}

func newBudget(driver kernels.Driver, limit int64) *budget {
	return &budget{driver: driver, limit: limit, sizes: map[kernels.Address]int64{}}
}

func (b *budget) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// taken is how much device memory allocations take.
func (b *budget) taken(all []kernels.Address) (n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range all {
		n += b.sizes[a]
	}
	return n
}

// alloc takes device memory if spare bytes are left after it.
func (b *budget) alloc(bytes, spare int64) (kernels.Address, error) {
	bytes = aligned(max(bytes, 1))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+bytes+spare > b.limit {
		return 0, fmt.Errorf("gpu: %d bytes asked for, %d of %d in use: %w", bytes, b.used, b.limit, ErrOutOfMemory)
	}
	a, err := b.driver.Alloc(bytes)
	if err != nil {
		return 0, err
	}
	b.used += bytes
	b.sizes[a] = bytes
	return a, nil
}

func (b *budget) free(a kernels.Address) error {
	if a == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= b.sizes[a]
	delete(b.sizes, a)
	return b.driver.Free(a)
}

// arena is a piece of device memory that is cut up from the front and given back whole.
type arena struct {
	base       kernels.Address
	size, used int64
}

func (a *arena) left() int64 { return a.size - a.used }

func (a *arena) take(bytes int64) (kernels.Address, error) {
	bytes = aligned(bytes)
	if a.used+bytes > a.size {
		return 0, fmt.Errorf("gpu: a query's tables do not fit %d bytes: %w", a.size, ErrOutOfMemory)
	}
	at := a.base + kernels.Address(a.used)
	a.used += bytes
	return at, nil
}
