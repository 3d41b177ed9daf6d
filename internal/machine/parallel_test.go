package machine

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestParallelCallsAreMadeOnceEach, while others make theirs, one after the other and within each other; what panics comes up.
func TestParallelCallsAreMadeOnceEach(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range 200 {
				calls := make([]atomic.Int32, n)
				Parallel(n, func(i int) {
					Parallel(i%3, func(int) { calls[i].Add(1) })
					calls[i].Add(1)
				})
				for i := range calls {
					if got := int(calls[i].Load()); got != 1+i%3 {
						t.Errorf("call %d of %d was made %d times", i, n, got)
					}
				}
			}
			defer func() {
				if r := recover(); r != "one" {
					t.Errorf("what came up is %v", r)
				}
			}()
			Parallel(50, func(i int) {
				if i == 20 {
					panic("one")
				}
			})
		})
	}
	all.Wait()
}

// TestEachIsDoneBeside the caller once, however many are, and whatever else is done meanwhile.
func TestEachIsDoneBeside(t *testing.T) {
	t.Parallel()
	var all, done sync.WaitGroup
	var calls atomic.Int32
	const each = 2000
	for k := range 4 {
		done.Add(each)
		all.Go(func() {
			for n := range each {
				Beside(func() {
					calls.Add(1)
					done.Done()
				})
				if (n+k)%3 == 0 {
					Parallel(n%40, func(int) {})
				}
				if n%100 == 0 {
					time.Sleep(stayAwake)
				}
			}
		})
	}
	all.Wait()
	done.Wait()
	if calls.Load() != 4*each {
		t.Errorf("%d calls", calls.Load())
	}
}

// TestHelpersGoToSleep when nothing has come for a while.
func TestHelpersGoToSleep(t *testing.T) {
	Parallel(8, func(int) {})
	for begun := time.Now(); helpers.all.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("%d are awake", helpers.all.Load())
		}
	}
}
