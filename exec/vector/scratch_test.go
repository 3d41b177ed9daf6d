package vector

import (
	"runtime"
	"testing"
)

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
}

// TestWhatIsGivenBackIsUsedAgain until two collections have found it unused.
func TestWhatIsGivenBackIsUsedAgain(t *testing.T) {
	var s scratch[uint64]
	a := s.borrow(100_000)
	s.giveBack(a)
	if b := s.borrow(99_000); len(b) != 99_000 || &b[0] != &a[0] {
		t.Error("memory of the same size is not used again")
	}
	s.giveBack(a)
	s.age()
	if b := s.borrow(100_000); &b[0] != &a[0] {
		t.Error("memory is dropped too early")
	}
	s.giveBack(a)
	s.age()
	s.age()
	if b := s.borrow(100_000); &b[0] == &a[0] {
		t.Error("memory is kept too long")
	}
	s.giveBack(make([]uint64, 70_000)) // of no such size
	if b := s.borrow(70_000); cap(b) == 70_000 {
		t.Error("what was not borrowed is lent")
	}
	Return(Borrow(1 << 20))
	aged := make(chan bool, 2)
	afterCollections(func() { // as long as the process lives: it must not wait
		select {
		case aged <- true:
		default:
		}
	})
	runtime.GC()
	<-aged
	runtime.GC()
	<-aged
}
