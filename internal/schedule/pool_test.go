package schedule_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// query is an entered share.
func query(p *schedule.Pool, limit int) *schedule.Share {
	s := p.Open(context.Background(), limit)
	s.Enter()
	return s
}

// start starts as many workers as there are permits for, up to n, that work until the end of the test.
func start(t *testing.T, s *schedule.Share, n int) *crowd {
	c := &crowd{group: &schedule.Group{Share: s}}
	c.more(n)
	t.Cleanup(func() {
		c.stop.Store(true)
		c.group.Wait()
		s.Leave()
	})
	return c
}

// crowd is workers that have nothing to do but to look whether they may go on.
type crowd struct {
	group *schedule.Group
	stop  atomic.Bool
}

func (c *crowd) more(n int) (started int) {
	for range n {
		if c.group.Go(func(w *schedule.Worker) error {
			for !c.stop.Load() && w.Keep() {
				time.Sleep(50 * time.Microsecond)
			}
			return nil
		}) {
			started++
		}
	}
	return started
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatalf("it never was so that %s", what)
		}
	}
}

func TestOneQueryMayHaveAllPermits(t *testing.T) {
	t.Parallel()
	c := start(t, query(schedule.New(4), 0), 10)
	if n := c.group.Running(); n != 3 {
		t.Errorf("%d workers beside the caller, expected 3", n)
	}
}

func TestALimitHolds(t *testing.T) {
	t.Parallel()
	p := schedule.New(4)
	if n := start(t, query(p, 1), 10).group.Running(); n != 0 {
		t.Errorf("%d workers beside the caller of a query of one thread", n)
	}
	if n := start(t, query(p, 3), 10).group.Running(); n != 2 {
		t.Errorf("%d workers beside the caller of a query of three threads", n)
	}
	var none *schedule.Share
	none.Enter()
	none.Yield()
	none.Leave()
	g := schedule.Group{Share: none}
	if none.Limit() != 1 || g.Go(func(*schedule.Worker) error { return nil }) || g.Wait() != nil {
		t.Error("a query without a share has a worker")
	}
}

func TestAllAreAskedForAtOnce(t *testing.T) {
	s := query(schedule.New(8), 8)
	defer s.Leave()
	g := schedule.Group{Share: s}
	var began atomic.Int32
	end := make(chan struct{})
	g.GoAll(20, func(*schedule.Worker) error {
		began.Add(1)
		<-end
		return nil
	})
	if g.Running() != 7 {
		t.Errorf("%d workers, want 7 beside the caller", g.Running())
	}
	g.GoAll(-1, nil)
	close(end)
	if err := g.Wait(); err != nil || began.Load() != 7 {
		t.Errorf("%d workers began, want 7: %v", began.Load(), err)
	}
}

func TestANewcomerGetsItsPart(t *testing.T) {
	t.Parallel()
	p := schedule.New(8)
	first := start(t, query(p, 0), 7)
	second := start(t, query(p, 0), 0)
	eventually(t, "both queries have four threads", func() bool {
		second.more(3 - second.group.Running())
		return first.group.Running() == 3 && second.group.Running() == 3
	})
	if n := second.more(3); n != 0 {
		t.Errorf("the newcomer got %d threads more than its part", n)
	}
}

func TestPermitsThatNobodyAsksForAreAnybodys(t *testing.T) {
	t.Parallel()
	p := schedule.New(8)
	for range 4 {
		start(t, query(p, 0), 0)
	}
	if n := start(t, query(p, 0), 8).group.Running(); n != 3 {
		t.Errorf("%d workers, expected the 3 that were left", n)
	}
}

func TestWhoHasLeftLeavesItsPermit(t *testing.T) {
	t.Parallel()
	p := schedule.New(2)
	blocked := p.Open(context.Background(), 0)
	blocked.Enter()
	busy := start(t, query(p, 0), 1)
	if n := busy.group.Running(); n != 0 {
		t.Fatalf("%d workers on a machine that is full", n)
	}
	blocked.Leave()
	eventually(t, "the permit of who waits is used", func() bool { return busy.more(1) == 1 })
	blocked.Enter()
	eventually(t, "the permit is given back", func() bool { return busy.group.Running() == 0 })
	blocked.Leave()
}

