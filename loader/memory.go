package loader

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// memory hands out large arrays outside the garbage-collected heap, so that a load's footprint is what it holds and
// not twice that, and gives them back to the system at once. The arrays hold no pointers and start zeroed.
type memory struct {
	threads int          // how many cores the load may use
	held    atomic.Int64 // bytes
	mu      sync.Mutex
	maps    map[*byte][]byte
}

func newMemory(threads int) *memory { return &memory{threads: threads, maps: map[*byte][]byte{}} }

// hugeArray is from what size on an array asks for huge pages, which random reads want.
const hugeArray = 4 << 20

type number interface{ byte | uint32 | uint64 | item }

// allocate returns an array of n elements, which release gives back.
func allocate[T number](m *memory, n int) ([]T, error) {
	var t T
	size := n * int(unsafe.Sizeof(t))
	if size == 0 {
		return nil, nil
	}
	b, err := machine.Allocate(size)
	if err != nil {
		return nil, fmt.Errorf("loader: cannot get %d MiB of memory: %w", size>>20, err)
	}
	if size >= hugeArray {
		adviseHuge(b)
	}
	m.held.Add(int64(size))
	m.mu.Lock()
	m.maps[&b[0]] = b
	m.mu.Unlock()
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), nil
}

// release gives an array of allocate back. Nothing may point into it any more.
func release[T number](m *memory, array []T) {
	if cap(array) == 0 {
		return
	}
	key := (*byte)(unsafe.Pointer(unsafe.SliceData(array)))
	m.mu.Lock()
	b, ok := m.maps[key]
	delete(m.maps, key)
	m.mu.Unlock()
	if ok {
		m.held.Add(-int64(len(b)))
		_ = machine.Release(b) // of a mapping of ours: cannot fail
	}
}

// releaseAll ends the life of everything that is still held.
func (m *memory) releaseAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, b := range m.maps {
		_ = machine.Release(b)
		delete(m.maps, key)
	}
	m.held.Store(0)
}

// text is b as a string that shares its bytes; for calls that do not keep it.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
