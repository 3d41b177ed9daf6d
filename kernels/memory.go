package kernels

import (
	"fmt"
	"sync"
	"unsafe"
)

// memory is the emulated device's memory. The upper bits of an address number the allocation, the lower its bytes, so
// every access is checked: one outside an allocation panics with the address.
type memory struct {
	mu     sync.RWMutex
	blocks map[uint64][]uint64
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
	for i := range block {
		block[i] = 0xDEADBEEFDEADBEEF // nothing may count on zeros
	}
	m.blocks[m.last] = block
	m.used += bytes
	return m.last << offsetBits, nil
}

func (m *memory) free(a Address, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blocks, a>>offsetBits)
	m.used -= bytes
}

// bytes returns n bytes at an address.
func (m *memory) bytes(a Address, n int64) []byte {
	m.mu.RLock()
	block := m.blocks[a>>offsetBits]
	m.mu.RUnlock()
	offset := int64(a & (1<<offsetBits - 1))
	if offset+n > int64(len(block))*8 || n < 0 {
		panic(fmt.Sprintf("kernels: access to %d bytes at %x, outside its allocation of %d", n, a, len(block)*8))
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&block[0])), len(block)*8)[offset : offset+n]
}

// in returns the element i of an array of T.
func in[T any](m *memory, array Address, i uint64) *T {
	size := uint64(Size[T]())
	if align := uint64(unsafe.Alignof(*new(T))); array%align != 0 {
		panic(fmt.Sprintf("kernels: access to an array at %x, which is no multiple of %d", array, align))
	}
	return (*T)(unsafe.Pointer(&m.bytes(array+i*size, int64(size))[0]))
}