// TestYieldWaitsForAPermit: of a query with two goroutines on a machine of two, one waits while another query runs.
func TestYieldWaitsForAPermit(t *testing.T) {
	t.Parallel()
	p := schedule.New(2)
	s := query(p, 0)
	defer s.Leave()
	g := schedule.Group{Share: s}
	var rounds atomic.Int64
	var stop atomic.Bool
	g.Go(func(*schedule.Worker) error {
		for !stop.Load() {
			s.Yield()
			rounds.Add(1)
			time.Sleep(50 * time.Microsecond)
		}
		return nil
	})
	other := query(p, 0)
	still := func() bool {
		before := rounds.Load()
		time.Sleep(20 * time.Millisecond)
		return rounds.Load() == before
	}
	eventually(t, "the worker waits", still)
	other.Leave()
	eventually(t, "the worker goes on", func() bool { return !still() })
	other.Enter()
	eventually(t, "the worker waits again", still)
	stop.Store(true)
	if err := g.Wait(); err != nil { // the caller's permit is the worker's now
		t.Error(err)
	}
	other.Leave()
}

func TestTheEndOfAContextWakesWhoWaits(t *testing.T) {
	t.Parallel()
	p := schedule.New(2)
	ctx, cancel := context.WithCancel(context.Background())
	s := p.Open(ctx, 0)
	s.Enter()
	defer s.Leave()
	g := schedule.Group{Share: s}
	g.Go(func(*schedule.Worker) error {
		for ctx.Err() == nil {
			s.Yield()
		}
		return nil
	})
	start(t, query(p, 0), 0)
	time.Sleep(5 * time.Millisecond)
	cancel()
	eventually(t, "the worker ends", func() bool { return g.Running() == 0 })
	g.Wait()
}

func TestTheFirstFailureIsTheGroups(t *testing.T) {
	t.Parallel()
	s := query(schedule.New(3), 0)
	defer s.Leave()
	var failures atomic.Int64
	g := schedule.Group{Share: s, Failed: func() { failures.Add(1) }}
	bad := errors.New("bad")
	g.Do(func() error { return bad })
	g.Go(func(*schedule.Worker) error { panic("no such thing") })
	if err := g.Wait(); err != bad || failures.Load() != 1 {
		t.Errorf("%v, told %d times", err, failures.Load())
	}
	faulty := schedule.Group{Share: s}
	faulty.Go(func(*schedule.Worker) error { panic("no such thing") })
	var fault *schedule.Fault
	if err := faulty.Wait(); !errors.As(err, &fault) || !strings.Contains(err.Error(), "no such thing") || !strings.Contains(fault.Stack(), "pool_test.go") {
		t.Errorf("a panic became %v", err)
	}
}

// TestGoroutinesThatWaitForEachOtherEnd: goroutines of several queries take turns with a lock, in which they yield.
func TestGoroutinesThatWaitForEachOtherEnd(t *testing.T) {
	t.Parallel()
	p := schedule.New(2)
	var queries sync.WaitGroup
	for range 4 {
		queries.Go(func() {
			s := query(p, 0)
			defer s.Leave()
			var mu sync.Mutex
			g := schedule.Group{Share: s}
			turns := func(*schedule.Worker) error {
				for range 300 {
					s.Lock(&mu)
					s.Yield()
					mu.Unlock()
				}
				return nil
			}
			for range 10 {
				g.Go(turns)
				turns(nil)
			}
			g.Wait()
		})
	}
	queries.Wait()
}

// TestAClaimMovesAPermitWithinAQuery: of the groups that give, one worker ends for it, and none begins before it is used.
func TestAClaimMovesAPermitWithinAQuery(t *testing.T) {
	t.Parallel()
	s := query(schedule.New(3), 0)
	defer s.Leave()
	finds, wanted := schedule.Group{Share: s, Gives: true}, schedule.Group{Share: s}
	var over atomic.Bool
	keeping := func(w *schedule.Worker) error {
		for !over.Load() && w.Keep() {
			time.Sleep(time.Millisecond)
		}
		return nil
	}
	for finds.Go(keeping) {
	}
	if n := finds.Running(); n != 2 || wanted.Go(keeping) {
		t.Fatalf("%d workers of three threads", n)
	}
	s.Claim()
	eventually(t, "one of them ends", func() bool { return finds.Running() == 1 })
	time.Sleep(5 * time.Millisecond)
	if n := finds.Running(); n != 1 || finds.Go(keeping) {
		t.Errorf("%d workers are left, or another one has begun before the claim was used", n)
	}
	if !wanted.Go(keeping) || wanted.Go(keeping) {
		t.Error("the permit is not there, or a second one")
	}
	over.Store(true)
	finds.Wait()
	wanted.Wait()
	s.Claim()
	if s.Disclaim(); !finds.Go(keeping) {
		t.Error("a claim that was taken back keeps workers from beginning")
	}
	finds.Wait()
}
