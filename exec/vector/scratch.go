package vector

import (
	"math/bits"
	"sync"
)

// scratch is large slices by their sizes, which operators and matchers need for a while and use again: a new one is zeroed by one goroutine and, on memory
// that the process has just been given, comes page by page, which takes longer than what all cores do with it.
type scratch[T any] [4 * 33]sync.Pool

var (
	columns scratch[uint32]
	numbers scratch[uint64]
)

// borrowedFrom is from how many elements on memory is used again.
const borrowedFrom = 1 << 15

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
	if s, ok := p[class].Get().(*[]T); ok {
		return (*s)[:n]
	}
	return make([]T, n, size)
}

func (p *scratch[T]) giveBack(s []T) {
	if cap(s) < borrowedFrom {
		return
	}
	if class, size := sizeClass(cap(s)); size == cap(s) {
		p[class].Put(&s)
	}
}

// sizeClass is the class of n elements, and how many those of the class have: a quarter more at the most.
func sizeClass(n int) (class, size int) {
	e := bits.Len(uint(n-1)) - 3 // n is at most 8<<e, and more than 4<<e
	q := (n - 1) >> e            // 4 … 7
	return 4*e + q - 4, (q + 1) << e
}
