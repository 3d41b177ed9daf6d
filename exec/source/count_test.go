package source

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// counter is a matcher that counts by a function.
type counter func(m *match.Match) (uint64, error)

func (c counter) Count(_ context.Context, m *match.Match) (uint64, error) { return c(m) }
func (c counter) Match(context.Context, *match.Match, func(*match.Batch) error) error {
	panic("not called")
}

// difference is a sum of terms with the numbers of solutions 100, 20, 3 …, the second one taken away, each counted by a matcher of its own, and its execution on some threads.
func difference(t *testing.T, threads int, memory int64, counters ...counter) (*Count, *operator.Execution) {
	g, err := pcsr.Build(20_000, 1, []pcsr.Edge{{From: 1, To: 2}})
	if err != nil {
		t.Fatal(err)
	}
	o := &Count{}
	for i, c := range counters {
		times := 1
		if i == 1 {
			times = -1
		}
		o.Terms = append(o.Terms, CountTerm{Times: times, Match: &Match{Graph: g, Plan: &bgp.MatchPlan{Steps: make([]bgp.Step, 2)}, Matcher: c}})
	}
	x := &operator.Execution{Ctx: t.Context(), Env: &expr.Env{}, Workers: schedule.New(threads).Open(t.Context(), 0), Matches: limits.Standalone(memory).Meter("partial matches")}
	x.Workers.Enter()
	t.Cleanup(x.Workers.Leave)
	return o, x
}

// TestTheNextTermBeginsBesideTheOneBefore: once threads are idle, and no third one beside two.
func TestTheNextTermBeginsBesideTheOneBefore(t *testing.T) {
	t.Parallel()
	second, third := make(chan bool), make(chan bool)
	o, x := difference(t, 4, 1<<30, func(m *match.Match) (uint64, error) {
		var idle sync.WaitGroup
		for range 3 {
			idle.Go(m.Idle)
		}
		idle.Wait()
		<-second
		return 100, nil
	}, func(m *match.Match) (uint64, error) {
		close(second)
		m.Idle()
		select {
		case <-third:
		case <-time.After(10 * time.Second):
			t.Error("who counted the first term does not count the third")
		}
		return 20, nil
	}, func(m *match.Match) (uint64, error) {
		m.Idle()
		close(third)
		return 3, nil
	})
	if n, err := o.sum(x); err != nil || n != 83 {
		t.Errorf("%d, error %v", n, err)
	}
}

// TestTermsAreCountedOneAfterTheOther where there is one thread, or too little memory, or times are measured.
func TestTermsAreCountedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		threads int
		memory  int64
		analyze bool
	}{"one thread": {1, 1 << 30, false}, "little memory": {4, 1000, false}, "measured": {4, 1 << 30, true}} {
		one := func(n uint64) counter {
			return func(m *match.Match) (uint64, error) {
				if m.Idle != nil {
					t.Errorf("%s: a term is told of idle threads", name)
				}
				return n, nil
			}
		}
		o, x := difference(t, c.threads, c.memory, one(100), one(20))
		if x.Analyze = c.analyze; c.analyze {
			for i := range o.Terms {
				o.Terms[i].Match.Measured = &operator.Measures{}
			}
		}
		if n, err := o.sum(x); err != nil || n != 80 {
			t.Errorf("%s: %d, error %v", name, n, err)
		}
	}
}

// TestATermThatFailsEndsTheSum: with its error, or what it panics with, whichever term it is; nobody counts any more then.
func TestATermThatFailsEndsTheSum(t *testing.T) {
	t.Parallel()
	for failing := range 3 {
		for _, panics := range []bool{false, true} {
			var counters []counter
			var mu sync.Mutex
			counting, failure := 0, errors.New("failed")
			for i := range 3 {
				counters = append(counters, func(m *match.Match) (uint64, error) {
					mu.Lock()
					counting++
					mu.Unlock()
					defer func() {
						mu.Lock()
						counting--
						mu.Unlock()
					}()
					m.Idle()
					time.Sleep(time.Millisecond)
					if i == failing && panics {
						panic(failure)
					}
					if i == failing {
						return 0, failure
					}
					return 1, nil
				})
			}
			o, x := difference(t, 4, 1<<30, counters...)
			err := schedule.Guard(func() error { _, err := o.sum(x); return err })
			mu.Lock()
			if err == nil || !panics && !errors.Is(err, failure) || counting > 0 {
				t.Errorf("term %d fails, by panic %v: error %v, %d are still counted", failing, panics, err, counting)
			}
			mu.Unlock()
		}
	}
}
