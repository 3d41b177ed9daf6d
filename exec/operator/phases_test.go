package operator_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// execution is a run of a query that has entered its share of some threads.
func execution(t *testing.T, threads int, ended func() error) *operator.Execution {
	x := &operator.Execution{Ended: ended, Workers: schedule.New(threads).Open(context.Background(), 0)}
	x.Workers.Enter()
	t.Cleanup(x.Workers.Leave)
	return x
}

func goesOn() error { return nil }

// TestPhasesDoEveryUnitOnce and none before all of the phase before are done.
func TestPhasesDoEveryUnitOnce(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{1, 2, 5} {
		p := operator.NewPhases(execution(t, threads, goesOn))
		for range 200 {
			var done [3][40]atomic.Int32
			var before [3]atomic.Int32
			units := []int{40, 0, 7}
			phase := func(k, needs int) operator.Phase {
				return operator.Phase{Units: units[k], Do: func(unit int) error {
					if k > 0 && int(before[needs].Load()) != units[needs] {
						return errors.New("a phase began early")
					}
					done[k][unit].Add(1)
					before[k].Add(1)
					return nil
				}}
			}
			p.Start(phase(0, 0), phase(1, 0), phase(2, 0))
			if err := p.Finish(); err != nil {
				t.Fatal(err)
			}
			for k := range units {
				for unit := range done[k] {
					if n := done[k][unit].Load(); unit < units[k] && n != 1 || unit >= units[k] && n != 0 {
						t.Fatalf("unit %d of phase %d was done %d times", unit, k, n)
					}
				}
			}
		}
		p.Close()
	}
}

func TestNoWorkIsFinished(t *testing.T) {
	t.Parallel()
	x := execution(t, 3, goesOn)
	p := operator.NewPhases(x)
	defer p.Close()
	p.Ask()
	if err := p.Finish(); err != nil {
		t.Error(err)
	}
	p.Start()
	if err := p.Finish(); err != nil {
		t.Error(err)
	}
	if err := x.Each(0, nil); err != nil {
		t.Error(err)
	}
}

func TestAUnitThatFailsEndsTheWork(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	for range 50 {
		x := execution(t, 4, goesOn)
		err := x.Each(100, func(unit int) error {
			if unit == 30 {
				return bad
			}
			return nil
		})
		if err != bad {
			t.Fatalf("the work ended with %v", err)
		}
	}
}

// TestAFaultOfAUnitEndsTheWork: whoever does the unit, the caller learns of it.
func TestAFaultOfAUnitEndsTheWork(t *testing.T) {
	t.Parallel()
	for range 50 {
		x := execution(t, 4, goesOn)
		err := schedule.Guard(func() error {
			return x.Each(100, func(unit int) error {
				if unit == 30 {
					panic("no such thing")
				}
				return nil
			})
		})
		if err == nil || !strings.Contains(err.Error(), "no such thing") {
			t.Fatalf("the work ended with %v", err)
		}
	}
}

func TestTheEndOfAQueryEndsItsPhases(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	var units atomic.Int32
	x := execution(t, 4, func() error {
		if units.Load() >= 20 {
			return over
		}
		return nil
	})
	if err := x.Each(1000, func(int) error { units.Add(1); return nil }); err != over || units.Load() > 30 {
		t.Errorf("%v after %d units", err, units.Load())
	}
}

// TestWorkThatIsNotFinishedCanBeClosed while its units are done.
func TestWorkThatIsNotFinishedCanBeClosed(t *testing.T) {
	t.Parallel()
	p := operator.NewPhases(execution(t, 4, goesOn))
	var units atomic.Int32
	p.Start(operator.Phase{Units: 1 << 20, Do: func(int) error { units.Add(1); return nil }})
	p.Close()
	n := units.Load()
	if err := p.Finish(); err != nil || units.Load() != n {
		t.Errorf("%v; %d units were done after the end", err, units.Load()-n)
	}
}
