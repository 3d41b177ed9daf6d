package live_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// TestFaultsWhileDocumentsAreTakenIn lets each operation on the disk fail, of an intake's commit and of a transaction that takes a document in
// among others. It is there whole or not at all, the store goes on, unless nobody knows what the disk has, and nothing is left behind.
func TestFaultsWhileDocumentsAreTakenIn(t *testing.T) {
	step := int64(1)
	if testing.Short() {
		step = 5
	}
	for name, commit := range map[string]func(*live.Store) (int, error){"alone": commitDocument, "among others": commitAmongOthers} {
		for mode, lasting := range map[string]bool{"once": false, "lasting": true} {
			t.Run(name+" "+mode, func(t *testing.T) {
				r := newRewriting(t, func(s *live.Store) error {
					_, err := commit(s)
					return err
				})
				compactNow(t, r.template) // so that it is not due when files have been written
				n := int64(0)
				for r.failStaged(t, n, lasting) {
					n += step
				}
				t.Logf("%d operations", n)
			})
		}
	}
}

func compactNow(t *testing.T, folder string) {
	t.Helper()
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Compact(context.Background()), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// failStaged is fail of a transaction that commits.
func (r *rewriting) failStaged(t *testing.T, n int64, lasting bool) bool {
	t.Helper()
	s, folder, disk := r.open(t)
	defer os.RemoveAll(filepath.Dir(folder))
	defer func() { s.Close() }()
	before := s.Sequence()
	var count atomic.Int64
	disk.Fault = func(op section.Operation, _ string) error {
		at := count.Add(1) - 1
		switch sync := op == section.Sync || op == section.SyncFolder; {
		case at < n || at > n && (!lasting || sync || op == section.Remove):
			return nil
		case sync:
			return syscall.EIO
		}
		return syscall.ENOSPC
	}
	failed := r.do(s)
	if count.Load() <= n {
		if failed != nil {
			t.Fatal(failed)
		}
		return false
	}
	disk.Fault = nil
	if errors.Is(failed, live.ErrFailed) {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		var err error
		if s, err = live.Open(context.Background(), folder, live.Options{Writable: true, Disk: disk}); err != nil {
			t.Fatal(err)
		}
	} else if there := s.Sequence() > before; there != (failed == nil) {
		t.Fatalf("operation %d: commit %d is there, with %v", n, s.Sequence(), failed)
	}
	for range 2 {
		r.goOn(t, s, folder)
		if err := r.do(s); err != nil {
			t.Fatalf("after operation %d failed: %v", n, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, folder, int(s.Sequence())-1)
	checkNothingLeft(t, folder)
	return true
}
