package machine

import (
	"strings"
	"unsafe"
)

// Uncleared returns n numbers of which nobody knows what they are: each is to be written before it is read. make clears memory that was used before,
// on the goroutine that calls it, which takes 1 ms for some 10 MB and which all wait for that are to write there.
func Uncleared[T uint32 | uint64](n int) []T {
	const fewBytes = 1 << 12
	var one T
	bytes := n * int(unsafe.Sizeof(one))
	if bytes < fewBytes {
		return make([]T, n)
	}
	var b strings.Builder // it is not cleared, as nobody can see what has not been written
	b.Grow(bytes)
	b.WriteByte(0)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(b.String()))), n)
}
