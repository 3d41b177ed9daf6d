package operator_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// TestEachPartIsDoneOnceByEveryone while nobody else is at it.
func TestEachPartIsDoneOnceByEveryone(t *testing.T) {
	t.Parallel()
	x := execution(t, 4, goesOn)
	const rounds = 200
	var locks [vector.Parts]operator.PartLock
	var done [vector.Parts]int
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			x.Workers.Enter()
			defer x.Workers.Leave()
			for i := range rounds {
				err := operator.EachPart(4*i+g, func(p int, wait bool) (bool, error) {
					return locks[p].Do(x, wait, func() error { done[p]++; return nil })
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for p, n := range done {
		if n != 4*rounds {
			t.Errorf("part %d was done %d times of %d", p, n, 4*rounds)
		}
	}
}

// TestAPartThatFailsIsLeftUnlocked, by an error and by a panic; the parts after it are not begun.
func TestAPartThatFailsIsLeftUnlocked(t *testing.T) {
	t.Parallel()
	x, bad := execution(t, 2, goesOn), errors.New("bad")
	for _, fail := range []func() error{func() error { return bad }, func() error { panic(bad) }} {
		var locks [vector.Parts]operator.PartLock
		begun := 0
		err := schedule.Guard(func() error {
			return operator.EachPart(0, func(p int, wait bool) (bool, error) {
				return locks[p].Do(x, wait, func() error {
					if begun++; begun == 7 {
						return fail()
					}
					return nil
				})
			})
		})
		if err == nil || begun != 7 {
			t.Errorf("%v after %d parts", err, begun)
		}
		for p := range locks {
			if done, _ := locks[p].Do(x, false, func() error { return nil }); !done {
				t.Errorf("part %d is locked", p)
			}
		}
	}
}

// TestAPartWhereSomebodyIsIsDoneLast.
func TestAPartWhereSomebodyIsIsDoneLast(t *testing.T) {
	t.Parallel()
	x := execution(t, 2, goesOn)
	var locks [vector.Parts]operator.PartLock
	var order []int
	held, free := make(chan struct{}), make(chan struct{})
	go func() {
		_, _ = locks[3].Do(x, true, func() error { close(held); <-free; return nil })
	}()
	<-held
	err := operator.EachPart(0, func(p int, wait bool) (bool, error) {
		if len(order) == vector.Parts-1 && wait {
			close(free)
		}
		return locks[p].Do(x, wait, func() error { order = append(order, p); return nil })
	})
	if err != nil || len(order) != vector.Parts || order[vector.Parts-1] != 3 {
		t.Errorf("%v, %v", order, err)
	}
}

// TestNothingIsEmittedAfterAnError: whoever emits then gets it too.
func TestNothingIsEmittedAfterAnError(t *testing.T) {
	t.Parallel()
	bad, batches := errors.New("bad"), 0
	out := operator.NewOutlet(execution(t, 2, goesOn), func(*vector.Batch) error {
		if batches++; batches == 2 {
			return bad
		}
		return nil
	}, func(b *vector.Batch) (bool, error) { return b.Distinct, nil })
	for i, want := range []error{nil, bad, bad} {
		if err := out.HandOn(&vector.Batch{}); err != want {
			t.Errorf("batch %d: %v", i, err)
		}
	}
	if err := out.HandOn(&vector.Batch{Distinct: true}); err != nil || batches != 2 {
		t.Errorf("%v, %d batches are emitted", err, batches)
	}
}
