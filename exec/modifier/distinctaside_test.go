package modifier_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/modifier"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// finders is a source whose batches several goroutines find: each offers its own aside before it emits them, as a matcher does. A batch is lost once it was taken.
type finders struct {
	operator.Base
	batches []*vector.Batch
	n       int
	take    operator.Take
	found   atomic.Int64
}

func (f *finders) Aside(take operator.Take) { f.take = take }

func (f *finders) Run(x *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	var stop atomic.Bool
	var emitting sync.Mutex
	emitAlone := func(b *vector.Batch) error {
		x.Workers.Lock(&emitting)
		defer emitting.Unlock()
		if stop.Load() {
			return nil
		}
		return emit(b)
	}
	find := func() error {
		var own vector.BatchCopy
		for !stop.Load() {
			at := int(f.found.Add(1)) - 1
			if at >= len(f.batches) {
				return nil
			}
			own.Copy(f.batches[at])
			taken, err := false, error(nil)
			if f.take != nil {
				taken, err = f.take(&own.Batch)
			}
			if err == nil && !taken {
				err = emitAlone(&own.Batch)
			}
			if err != nil {
				return err
			}
			for _, col := range own.Cols {
				clear(col)
			}
		}
		return nil
	}
	workers := schedule.Group{Share: x.Workers, Failed: func() { stop.Store(true) }}
	for range f.n - 1 {
		x.Workers.Enter()
		workers.Start(func(*schedule.Worker) error { return find() })
	}
	workers.Do(find)
	return workers.Wait()
}

// apart is a test of DISTINCT over rows that several goroutines find.
type apart struct {
	source  *finders
	matched bool
	x       *operator.Execution
	take    operator.Take

	mu      sync.Mutex
	emitted map[string]int
}

// apartOf draws one.
func apartOf(t *rapid.T, folder string) *apart {
	draw := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
	width, rows, values := draw("columns", 1, 3), draw("rows of a batch", 1, 60), rapid.SampledFrom([]int{3, 200, 5000}).Draw(t, "values")
	a := &apart{matched: draw("matched", 0, 3) == 0, emitted: map[string]int{}}
	a.source = &finders{n: draw("finders", 1, 4)}
	for c := range width {
		a.source.Out = append(a.source.Out, fmt.Sprint("c", c))
	}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	once := dictionary.ID(1 << 20)
	for range draw("batches", 0, 150) {
		b := &vector.Batch{N: 1 + random.IntN(rows), Cols: make([][]dictionary.ID, width), Distinct: a.matched && random.IntN(3) == 0}
		for range b.N {
			once++
			row := 1 + dictionary.ID(random.IntN(values))
			if b.Distinct {
				row = once
			}
			for c := range b.Cols {
				b.Cols[c] = append(b.Cols[c], row*dictionary.ID(c+1))
			}
		}
		a.source.batches = append(a.source.batches, b)
	}
	budget := limits.Standalone(int64(1 << draw("bits of memory", 14, 20)))
	ended := func() error { return nil }
	a.x = &operator.Execution{
		Ended: ended, Memory: budget, Disk: &vector.Disk{Folder: folder, Budget: budget, Buffers: budget.Meter("files")},
		Workers: schedule.New(4).Open(t.Context(), 0),
		Tuning:  operator.Tuning{ShareFrom: uint64(draw("alone", 1, 300)), ChunkRows: draw("chunk", 1, 50)}.Complete(),
	}
	return a
}

// run runs the DISTINCT.
func (a *apart) run(emit func(*vector.Batch) error) error {
	d := &modifier.Distinct{Base: operator.Base{Out: a.source.Out, Measured: &operator.Measures{}}, Input: a.source, Matched: a.matched}
	d.Aside(a.take)
	a.source.Measured = &operator.Measures{}
	return schedule.Guard(func() error {
		a.x.Workers.Enter()
		defer a.x.Workers.Leave()
		return operator.Run(d, a.x, nil, emit)
	})
}

// note notes what is emitted or taken.
func (a *apart) note(b *vector.Batch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for r := range b.N {
		a.emitted[row(b, r)]++
	}
}

func row(b *vector.Batch, r int) string {
	var text strings.Builder
	for _, col := range b.Cols {
		fmt.Fprint(&text, col[r], " ")
	}
	return text.String()
}

