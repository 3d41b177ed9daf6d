package cpu

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// numberTable is numbers of 64 bits by place, in two halves: the upper ones are there as soon as one of the numbers has more than 32 bits. Most tables have none, and
// are half as large, which tells where several threads read what others have written. Different places may be written at the same time.
type numberTable struct {
	lower []uint32
	upper atomic.Pointer[[]uint32]

	mu      sync.Mutex // guards what follows, and making upper
	charge  func(bytes int64) error
	charged int64
}

// newNumberTable returns so many numbers, of any values, and tells charge about its memory, where that is not nil. Who writes a block of places clears what lies
// between them: they are in the cache then.
func newNumberTable(n int, charge func(bytes int64) error) (*numberTable, error) {
	t := &numberTable{lower: vector.Borrow(max(n, 1)), charge: charge}
	if n == 0 {
		t.lower[0] = 0
	}
	return t, t.count()
}

// count counts one half.
func (t *numberTable) count() error {
	bytes := 4 * int64(len(t.lower))
	if bytes <= smallTables || t.charge == nil {
		return nil
	}
	t.charged += bytes
	return t.charge(bytes)
}

// drop gives the memory back. Nobody reads it any more.
func (t *numberTable) drop() {
	if t.charged > 0 {
		_ = t.charge(-t.charged)
	}
	vector.Return(t.lower)
	vector.Return(t.high())
	t.lower, t.charged = nil, 0
	t.upper.Store(nil)
}

// high are the upper halves; nil where all are 0.
func (t *numberTable) high() []uint32 {
	if upper := t.upper.Load(); upper != nil {
		return *upper
	}
	return nil
}

// at is the number at a place.
func (t *numberTable) at(place int) uint64 {
	n := uint64(t.lower[place])
	if upper := t.high(); upper != nil {
		n |= uint64(upper[place]) << 32
	}
	return n
}

// set writes the number at a place that has none but what clear left.
func (t *numberTable) set(place int, n uint64) {
	if t.lower[place] = uint32(n); n>>32 != 0 {
		t.makeUpper()[place] = uint32(n >> 32)
	}
}

// makeUpper returns the upper halves, made where there were none. That they take too much memory ends the run by charge.
func (t *numberTable) makeUpper() []uint32 {
	if upper := t.high(); upper != nil {
		return upper
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	upper := t.high()
	if upper == nil {
		_ = t.count()
		upper = vector.Borrow(len(t.lower))
		clear(upper)
		t.upper.Store(&upper)
	}
	return upper
}

// clear sets the numbers of some places to 0, of which none has been written.
func (t *numberTable) clear(from, to int) { clear(t.lower[from:to]) }
