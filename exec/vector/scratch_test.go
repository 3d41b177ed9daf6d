package vector

import "testing"

func TestSizeClassesHoldWhatIsAskedFor(t *testing.T) {
	for _, n := range []int{borrowedFrom, borrowedFrom + 1, 5 << 14, 5<<14 + 1, 1<<20 - 1, 1 << 20, 3_000_000, 1 << 32} {
		class, size := sizeClass(n)
		if size < n || 4*size > 5*n+8 {
			t.Errorf("%d elements get %d", n, size)
		}
		if again, same := sizeClass(size); again != class || same != size {
			t.Errorf("%d elements are of class %d, and of %d, %d elements, when they come back", n, class, again, same)
		}
	}
	a := Borrow(100_000)
	Return(a)
	if b := Borrow(99_000); len(b) != 99_000 {
		t.Errorf("%d elements of 99000", len(b))
	}
	Return(make([]uint32, 70_000)) // not Borrow's
}
