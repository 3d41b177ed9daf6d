package cpu_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dense is a graph with an edge between any two of n vertices, and the cartesian product of three edges over it.
func dense(t testing.TB, n int, options bgp.Options) *match.Match {
	c := &matchtest.Case{Vertices: n, Labels: 1, TypeLabel: -1, Options: options}
	for v := range n {
		for w := range n {
			c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(v), To: pcsr.Vertex(w)})
		}
	}
	knows := parser.PatternTerm{Term: matchtest.Term(0)}
	for _, ends := range [][2]string{{"a", "b"}, {"c", "d"}, {"e", "f"}} {
		c.Patterns = append(c.Patterns, parser.TriplePattern{
			Subject: parser.PatternTerm{Variable: ends[0]}, Predicate: knows, Object: parser.PatternTerm{Variable: ends[1]},
		})
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCancelEndsACartesianProductSoon(t *testing.T) {
	m := matchtest.OnThreads(cpu.New(), 2)
	for name, s := range map[string]bgp.Semantics{"rows": bgp.Homomorphism, "isomorphic": bgp.Isomorphism, "edges": bgp.EdgeIsomorphism} {
		t.Run(name, func(t *testing.T) {
			task := dense(t, 200, bgp.Options{Output: []string{"a", "b", "c", "d", "e", "f"}, Semantics: s})
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
			defer cancel()
			start := time.Now()
			err := m.Match(ctx, task, func(*match.Batch) error { return nil })
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
				t.Errorf("match ended with %v after %v", err, time.Since(start))
			}
		})
	}
	task := dense(t, 200, bgp.Options{CountOnly: true, Semantics: bgp.Isomorphism})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := m.Count(ctx, task); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
		t.Errorf("count ended with %v after %v", err, time.Since(start))
	}
}

func TestCountMultipliesIndependentParts(t *testing.T) {
	t.Parallel()
	task := dense(t, 200, bgp.Options{CountOnly: true})
	n, err := matchtest.OnThreads(cpu.New(), 2).Count(context.Background(), task)
	if want := uint64(200 * 200 * 200 * 200 * 200 * 200); err != nil || n != want {
		t.Errorf("counted %d (error %v), want %d", n, err, want)
	}
}

func TestErrorOfEmitEndsTheMatch(t *testing.T) {
	t.Parallel()
	task := dense(t, 100, bgp.Options{Output: []string{"a", "b", "c", "d", "e", "f"}})
	full, calls := errors.New("full"), 0
	err := matchtest.OnThreads(cpu.New(), 2).Match(context.Background(), task, func(*match.Batch) error {
		if calls++; calls == 20 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || calls != 20 {
		t.Errorf("ended with %v after %d calls", err, calls)
	}
}

func TestLimitIsExact(t *testing.T) {
	t.Parallel()
	task := dense(t, 100, bgp.Options{Output: []string{"f", "a"}})
	for _, limit := range []uint64{1, 63, 4096, 10_001} {
		task.Limit = limit
		rows := uint64(0)
		if err := matchtest.OnThreads(cpu.New(), 2).Match(context.Background(), task, func(b *match.Batch) error {
			rows += uint64(b.N)
			return nil
		}); err != nil || rows != limit {
			t.Errorf("limit %d gives %d rows (error %v)", limit, rows, err)
		}
	}
}

func TestManyMatchesAtOnceAgree(t *testing.T) {
	t.Parallel()
	m := matchtest.OnThreads(cpu.New(), 3)
	task := dense(t, 14, bgp.Options{Output: []string{"a", "b"}, Semantics: bgp.Isomorphism})
	want, err := m.Count(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	counts := make([]uint64, 6)
	for i := range counts {
		wait.Add(1)
		go func() {
			defer wait.Done()
			counts[i], _ = m.Count(context.Background(), task)
		}()
	}
	wait.Wait()
	if slices.Min(counts) != want || slices.Max(counts) != want {
		t.Errorf("counted %v at once, %d alone", counts, want)
	}
}

func TestSeedsThatDoNotFitThePlanAreAnError(t *testing.T) {
	t.Parallel()
	task := dense(t, 3, bgp.Options{Inputs: []string{"a"}, Output: []string{"b"}})
	if err := cpu.New().Match(context.Background(), task, func(*match.Batch) error { return nil }); err == nil {
		t.Error("no seeds are accepted")
	}
}

func TestATraceTellsTheTimeOfEachStep(t *testing.T) {
	task := dense(t, 60, bgp.Options{Output: []string{"a", "b", "c", "d"}, Semantics: bgp.Isomorphism})
	task.Trace = &match.Trace{}
	waited := time.Duration(0)
	start := time.Now()
	calls := 0
	err := cpu.New().Match(context.Background(), task, func(*match.Batch) error {
		if calls++; calls <= 3 {
			time.Sleep(20 * time.Millisecond)
			waited += 20 * time.Millisecond
		}
		if calls == 200 {
			return errors.New("enough")
		}
		return nil
	})
	all := time.Since(start)
	if err == nil || len(task.Trace.Steps) != 6 {
		t.Fatalf("%v, %d steps", err, len(task.Trace.Steps))
	}
	sum, timed := time.Duration(0), 0
	for _, s := range task.Trace.Steps {
		if sum += s.Elapsed; s.Elapsed > 0 {
			timed++
		}
	}
	if timed < 4 || sum > all-waited {
		t.Errorf("%d steps have a time, %v in all, of %v with %v of waiting", timed, sum, all, waited)
	}

	counted := dense(t, 60, bgp.Options{CountOnly: true, Semantics: bgp.Isomorphism})
	counted.Trace = &match.Trace{}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start = time.Now()
	cpu.New().Count(ctx, counted)
	sum = 0
	for _, s := range counted.Trace.Steps {
		sum += s.Elapsed
	}
	if all := time.Since(start); sum < all/2 || sum > all {
		t.Errorf("steps took %v of a count of %v", sum, all)
	}
}

// TestWhoFailsAsideWaitsWithoutAPermit for whoever emits meanwhile, and may wait for one.
func TestWhoFailsAsideWaitsWithoutAPermit(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	workers, bad := schedule.New(2).Open(ctx, 0), errors.New("bad")
	workers.Enter()
	defer workers.Leave()
	task := dense(t, 200, bgp.Options{Output: []string{"a", "b", "c", "d", "e", "f"}})
	task.Workers = workers
	var emits atomic.Bool
	var once sync.Once
	failed := make(chan struct{})
	task.Aside = func(*match.Batch) (bool, error) {
		if !emits.Load() {
			return false, nil
		}
		once.Do(func() { close(failed) })
		return false, bad
	}
	err := cpu.New().Match(ctx, task, func(*match.Batch) error {
		emits.Store(true)
		select {
		case <-failed:
		case <-ctx.Done():
		}
		workers.Enter() // as somebody does whom it woke
		workers.Yield()
		workers.Leave()
		return nil
	})
	if err != bad || ctx.Err() != nil {
		t.Errorf("match ended with %v, %v", err, ctx.Err())
	}
}
