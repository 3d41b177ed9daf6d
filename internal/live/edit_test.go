package live_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/wal/waltest"
)

// whileHeld has edits of one triple each wait for a transaction, and returns what they were told.
func whileHeld(t *testing.T, s *live.Store, n int, meanwhile func()) (errs []error) {
	t.Helper()
	turn, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	errs = make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			e := edited{add: []rdf.Quad{{Subject: rdf.NewIRI("http://e/s"), Predicate: rdf.NewIRI("http://e/p"), Object: rdf.NewString(fmt.Sprint(i))}}}
			e.run(context.Background(), t, s)
			errs[i] = e.err
		})
	}
	for s.Waiting() < n {
		time.Sleep(time.Millisecond)
	}
	meanwhile()
	turn.Abort()
	all.Wait()
	return errs
}

// TestEditsEachMeetTheirOwnError: where the log takes not all of them in one piece, each is written by itself.
func TestEditsEachMeetTheirOwnError(t *testing.T) {
	for _, failures := range []int64{0, 1, 2, 4} {
		t.Run(fmt.Sprint(failures), func(t *testing.T) {
			disk := waltest.New(1)
			folder := newFolder(t, quads{})
			s, err := live.Open(context.Background(), folder, live.Options{Writable: true, LogFolder: disk})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var writes atomic.Int64
			fault := func(op waltest.Operation, _ string, _ int) error {
				if op == waltest.Write && writes.Add(1) <= failures {
					return syscall.ENOSPC
				}
				return nil
			}
			const n = 5
			errs := whileHeld(t, s, n, func() { disk.Fault = fault })
			failed := int64(0)
			for _, err := range errs {
				if errors.Is(err, syscall.ENOSPC) {
					failed++
				} else if err != nil {
					t.Error(err)
				}
			}
			if failed != max(0, failures-1) { // the first is that of all
				t.Errorf("%d edits failed", failed)
			}
			snapshot := s.Snapshot()
			defer snapshot.Release()
			if got := contents(t, snapshot.State); len(got) != n-int(failed) || snapshot.Sequence() != uint64(len(got)) {
				t.Errorf("%d quads at %d", len(got), snapshot.Sequence())
			}
		})
	}
}

// TestEditsThatGiveUpWaiting: the next one takes the turn in the place of one that has gone, and who has gone has changed nothing.
func TestEditsThatGiveUpWaiting(t *testing.T) {
	s, err := live.Open(context.Background(), newFolder(t, quads{}), live.Options{Writable: true, MaxWaiting: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	turn, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var committed, gone, refused atomic.Int64
	enter := func(ctx context.Context, waiting int) {
		all.Go(func() {
			e := edited{add: []rdf.Quad{{Subject: rdf.NewIRI("http://e/s"), Predicate: rdf.NewIRI("http://e/p"), Object: rdf.NewString(fmt.Sprint(waiting))}}}
			switch e.run(ctx, t, s); {
			case e.err == nil:
				committed.Add(1)
			case errors.Is(e.err, context.Canceled):
				gone.Add(1)
			case errors.Is(e.err, live.ErrWaiting):
				refused.Add(1)
			default:
				t.Error(e.err)
			}
		})
		for waiting > 0 && s.Waiting() < waiting {
			time.Sleep(time.Millisecond)
		}
	}
	for i := range 8 {
		if i%2 == 0 { // the first of them, too
			enter(ctx, i+1)
		} else {
			enter(context.Background(), i+1)
		}
	}
	enter(context.Background(), 9)
	if _, err := s.Edit(context.Background(), nil); !errors.Is(err, live.ErrWaiting) {
		t.Error("a tenth:", err)
	}
	cancel()
	for gone.Load() < 4 {
		time.Sleep(time.Millisecond)
	}
	if n := s.Waiting(); n != 5 {
		t.Error(n, "wait")
	}
	turn.Abort()
	all.Wait()
	if committed.Load() != 5 || refused.Load() != 0 || s.Sequence() != 5 || s.Waiting() != 0 {
		t.Error(committed.Load(), refused.Load(), s.Sequence(), s.Waiting())
	}
}
