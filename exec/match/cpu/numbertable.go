package cpu

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// numberTable is numbers of 64 bits by place. Those that are expected to be small have a byte each, if they are less than large. All others are in two halves of 32 bits,
// which are there as soon as one number needs them: most tables have no upper ones, and are a half or an eighth as large as they might be, which tells where several
// threads read at random what others have written. Different places may be written at the same time.
type numberTable struct {
	n            int
	mean         float64  // that was expected
	bytes        []byte   // nil: all numbers are in the halves
	words        []uint32 // the memory of bytes
	lower, upper atomic.Pointer[[]uint32]

	mu      sync.Mutex // guards what follows, and making lower and upper
	charge  func(bytes int64) error
	charged int64
}

// large is what the byte of a number says that is in the halves. Where numbers are smallMean in the mean, few are large.
const (
	large     = math.MaxUint8
	smallMean = 16
)

// newNumberTable returns so many numbers, of any values, about so large in the mean, and tells charge about its memory, where that is not nil. Who writes a block of places clears what lies
// between them: they are in the cache then.
func newNumberTable(n int, mean float64, charge func(bytes int64) error) (*numberTable, error) {
	t := &numberTable{n: max(n, 1), mean: mean, charge: charge}
	var err error
	if mean <= smallMean {
		t.words = vector.Borrow((t.n + 3) / 4)
		t.bytes = unsafe.Slice((*byte)(unsafe.Pointer(&t.words[0])), t.n)
		err = t.count(t.n)
	} else {
		_, err = t.half(&t.lower)
	}
	if n == 0 {
		t.clear(0, 1)
	}
	return t, err
}

// count counts the memory of a part of the table.
func (t *numberTable) count(bytes int) error {
	if bytes <= smallTables || t.charge == nil {
		return nil
	}
	t.charged += int64(bytes)
	return t.charge(int64(bytes))
}

// half returns one of the halves, made where there was none, with any values. That it takes too much memory ends the run by charge.
func (t *numberTable) half(at *atomic.Pointer[[]uint32]) ([]uint32, error) {
	if half := at.Load(); half != nil {
		return *half, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if half := at.Load(); half != nil {
		return *half, nil
	}
	err := t.count(4 * t.n)
	half := vector.Borrow(t.n)
	if at == &t.upper {
		clear(half)
	}
	at.Store(&half)
	return half, err
}

// drop gives the memory back. Nobody reads it any more.
func (t *numberTable) drop() {
	if t.charged > 0 {
		_ = t.charge(-t.charged)
	}
	_, lower, upper := t.parts()
	for _, part := range [][]uint32{t.words, lower, upper} {
		vector.Return(part)
	}
	t.bytes, t.words, t.charged = nil, nil, 0
	t.lower.Store(nil)
	t.upper.Store(nil)
}

// parts are the bytes, and the lower and upper halves; nil where there are none.
func (t *numberTable) parts() (bytes []byte, lower, upper []uint32) {
	if half := t.lower.Load(); half != nil {
		lower = *half
	}
	if half := t.upper.Load(); half != nil {
		upper = *half
	}
	return t.bytes, lower, upper
}

// at is the number at a place.
func (t *numberTable) at(place int) uint64 {
	bytes, lower, upper := t.parts()
	if bytes != nil && bytes[place] != large {
		return uint64(bytes[place])
	}
	n := uint64(lower[place])
	if upper != nil {
		n |= uint64(upper[place]) << 32
	}
	return n
}

// set writes the number at a place that has none but what clear left.
func (t *numberTable) set(place int, n uint64) {
	if t.bytes != nil {
		if n < large {
			t.bytes[place] = byte(n)
			return
		}
		t.bytes[place] = large
	}
	lower, _ := t.half(&t.lower)
	if lower[place] = uint32(n); n>>32 != 0 {
		upper, _ := t.half(&t.upper)
		upper[place] = uint32(n >> 32)
	}
}

// write writes the numbers of vertices, of which the one at place 0 comes first.
func write[T uint32 | uint64](t *numberTable, first pcsr.Vertex, vertices []pcsr.Vertex, numbers []T) {
	numbers = numbers[:len(vertices)]
	bytes := t.bytes
	for i, v := range vertices {
		if at, n := v-first, numbers[i]; bytes != nil && n < large {
			bytes[at] = byte(n)
		} else {
			t.set(int(at), uint64(n))
		}
	}
}

// clear sets the numbers of some places to 0, of which none has been written.
func (t *numberTable) clear(from, to int) {
	if t.bytes != nil {
		clear(t.bytes[from:to])
		return
	}
	clear((*t.lower.Load())[from:to])
}
