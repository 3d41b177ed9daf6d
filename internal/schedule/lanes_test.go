package schedule

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestLanesDoEachPieceOfWorkOnce: from many goroutines at once, with pauses about as long as lanes wait, so that some give up while they are taken.
func TestLanesDoEachPieceOfWorkOnce(t *testing.T) {
	t.Parallel()
	const givers, rounds, pieces = 4, 12, 40
	var l lanes
	var alone atomic.Bool
	alone.Store(true)
	var done [givers * rounds * pieces]atomic.Int32
	var all sync.WaitGroup
	for giver := range givers {
		all.Go(func() {
			for round := range rounds {
				var work sync.WaitGroup
				for piece := range pieces {
					work.Add(1)
					l.run(func() {
						defer work.Done()
						done[(giver*rounds+round)*pieces+piece].Add(1)
					}, &alone)
				}
				work.Wait()
				if round%4 == 3 {
					time.Sleep(laneIdle + time.Duration(giver-2)*time.Millisecond)
				}
			}
		})
	}
	all.Wait()
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Fatalf("piece %d was done %d times", i, n)
		}
	}
}

// TestLanesEnd: those that nobody gives work end, and close their files.
func TestLanesEnd(t *testing.T) {
	var l lanes
	before := runtime.NumGoroutine()
	var work sync.WaitGroup
	for range 3 * mostLanes {
		work.Add(1)
		l.run(func() {
			work.Done()
			work.Wait()
		}, &atomic.Bool{})
	}
	work.Wait()
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(laneIdle / 4) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	if l.take() != nil {
		t.Error("a lane that has ended is given work")
	}
}

// TestALaneWhoseFilesAreClosedLosesNoWork: what cannot be handed over is done by another goroutine, once.
func TestALaneWhoseFilesAreClosedLosesNoWork(t *testing.T) {
	t.Parallel()
	var l lanes
	first := make(chan bool)
	l.run(func() { close(first) }, &atomic.Bool{})
	<-first
	var x *lane
	for x = l.take(); x == nil; x = l.take() {
		runtime.Gosched()
	}
	_ = x.r.Close()
	l.mu.Lock()
	l.free = append(l.free, x)
	l.mu.Unlock()
	done := make(chan bool, 2)
	l.run(func() { done <- true }, &atomic.Bool{})
	<-done
	select {
	case <-done:
		t.Error("done twice")
	case <-time.After(laneIdle / 4):
	}
}
