package schedule

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestLanesDoEachPieceOfWorkOnce: from many goroutines at once, some of it several times, with pauses about as long as lanes wait, so that some give up while they are woken;
// by lanes that look for work, that wait at once, and that are roused.
func TestLanesDoEachPieceOfWorkOnce(t *testing.T) {
	t.Parallel()
	const givers, rounds, pieces, most = 4, 12, 40, 5
	var l lanes
	var alone atomic.Bool
	var done [givers * rounds * pieces]atomic.Int32
	var all sync.WaitGroup
	for giver := range givers {
		all.Go(func() {
			for round := range rounds {
				var work sync.WaitGroup
				for piece := range pieces {
					times := 1 + piece%most
					work.Add(times)
					l.run(func() {
						defer work.Done()
						done[(giver*rounds+round)*pieces+piece].Add(1)
					}, times, &alone)
				}
				if work.Wait(); round%4 == 3 {
					time.Sleep(laneIdle + time.Duration(giver-2)*time.Millisecond)
				}
			}
		})
	}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		all.Wait()
	}()
	for n := 0; ; n++ {
		alone.Store(n%3 > 0)
		select {
		case <-ended:
		case <-time.After(time.Duration(n%7) * 100 * time.Microsecond):
			l.rouse(n % 23)
			continue
		}
		break
	}
	for i := range done {
		if n := int(done[i].Load()); n != 1+i%pieces%most {
			t.Fatalf("piece %d was done %d times", i, n)
		}
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(laneIdle / 4) {
		l.mu.Lock()
		waiting, work, looking, asleep := l.waiting.Load(), len(l.work), l.looking, len(l.asleep)
		l.mu.Unlock()
		if waiting == 0 && work == 0 && looking == 0 && asleep == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d pieces of work wait, %d lanes look, %d are asleep", waiting, work, looking, asleep)
		}
	}
}

// TestLanesRiseOnce: of those that are asleep as many as are wanted, less those that look for work anyway, woken by each other.
func TestLanesRiseOnce(t *testing.T) {
	t.Parallel()
	for _, asleep := range []int{0, 1, 2, 5, 15, 22} {
		for _, looking := range []int{0, 1, 4} {
			for wanted := range 25 {
				l := lanes{looking: looking}
				for range asleep {
					x := &lane{}
					if !x.open() {
						t.Skip("no pipes")
					}
					l.asleep = append(l.asleep, x)
				}
				all := slices.Clone(l.asleep)
				l.rouse(wanted)
				woken := map[*lane]bool{}
				var wakes func(x *lane)
				wakes = func(x *lane) {
					if woken[x] || !x.alone.Load() {
						t.Fatalf("a lane is woken twice, or is not to look for work")
					}
					woken[x] = true
					if x.others == nil {
						return
					}
					for _, o := range x.others[:min(wokenAtOnce, len(x.others))] {
						defer wakes(o)
					}
					l.wake(x.others)
				}
				want := max(0, min(wanted-looking, asleep))
				for _, x := range all[asleep-want:][:min(wokenAtOnce, want)] {
					wakes(x)
				}
				if len(woken) != want || len(l.asleep) != asleep-want || l.looking != looking+want {
					t.Fatalf("%d asleep, %d look, %d wanted: %d woken, %d left, %d look now", asleep, looking, wanted, len(woken), len(l.asleep), l.looking)
				}
				for _, x := range all {
					if woken[x] != (x.r.SetReadDeadline(time.Now().Add(time.Second)) == nil && slices.Index(l.asleep, x) < 0 && x.read()) {
						t.Fatalf("%d asleep, %d look, %d wanted: a lane that is up has no byte to read", asleep, looking, wanted)
					}
					x.close()
				}
			}
		}
	}
}

// TestLanesEnd: those that nobody gives work end, and close their files.
func TestLanesEnd(t *testing.T) {
	var l lanes
	before := runtime.NumGoroutine()
	var work sync.WaitGroup
	work.Add(3 * mostLanes)
	for range 3 * mostLanes {
		l.run(func() {
			work.Done()
			work.Wait()
		}, 1, &atomic.Bool{})
	}
	work.Wait()
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(laneIdle / 4) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.asleep) > 0 || l.looking != 0 {
		t.Error("a lane that has ended is given work")
	}
}

// TestALaneWhoseFilesAreClosedLosesNoWork: what cannot be handed over is done by another goroutine, once.
func TestALaneWhoseFilesAreClosedLosesNoWork(t *testing.T) {
	t.Parallel()
	var l lanes
	x := &lane{}
	if !x.open() {
		t.Skip("no pipes")
	}
	_ = x.r.Close()
	l.asleep = append(l.asleep, x)
	done := make(chan bool, 2)
	l.run(func() { done <- true }, 1, &atomic.Bool{})
	<-done
	select {
	case <-done:
		t.Error("done twice")
	case <-time.After(laneIdle / 4):
	}
}
