package vector

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

type taker struct {
	wait func(*sync.Mutex)
	hand func(*Batch)
}

func (t *taker) Hand(b *Batch)         { t.hand(b) }
func (t *taker) Wait(turn *sync.Mutex) { t.wait(turn) }

// TestTurnsHandOnAllRowsOnce: batches of several goroutines, of which some are left to others, one at a time.
func TestTurnsHandOnAllRowsOnce(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{0, 1, 5} {
		const goroutines, batches = 6, 300
		var busy atomic.Int32
		seen := map[string]int{}
		turns := &Turns{}
		turns.Open(&taker{(*sync.Mutex).Lock, func(b *Batch) {
			if busy.Add(1) != 1 {
				t.Error("two have a turn")
			}
			for r := range b.N {
				seen[fmt.Sprint(b.Cols[0][r], b.Cols[1][r], b.Weights[r], b.Tally)]++
			}
			busy.Add(-1)
		}}, threads)
		var all sync.WaitGroup
		for g := range goroutines {
			all.Go(func() {
				cols := [][]dictionary.ID{make([]dictionary.ID, 3), make([]dictionary.ID, 3)}
				for i := range batches { // the same memory each time
					b := &Batch{Cols: cols, N: 3, Weights: []uint64{uint64(i), 7, 8}, Tally: i%50 == 0}
					for r := range 3 {
						cols[0][r], cols[1][r] = dictionary.ID(g), dictionary.ID(3*i+r)
					}
					turns.Pass(b)
				}
			})
		}
		all.Wait()
		if len(seen) != 3*goroutines*batches {
			t.Errorf("%d rows came, want %d", len(seen), 3*goroutines*batches)
		}
		for row, n := range seen {
			if n != 1 {
				t.Errorf("%s came %d times", row, n)
			}
		}
		if threads == 0 && turns.spare != nil {
			t.Error("something was left where nothing may be")
		}
	}
}

// TestATurnThatPanicsEnds: others go on.
func TestATurnThatPanicsEnds(t *testing.T) {
	t.Parallel()
	n := 0
	turns := &Turns{}
	turns.Open(&taker{(*sync.Mutex).Lock, func(b *Batch) {
		if n++; n == 1 {
			panic("damaged")
		}
	}}, 2)
	func() {
		defer func() { _ = recover() }()
		turns.Pass(&Batch{N: 1})
	}()
	if turns.Pass(&Batch{N: 1}); n != 2 {
		t.Errorf("%d turns", n)
	}
}

// TestTurnsLeaveNoLargeBatches, whose copies would be memory that nobody counts.
func TestTurnsLeaveNoLargeBatches(t *testing.T) {
	t.Parallel()
	var turns Turns
	turns.Open(&taker{}, 1)
	col := make([]dictionary.ID, mostLeft/2+1)
	for rows, want := range map[int]bool{mostLeft / 2: true, mostLeft/2 + 1: false} {
		if got := turns.leave(&Batch{Cols: [][]dictionary.ID{col[:rows], col[:rows]}, N: rows}); got != want {
			t.Errorf("a batch of two columns of %d rows is left: %v, want %v", rows, got, want)
		}
	}
}
