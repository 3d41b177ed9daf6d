package vector

import (
	"math/bits"
	"sync"
)

// Large columns and tables that operators need for a while are used again: a new one is zeroed by one goroutine and, on memory that the process has just been
// given, comes page by page, which takes longer than what all cores do with it.
var scratch [4 * 33]sync.Pool

// borrowedFrom is from how many elements on memory is used again.
const borrowedFrom = 1 << 16

// Borrow returns n elements of any values. They may be given to Return when nobody uses them any more.
func Borrow(n int) []uint32 {
	if n < borrowedFrom {
		return make([]uint32, n)
	}
	class, size := sizeClass(n)
	if s, ok := scratch[class].Get().(*[]uint32); ok {
		return (*s)[:n]
	}
	return make([]uint32, n, size)
}

// Return gives elements back that nobody uses any more. Those that are not Borrow's are left alone.
func Return(s []uint32) {
	if cap(s) < borrowedFrom {
		return
	}
	if class, size := sizeClass(cap(s)); size == cap(s) {
		scratch[class].Put(&s)
	}
}

// sizeClass is the class of n elements, and how many those of the class have: a quarter more at the most.
func sizeClass(n int) (class, size int) {
	e := bits.Len(uint(n-1)) - 3 // n is at most 8<<e, and more than 4<<e
	q := (n - 1) >> e            // 4 … 7
	return 4*e + q - 4, (q + 1) << e
}