// TestWhoFindsRowsTellsThemApart: each row comes once, with little memory too, and whether those who find rows hand new ones on or emit them.
func TestWhoFindsRowsTellsThemApart(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		a := apartOf(t, folder)
		if rapid.Bool().Draw(t, "takes") {
			var turn atomic.Int64
			a.take = func(b *vector.Batch) (bool, error) {
				if turn.Add(1)%3 == 0 {
					return false, nil
				}
				a.note(b)
				return true, nil
			}
		}
		var emitting atomic.Int32
		err := a.run(func(b *vector.Batch) error {
			if emitting.Add(1) > 1 {
				t.Error("two emit at once")
			}
			a.note(b)
			time.Sleep(time.Microsecond) // others find rows meanwhile
			emitting.Add(-1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, b := range a.source.batches {
			for r := range b.N {
				want[row(b, r)] = true
			}
		}
		for text, n := range a.emitted {
			if n != 1 || !want[text] {
				t.Fatalf("%q comes %d times", text, n)
			}
		}
		if len(a.emitted) != len(want) {
			t.Fatalf("%d rows of %d", len(a.emitted), len(want))
		}
		if a.x.Memory.Used() != 0 {
			t.Fatalf("%d bytes are held in the end", a.x.Memory.Used())
		}
	})
}

// TestDistinctRowsOfAMatchAreHandedOnAsTheyAre in whichever goroutine.
func TestDistinctRowsOfAMatchAreHandedOnAsTheyAre(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		a := apartOf(t, folder)
		a.matched = true
		var batches atomic.Int64
		for _, b := range a.source.batches {
			b.Distinct = true
		}
		if err := a.run(func(b *vector.Batch) error {
			if !b.Distinct {
				t.Error("rows are told apart that are distinct")
			}
			batches.Add(1)
			return nil
		}); err != nil || int(batches.Load()) != len(a.source.batches) {
			t.Fatalf("%d batches of %d, %v", batches.Load(), len(a.source.batches), err)
		}
	})
}

var errEnough = errors.New("enough")

// TestDistinctEndsWithItsConsumer: an error, a panic or the end of the query, wherever it is met, ends all; nobody emits any more, and nobody waits.
func TestDistinctEndsWithItsConsumer(t *testing.T) {
	folder := t.TempDir()
	ends := map[string]func(a *apart, over *atomic.Bool) error{
		"error":  func(*apart, *atomic.Bool) error { return errEnough },
		"panic":  func(*apart, *atomic.Bool) error { panic(errEnough) },
		"cancel": func(_ *apart, over *atomic.Bool) error { over.Store(true); return nil },
	}
	rapid.Check(t, func(t *rapid.T) {
		a := apartOf(t, folder)
		how := rapid.SampledFrom([]string{"cancel", "error", "panic"}).Draw(t, "end")
		var over, ended atomic.Bool
		var batches atomic.Int64
		last := rapid.Int64Range(1, 20).Draw(t, "last batch")
		a.x.Ended = func() error {
			if over.Load() {
				return errEnough
			}
			return nil
		}
		consume := func(*vector.Batch) error {
			if batches.Add(1) < last {
				return nil
			}
			ended.Store(true)
			return ends[how](a, &over)
		}
		if rapid.Bool().Draw(t, "takes") {
			a.take = func(b *vector.Batch) (bool, error) { return true, consume(b) }
		}
		err := a.run(func(b *vector.Batch) error {
			if how == "error" && a.take == nil && ended.Load() {
				t.Error("a batch is emitted after an error")
			}
			return consume(b)
		})
		if ended.Load() != (err != nil) && how != "cancel" || err != nil && !strings.Contains(err.Error(), "enough") {
			t.Fatalf("ended with %v", err)
		}
		if a.x.Memory.Used() != 0 {
			t.Fatalf("%d bytes are held in the end", a.x.Memory.Used())
		}
	})
}

// TestALimitEndsTheSourceOfDistinct soon.
func TestALimitEndsTheSourceOfDistinct(t *testing.T) {
	a := &apart{emitted: map[string]int{}, source: &finders{n: 4}}
	a.source.Out = []string{"x"}
	for i := range 100_000 {
		a.source.batches = append(a.source.batches, &vector.Batch{N: 1, Cols: [][]dictionary.ID{{dictionary.ID(i)}}})
	}
	a.x = &operator.Execution{
		Ended: func() error { return nil }, Memory: limits.Standalone(1 << 30), Workers: schedule.New(4).Open(t.Context(), 0),
		Tuning: operator.Tuning{ShareFrom: 10, ChunkRows: 10}.Complete(),
	}
	d := &modifier.Distinct{Base: operator.Base{Out: a.source.Out, Measured: &operator.Measures{}}, Input: a.source}
	limited := &modifier.Slice{Base: d.Base, Input: d, Limit: 200}
	a.source.Measured = &operator.Measures{}
	a.x.Workers.Enter()
	defer a.x.Workers.Leave()
	if err := operator.Run(limited, a.x, nil, func(b *vector.Batch) error { a.note(b); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(a.emitted) != 200 || a.source.found.Load() > 5000 {
		t.Errorf("%d rows, of %d that were found", len(a.emitted), a.source.found.Load())
	}
}
