package live_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/wal/waltest"
)

// insert commits one quad of the default graph.
func insert(s *live.Store, object rdf.Term) error {
	tx, err := s.Begin(context.Background())
	if err != nil {
		return err
	}
	defer tx.Abort()
	q := live.Quad{Graph: dictionary.None}
	for id, term := range map[*dictionary.ID]rdf.Term{&q.Subject: rdf.NewIRI("http://e/s"), &q.Predicate: rdf.NewIRI("http://e/p"), &q.Object: object} {
		if *id, err = tx.Intern(term); err != nil {
			return err
		}
	}
	if err := tx.Apply(nil, []live.Quad{q}); err != nil {
		return err
	}
	_, err = tx.Commit(context.Background())
	return err
}

// TestReadersOpenAStoreThatIsFlushed: the log goes away under those who open the store, and they find the files that have it.
func TestReadersOpenAStoreThatIsFlushed(t *testing.T) {
	folder := newFolder(t, quads{})
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var acknowledged atomic.Uint64
	ctx, end := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for ctx.Err() == nil {
				least := acknowledged.Load()
				r, err := live.Open(context.Background(), folder, live.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				if r.Sequence() < least {
					t.Errorf("commit %d is read where %d was acknowledged", r.Sequence(), least)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	filler := strings.Repeat("-", 600<<10) // a file of the log has room for one of them
	commits := 36
	if testing.Short() {
		commits = 15
	}
	for n := range commits {
		if err := insert(s, rdf.NewString(fmt.Sprint(n, filler))); err != nil {
			t.Fatal(err)
		}
		acknowledged.Store(s.Sequence())
		if n%3 == 2 {
			if err := s.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	end()
	readers.Wait()
}

// TestNothingIsToldOfWhatMayBeLost: a transaction that begins from a commit which is not durable yet ends when that is.
func TestNothingIsToldOfWhatMayBeLost(t *testing.T) {
	disk := waltest.New(1)
	s, err := live.Open(context.Background(), newFolder(t, quads{}), live.Options{Writable: true, LogFolder: disk})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	synced := make(chan struct{})
	disk.Fault = func(op waltest.Operation, _ string, _ int) error {
		if op == waltest.SyncData {
			<-synced
		}
		return nil
	}
	committed, told := make(chan error, 1), make(chan error, 1)
	go func() { committed <- insert(s, rdf.NewString("first")) }()
	go func() {
		for {
			tx, err := s.Begin(context.Background())
			if err == nil && tx.Began().Sequence() == 0 { // the other one comes first
				tx.Abort()
				continue
			}
			if err == nil {
				err = tx.Withdraw(context.Background())
			}
			told <- err
			return
		}
	}()
	select {
	case err := <-told:
		t.Errorf("it ended before the first commit was durable: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(synced)
	for _, ended := range []chan error{committed, told} {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
