package kernels

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// memory is the emulated device's memory. The upper bits of an address number the allocation, the lower its bytes, so
// every access is checked: one outside an allocation panics with the address.
type memory struct {
	// blocks has the allocations by their number, which no other gets; nil once it is freed. It is read without mu, at every access.
	blocks atomic.Pointer[[]atomic.Pointer[[]uint64]]
	mu     sync.Mutex
	last   uint64
	used   int64
	limit  int64
}

const offsetBits = 36

func (m *memory) alloc(bytes int64) (Address, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used+bytes > m.limit {
		return 0, fmt.Errorf("kernels: %d bytes asked for, %d of %d in use: %w", bytes, m.used, m.limit, ErrOutOfMemory)
	}
	m.last++
	block := make([]uint64, (bytes+7)/8)
	spoil(block)
	m.grow(m.last)
	m.block(m.last).Store(&block)
	m.used += bytes
	return m.last << offsetBits, nil
}

// spoil fills a block that nobody else has: nothing may count on zeros.
//
//go:norace
func spoil(block []uint64) {
	if len(block) == 0 {
		return
	}
	block[0] = 0xDEADBEEFDEADBEEF
	for done := 1; done < len(block); done *= 2 {
		copy(block[done:], block[:done])
	}
}

func (m *memory) free(a Address, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if block := m.block(a >> offsetBits); block != nil {
		block.Store(nil)
	}
	m.used -= bytes
}

// grow makes room for n allocations; mu is held.
func (m *memory) grow(n uint64) {
	var old []atomic.Pointer[[]uint64]
	if list := m.blocks.Load(); list != nil {
		old = *list
	}
	if n < uint64(len(old)) {
		return
	}
	list := make([]atomic.Pointer[[]uint64], max(64, 2*n))
	for i := range old {
		list[i].Store(old[i].Load())
	}
	m.blocks.Store(&list)
}

// block is where the allocation of a number lies; nil of a number that none had.
func (m *memory) block(n uint64) *atomic.Pointer[[]uint64] {
	if list := m.blocks.Load(); list != nil && n < uint64(len(*list)) {
		return &(*list)[n]
	}
	return nil
}

// bytes returns n bytes at an address; bounds are checked here.
//
//go:nocheckptr
func (m *memory) bytes(a Address, n int64) []byte {
	var block []uint64
	if place := m.block(a >> offsetBits); place != nil {
		if there := place.Load(); there != nil {
			block = *there
		}
	}
	offset := int64(a & (1<<offsetBits - 1))
	if offset+n > int64(len(block))*8 || n < 0 {
		panic(fmt.Sprintf("kernels: access to %d bytes at %x, outside its allocation of %d", n, a, len(block)*8))
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&block[0])), len(block)*8)[offset : offset+n]
}

// in returns the element i of an array of T; bounds and alignment are checked here.
//
//go:nocheckptr
func in[T any](m *memory, array Address, i uint64) *T {
	size := uint64(Size[T]())
	if align := uint64(unsafe.Alignof(*new(T))); array%align != 0 {
		panic(fmt.Sprintf("kernels: access to an array at %x, which is no multiple of %d", array, align))
	}
	return (*T)(unsafe.Pointer(&m.bytes(array+i*size, int64(size))[0]))
}
