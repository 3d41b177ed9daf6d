package gpu

import (
	"errors"
	"fmt"
	"math/bits"
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
	// spare is what was given back, by size; kept is how much that is.
	spare map[int64][]kernels.Address
	kept  int64
	// scratch is what small things are cut out of; nil before the first.
	scratch *scratch
}

// Of the memory a share is for small things, between bounds; none is where that is less.
const (
	scratchShare = 32
	leastScratch = 64 << 10
	mostScratch  = 64 << 20
)

func newBudget(driver kernels.Driver, limit int64) *budget {
	return &budget{driver: driver, limit: limit, sizes: map[kernels.Address]int64{}, spare: map[int64][]kernels.Address{}}
}

func (b *budget) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// left is what may still be taken, beside what is kept for the next.
func (b *budget) left() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit - b.used
}

// taken is how much device memory allocations take.
func (b *budget) taken(all []kernels.Address) (n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range all {
		size, own := b.sizes[a]
		if !own && b.scratch != nil {
			size = b.scratch.cut[a]
		}
		n += size
	}
	return n
}

// alloc takes device memory if spare bytes are left after it.
func (b *budget) alloc(bytes, spare int64) (kernels.Address, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.have(aligned(max(bytes, 1)), spare)
}

// have is alloc of a multiple of the alignment; mu is held.
func (b *budget) have(bytes, spare int64) (kernels.Address, error) {
	if b.used+bytes+spare > b.limit && b.used-b.kept+bytes+spare <= b.limit {
		_ = b.dropSpares() // the device is lost, or says so now
	}
	if b.used+bytes+spare > b.limit {
		return 0, fmt.Errorf("gpu: %d bytes asked for, %d of %d in use: %w", bytes, b.used, b.limit, ErrOutOfMemory)
	}
	a, err := b.driver.Alloc(bytes)
	if errors.Is(err, ErrOutOfMemory) && b.kept > 0 {
		_ = b.dropSpares()
		a, err = b.driver.Alloc(bytes)
	}
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
	return b.release(a)
}

func (b *budget) release(a kernels.Address) error {
	if b.scratch != nil && b.scratch.give(a) {
		return nil
	}
	b.used -= b.sizes[a]
	delete(b.sizes, a)
	return b.driver.Free(a)
}

// take is alloc of memory that is given back with give: freeing memory, and having it anew, waits for all that runs on the device. What is
// small is cut out of the scratch; else it has an eighth more at most, so that what grows a little finds what there was before.
func (b *budget) take(bytes, spare int64) (kernels.Address, error) {
	bytes = aligned(max(bytes, 1))
	size := sizeClass(bytes)
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := b.small(bytes); at != 0 {
		return at, nil
	}
	if kept := b.spare[size]; len(kept) > 0 {
		at := kept[len(kept)-1]
		b.spare[size], b.kept = kept[:len(kept)-1], b.kept-size
		return at, nil
	}
	return b.have(size, spare)
}

// small takes what is small out of the scratch, which is made when there is room for it; 0: it is not to be had there. mu is held.
func (b *budget) small(bytes int64) kernels.Address {
	size := min(b.limit/scratchShare, mostScratch) / alignment * alignment
	if size < leastScratch || bytes > size/4 {
		return 0
	}
	if b.scratch == nil {
		base, err := b.have(size, 0)
		if err != nil {
			return 0
		}
		delete(b.sizes, base) // what is cut out first begins there too
		b.scratch = newScratch(base, size)
	}
	return b.scratch.take(bytes)
}

// sizeClasses are so many between two powers of two.
const sizeClasses = 8

// sizeClass rounds up to one of them.
func sizeClass(bytes int64) int64 {
	bytes = aligned(max(bytes, 1))
	step := max(int64(1)<<bits.Len64(uint64(bytes))/(2*sizeClasses), alignment)
	return (bytes + step - 1) / step * step
}

// keptShare is the share of the memory that is kept for the next that wants some of one size.
const keptShare = 8

// give takes memory back that nothing on the device uses any more.
func (b *budget) give(a kernels.Address) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	size, own := b.sizes[a]
	if !own || b.kept+size > b.limit/keptShare {
		return b.release(a)
	}
	b.spare[size], b.kept = append(b.spare[size], a), b.kept+size
	return nil
}

// dropSpares frees what was given back; mu is held.
func (b *budget) dropSpares() error {
	var errs []error
	for _, kept := range b.spare {
		for _, a := range kept {
			errs = append(errs, b.release(a))
		}
	}
	clear(b.spare)
	b.kept = 0
	return errors.Join(errs...)
}

// keptBytes is what was given back and is kept, or never asked for.
func (b *budget) keptBytes() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.scratch != nil {
		return b.kept + b.scratch.left()
	}
	return b.kept
}

// close frees what was given back.
func (b *budget) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.dropSpares()
	if s := b.scratch; s != nil && len(s.cut) == 0 {
		b.scratch, b.sizes[s.base] = nil, s.size
		err = errors.Join(err, b.release(s.base))
	}
	return err
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
