package live_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// TestAStoreIsClosedUnderItsWriters: each has committed or is told so, the files are closed once, when nobody looks at them any more, and
// the lock is free when all is over.
func TestAStoreIsClosedUnderItsWriters(t *testing.T) {
	folder := newFolder(t, quads{})
	for round := range 20 {
		var retired atomic.Int64
		s, err := live.Open(context.Background(), folder, live.Options{Writable: true, Retired: func(*store.Store) { retired.Add(1) }})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		var committed, flushed atomic.Int64
		until := func(what string, done *atomic.Int64, do func(n int) error) {
			all.Go(func() {
				var err error
				for n := 0; err == nil; n++ {
					if err = do(n); err == nil {
						done.Add(1)
					}
				}
				if !errors.Is(err, live.ErrClosed) {
					t.Errorf("%s: %v", what, err)
				}
			})
		}
		for w := range 4 {
			until("commit", &committed, func(n int) error { return insert(s, rdf.NewString(fmt.Sprint(round, w, n))) })
		}
		for range 3 {
			until("edit", &committed, func(int) error {
				_, err := commitEdit(s)
				return err
			})
		}
		until("flush", &flushed, func(int) error { return s.Flush(context.Background()) })
		time.Sleep(time.Duration(round) * time.Millisecond)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		closed := retired.Load()
		free, err := store.TakeLock(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := free.Release(); err != nil {
			t.Error(err)
		}
		all.Wait()
		if closed != flushed.Load()+1 || retired.Load() != closed {
			t.Errorf("files were closed %d times, and %d later, after %d flushes", closed, retired.Load()-closed, flushed.Load())
		}
	}
}

func TestAClosedStoreTakesNothing(t *testing.T) {
	s, err := live.Open(context.Background(), newFolder(t, quads{}), live.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := insert(s, rdf.NewString("late")); !errors.Is(err, live.ErrClosed) {
		t.Error("commit:", err)
	}
	if _, err := commitEdit(s); !errors.Is(err, live.ErrClosed) {
		t.Error("edit:", err)
	}
	for what, do := range map[string]func(context.Context) error{"flush": s.Flush, "compact": s.Compact} {
		if err := do(context.Background()); !errors.Is(err, live.ErrClosed) {
			t.Error(what, err)
		}
	}
	if _, err := s.BeginWithFiles(context.Background()); !errors.Is(err, live.ErrClosed) {
		t.Error("files:", err)
	}
}

// TestTheLogIsReadFromWhereItBegins, also where commits are dropped between the question and the reading.
func TestTheLogIsReadFromWhereItBegins(t *testing.T) {
	s, err := live.Open(context.Background(), newFolder(t, quads{}), live.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	filler := strings.Repeat("-", 600<<10) // a file of the log has room for one of them
	for n := range 3 {
		if err := insert(s, rdf.NewString(fmt.Sprint(n, filler))); err != nil {
			t.Fatal(err)
		}
	}
	records := s.Records(1)
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	var sequences []uint64
	for record, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		sequences = append(sequences, record.Sequence)
	}
	if fmt.Sprint(sequences) != "[3]" {
		t.Errorf("commits %v of 3, the first two of which were dropped", sequences)
	}
}
