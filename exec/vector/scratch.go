package vector

import (
	"math/bits"
	"runtime"
	"sync"
)

// scratch is large slices by their sizes, which operators and matchers need for a while and use again: a new one is zeroed by one goroutine and, on memory
// that the process has just been given, comes page by page, which takes longer than what all cores do with it. What nobody has asked for between two
// collections is dropped. (sync.Pool has places that only one processor's goroutines find: of sixteen, most would not find what another has given back.)
type scratch[T any] [4 * 33]shelf[T]

// shelf is the slices of one size: those that were given back since the last collection, and those before.
type shelf[T any] struct {
	mu     sync.Mutex
	recent [][]T
	older  [][]T
}

var (
	columns scratch[uint32]
	numbers scratch[uint64]
)

func init() { afterCollections(func() { columns.age(); numbers.age() }) }

// afterCollections has do called after each collection.
func afterCollections(do func()) {
	type mark struct{ _ [16]byte }
	var arm func()
	arm = func() {
		runtime.SetFinalizer(new(mark), func(*mark) {
			do()
			arm()
		})
	}
	arm()
}

// age drops what nobody has asked for since the collection before the last one.
func (p *scratch[T]) age() {
	for i := range p {
		s := &p[i]
		s.mu.Lock()
		s.older, s.recent = s.recent, nil
		s.mu.Unlock()
	}
}

// borrowedFrom is from how many elements on memory is used again.
const borrowedFrom = 1 << 12

// Borrow returns n elements of any values. They may be given to Return when nobody uses them any more.
func Borrow(n int) []uint32 { return columns.borrow(n) }

// Return gives elements back that nobody uses any more. Those that are not Borrow's are left alone.
func Return(s []uint32) { columns.giveBack(s) }

// BorrowNumbers is Borrow of longer ones, for ReturnNumbers.
func BorrowNumbers(n int) []uint64 { return numbers.borrow(n) }

// ReturnNumbers gives numbers back that nobody uses any more. Those that are not BorrowNumbers' are left alone.
func ReturnNumbers(s []uint64) { numbers.giveBack(s) }

func (p *scratch[T]) borrow(n int) []T {
	if n < borrowedFrom {
		return make([]T, n)
	}
	class, size := sizeClass(n)
	if s := p[class].take(); s != nil {
		return s[:n]
	}
	return make([]T, n, size)
}

// take returns a slice that lies there; nil where none does.
func (s *shelf[T]) take() (out []T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &s.recent
	if len(*list) == 0 {
		list = &s.older
	}
	if n := len(*list); n > 0 {
		out = (*list)[n-1]
		(*list)[n-1] = nil
		*list = (*list)[:n-1]
	}
	return out
}

func (p *scratch[T]) giveBack(s []T) {
	if cap(s) < borrowedFrom {
		return
	}
	if class, size := sizeClass(cap(s)); size == cap(s) {
		to := &p[class]
		to.mu.Lock()
		defer to.mu.Unlock()
		to.recent = append(to.recent, s)
	}
}

// sizeClass is the class of n elements, and how many those of the class have: a quarter more at the most.
func sizeClass(n int) (class, size int) {
	e := bits.Len(uint(n-1)) - 3 // n is at most 8<<e, and more than 4<<e
	q := (n - 1) >> e            // 4 … 7
	return 4*e + q - 4, (q + 1) << e
}
